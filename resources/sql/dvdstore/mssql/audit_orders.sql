-- The orders of ? < orderid <= ?, by ascending id: id, customer (0 where the customer is gone), net amount in cents.

SELECT o.orderid, COALESCE(o.customerid, 0) AS customerid, CAST(o.netamount * 100 AS int) AS net_cents
FROM dbo.orders AS o
WHERE o.orderid > ? AND o.orderid <= ?
ORDER BY o.orderid
