-- Everything that a build makes, and nothing else.

DROP PROCEDURE IF EXISTS purchase;
DROP PROCEDURE IF EXISTS login;
DROP PROCEDURE IF EXISTS new_customer;
DROP PROCEDURE IF EXISTS browse_by_category;
DROP PROCEDURE IF EXISTS browse_by_actor;
DROP PROCEDURE IF EXISTS browse_by_title;
DROP PROCEDURE IF EXISTS product_prices;
DROP TABLE IF EXISTS orderlines;
DROP TABLE IF EXISTS cust_hist;
DROP TABLE IF EXISTS orders;
DROP TABLE IF EXISTS customers;
DROP TABLE IF EXISTS products;
DROP TABLE IF EXISTS inventory;
DROP TABLE IF EXISTS inventory_pristine;
DROP TABLE IF EXISTS categories;
DROP TABLE IF EXISTS reorder;
