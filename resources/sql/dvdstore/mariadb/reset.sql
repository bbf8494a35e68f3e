-- Takes away what runs have added, and gives the stock back, in one transaction. {customers} and {orders} are
-- the built counts, {history} is the highest number of a built history row: all that came later are higher.

DELETE FROM cust_hist WHERE historyid > {history};
DELETE FROM orderlines WHERE orderid > {orders};
DELETE FROM orders WHERE orderid > {orders};
DELETE FROM customers WHERE customerid > {customers};
DELETE FROM reorder;
-- Not by an update: what is too little would be topped up.
DELETE i FROM inventory i LEFT JOIN inventory_pristine b ON b.prod_id = i.prod_id
    AND b.quan_in_stock = i.quan_in_stock AND b.sales = i.sales
    WHERE b.prod_id IS NULL;
INSERT INTO inventory (prod_id, quan_in_stock, sales)
    SELECT b.prod_id, b.quan_in_stock, b.sales
    FROM inventory_pristine b LEFT JOIN inventory i ON i.prod_id = b.prod_id WHERE i.prod_id IS NULL;
