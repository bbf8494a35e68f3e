-- Everything that a build makes, and nothing else.

DROP PROCEDURE IF EXISTS purchase(integer, integer[], integer[], numeric, numeric, numeric, integer);
DROP FUNCTION IF EXISTS login(text, text);
DROP FUNCTION IF EXISTS new_customer(
    text, text, text, text, text, text, integer, text, integer, text, text, integer, text, text, text, text,
    integer, integer, text
);
DROP FUNCTION IF EXISTS browse_by_category(integer, integer);
DROP FUNCTION IF EXISTS browse_by_actor(text, integer);
DROP FUNCTION IF EXISTS browse_by_title(text, integer);
DROP FUNCTION IF EXISTS product_prices(integer[]);
DROP TABLE IF EXISTS orderlines, cust_hist, orders, customers, products, inventory, inventory_pristine, categories,
    reorder;
DROP FUNCTION IF EXISTS restock();
