-- Everything that a build makes, and nothing else.

DROP PROCEDURE IF EXISTS new_order(integer, integer, integer, integer[], integer[], integer[], integer);
DROP PROCEDURE IF EXISTS payment(integer, integer, integer, integer, integer, text, numeric, integer);
DROP PROCEDURE IF EXISTS delivery(integer, integer, integer);
DROP FUNCTION IF EXISTS order_status(integer, integer, integer, text);
DROP FUNCTION IF EXISTS stock_level(integer, integer, integer);
DROP FUNCTION IF EXISTS customer_of(integer, integer, integer, text);
DROP TABLE IF EXISTS order_line, new_order, orders, history, customer, customer_pristine, stock, stock_pristine,
    district, warehouse, item;
