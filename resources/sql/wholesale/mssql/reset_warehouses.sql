-- Restores stock, customers and deliveries of the warehouses ? < w_id <= ?, in ranges, since a single transaction could
-- need more log than there is. Each statement can be repeated, as an interrupted reset is continued.

DECLARE @after int = ?;
DECLARE @to int = ?;
UPDATE s SET s.s_quantity = p.s_quantity, s.s_ytd = 0, s.s_order_cnt = 0, s.s_remote_cnt = 0
FROM dbo.stock AS s WITH (TABLOCKX)
INNER JOIN dbo.stock_pristine AS p ON p.s_w_id = s.s_w_id AND p.s_i_id = s.s_i_id
WHERE s.s_order_cnt > 0 AND s.s_w_id > @after AND s.s_w_id <= @to;
UPDATE c SET c.c_data = p.c_data
FROM dbo.customer AS c WITH (TABLOCKX)
INNER JOIN dbo.customer_pristine AS p ON p.c_w_id = c.c_w_id AND p.c_d_id = c.c_d_id AND p.c_id = c.c_id
WHERE c.c_payment_cnt > 1 AND c.c_w_id > @after AND c.c_w_id <= @to;
UPDATE dbo.customer WITH (TABLOCKX) SET c_balance = -10, c_ytd_payment = 10, c_payment_cnt = 1, c_delivery_cnt = 0
WHERE (c_payment_cnt > 1 OR c_delivery_cnt > 0) AND c_w_id > @after AND c_w_id <= @to;
UPDATE l SET l.ol_delivery_d = NULL
FROM dbo.order_line AS l WITH (TABLOCKX)
INNER JOIN dbo.orders AS o ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id
WHERE o.o_id BETWEEN 2101 AND 3000 AND o.o_carrier_id IS NOT NULL AND o.o_w_id > @after AND o.o_w_id <= @to;
INSERT INTO dbo.new_order (no_w_id, no_d_id, no_o_id)
SELECT o.o_w_id, o.o_d_id, o.o_id FROM dbo.orders AS o
WHERE
    o.o_id BETWEEN 2101 AND 3000 AND o.o_carrier_id IS NOT NULL AND o.o_w_id > @after AND o.o_w_id <= @to
    AND NOT EXISTS (
        SELECT 1 FROM dbo.new_order AS n WHERE n.no_w_id = o.o_w_id AND n.no_d_id = o.o_d_id AND n.no_o_id = o.o_id
    );
UPDATE dbo.orders WITH (TABLOCKX) SET o_carrier_id = NULL
WHERE o_id BETWEEN 2101 AND 3000 AND o_carrier_id IS NOT NULL AND o_w_id > @after AND o_w_id <= @to;
GO
