-- Takes away what runs have added, and gives the stock back. {customers} and {orders} are the built counts.

-- A run that was killed may have left purchases under way: they end before anything is taken away, and none begins
-- meanwhile. In the order in which a purchase takes its locks, so that neither waits for the other.
LOCK TABLE orders, customers IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM cust_hist WHERE orderid > {orders};
DELETE FROM orderlines WHERE orderid > {orders};
DELETE FROM orders WHERE orderid > {orders};
DELETE FROM customers WHERE customerid > {customers};
TRUNCATE reorder;
TRUNCATE inventory;
INSERT INTO inventory SELECT * FROM inventory_pristine;
ALTER TABLE customers ALTER COLUMN customerid RESTART;
ALTER TABLE orders ALTER COLUMN orderid RESTART;
