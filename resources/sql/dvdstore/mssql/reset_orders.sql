-- Takes away the orders of ? < orderid <= ? that runs have added, with their history and lines: for so many of them that
-- one transaction would need more log than there may be. The history has no index on the order; the hints go from the
-- orders to it by their customers.

DECLARE @after int = ?;
DECLARE @to int = ?;
DELETE h
FROM dbo.orders AS o
INNER JOIN dbo.cust_hist AS h ON h.customerid = o.customerid AND h.orderid = o.orderid
WHERE o.orderid > @after AND o.orderid <= @to
OPTION (LOOP JOIN, FORCE ORDER);
DELETE FROM dbo.orderlines WITH (TABLOCKX) WHERE orderid > @after AND orderid <= @to;
DELETE FROM dbo.orders WITH (TABLOCKX) WHERE orderid > @after AND orderid <= @to;
GO
