-- The orders of %(after)s < orderid <= %(to)s as three arrays in one row: ids, customers (0 where the customer is gone),
-- net amounts in cents.

SELECT array_agg(orderid), array_agg(customerid), array_agg(cents)
FROM (
    SELECT orderid, coalesce(customerid, 0) AS customerid, (netamount * 100)::integer AS cents
    FROM orders WHERE orderid > %(after)s AND orderid <= %(to)s
    ORDER BY orderid
) o
