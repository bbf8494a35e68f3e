-- The history of the orders of ? < orderid <= {to}: its rows, and sums that have to be those of their lines. The product is
-- squared, modulo a prime, for else 1 and 3 would come to as much as 2 and 2. The sums outgrow a bigint.

SELECT
    COUNT_BIG(*) AS history_rows,
    COALESCE(SUM(CAST(h.orderid AS bigint)), 0) AS orders,
    COALESCE(SUM(CAST(h.orderid AS decimal(38, 0)) * (CAST(h.prod_id AS bigint) * h.prod_id % 1048573)), 0)
        AS orders_by_product,
    COALESCE(SUM(CAST(h.customerid AS decimal(38, 0)) * (CAST(h.prod_id AS bigint) * h.prod_id % 1048573)), 0)
        AS customers_by_product
FROM dbo.cust_hist AS h
WHERE h.orderid > {after} AND h.orderid <= {to}
