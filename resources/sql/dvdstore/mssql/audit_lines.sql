-- The lines of the orders of ? < orderid <= ?, each as one number: of the order's distance from the first bound, which
-- is given a third time before them (20 bits), the product (24), the line's number (8) and the quantity (11). A
-- constant that no int holds would be a decimal, and so would all that is computed with it.

SELECT
    CAST(l.orderid - ? AS bigint) * CAST(8796093022208 AS bigint)
    + CAST(CASE WHEN l.prod_id < 0 THEN 0 WHEN l.prod_id > 16777215 THEN 16777215 ELSE l.prod_id END AS bigint) * 524288
    + CASE WHEN l.orderlineid < 0 THEN 0 WHEN l.orderlineid > 255 THEN 255 ELSE l.orderlineid END * 2048
    + CASE WHEN l.quantity < 0 THEN 0 WHEN l.quantity > 2047 THEN 2047 ELSE l.quantity END AS packed
FROM dbo.orderlines AS l
WHERE l.orderid > ? AND l.orderid <= ?
