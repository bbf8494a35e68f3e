-- Removes the orders of ? < o_id <= ? of every district, with their lines, in ranges, since a single transaction could
-- need more log than there is. The keys begin with the district; the hints make each district seek its orders.

DECLARE @after int = ?;
DECLARE @to int = ?;
DELETE n
FROM dbo.district AS d
INNER JOIN dbo.new_order AS n ON n.no_w_id = d.d_w_id AND n.no_d_id = d.d_id
WHERE n.no_o_id > @after AND n.no_o_id <= @to
OPTION (LOOP JOIN, FORCE ORDER);
DELETE l
FROM dbo.district AS d
INNER JOIN dbo.order_line AS l ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id
WHERE l.ol_o_id > @after AND l.ol_o_id <= @to
OPTION (LOOP JOIN, FORCE ORDER);
DELETE o
FROM dbo.district AS d
INNER JOIN dbo.orders AS o ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id
WHERE o.o_id > @after AND o.o_id <= @to
OPTION (LOOP JOIN, FORCE ORDER);
GO
