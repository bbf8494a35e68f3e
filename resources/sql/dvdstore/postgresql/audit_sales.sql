-- Products whose sales are not the quantities of their order lines, those that were built included.

SELECT count(*)
FROM inventory i
LEFT JOIN (SELECT prod_id, sum(quantity) AS sold FROM orderlines GROUP BY prod_id) l USING (prod_id)
WHERE i.sales <> coalesce(l.sold, 0)
