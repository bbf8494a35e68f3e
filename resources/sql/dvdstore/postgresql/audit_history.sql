-- The history of the orders of {after} < orderid <= {to}: its rows, and sums that have to be those of their
-- lines. The product is squared, modulo a prime, for else 1 and 3 would come to as much as 2 and 2.

SELECT
    count(*),
    coalesce(sum(orderid::bigint), 0),
    coalesce(sum(orderid::bigint * (prod_id::bigint * prod_id % 1048573)), 0),
    coalesce(sum(customerid::bigint * (prod_id::bigint * prod_id % 1048573)), 0)
FROM cust_hist WHERE orderid > {after} AND orderid <= {to}
