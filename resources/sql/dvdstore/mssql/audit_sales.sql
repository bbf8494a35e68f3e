-- Products whose sales are not the quantities of their order lines, those that were built included.

SELECT COUNT_BIG(*) AS products_off
FROM dbo.inventory AS i
LEFT JOIN (
    SELECT l.prod_id, SUM(CAST(l.quantity AS bigint)) AS sold FROM dbo.orderlines AS l GROUP BY l.prod_id
) AS sums ON sums.prod_id = i.prod_id
WHERE i.sales <> COALESCE(sums.sold, 0)
