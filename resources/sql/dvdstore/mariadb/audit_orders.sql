-- The orders of %(after)s < orderid <= %(to)s as one text of whole numbers: id, customer (0 where the customer is gone)
-- and net amount in cents of each. Before it, how many orders and the parity of all numbers, for the server may cut
-- the text off.

SELECT
    count(*),
    coalesce(bit_xor(orderid ^ customerid ^ cents), 0),
    CAST(group_concat(orderid, ',', customerid, ',', cents) AS BINARY)
FROM (
    SELECT orderid, coalesce(customerid, 0) AS customerid, CAST(netamount * 100 AS SIGNED) AS cents
    FROM orders WHERE orderid > %(after)s AND orderid <= %(to)s
) o
