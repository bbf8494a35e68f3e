-- Removes what runs have added and restores what they have changed, or what is left of it, all in one transaction.
-- $(payments) is the number of built history rows. The identity is put back after everything that could fail.

-- A killed run may have left transactions in progress. The locks wait for their end, and let none begin; they are taken
-- in the same order as by payments.
SELECT TOP (1) w_id FROM dbo.warehouse WITH (TABLOCKX, HOLDLOCK)
GO
SELECT TOP (1) d_id FROM dbo.district WITH (TABLOCKX, HOLDLOCK)
GO
DELETE FROM dbo.new_order WITH (TABLOCKX) WHERE no_o_id > 3000
GO
DELETE FROM dbo.order_line WITH (TABLOCKX) WHERE ol_o_id > 3000
GO
INSERT INTO dbo.new_order (no_w_id, no_d_id, no_o_id)
SELECT o.o_w_id, o.o_d_id, o.o_id FROM dbo.orders AS o
WHERE o.o_id BETWEEN 2101 AND 3000 AND o.o_carrier_id IS NOT NULL
GO
UPDATE l SET l.ol_delivery_d = NULL
FROM dbo.order_line AS l
INNER JOIN dbo.orders AS o ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id
WHERE o.o_id BETWEEN 2101 AND 3000 AND o.o_carrier_id IS NOT NULL
GO
UPDATE dbo.orders WITH (TABLOCKX) SET o_carrier_id = NULL
WHERE o_id BETWEEN 2101 AND 3000 AND o_carrier_id IS NOT NULL
GO
DELETE FROM dbo.orders WITH (TABLOCKX) WHERE o_id > 3000
GO
DELETE FROM dbo.history WITH (TABLOCKX) WHERE h_id > $(payments)
GO
UPDATE c SET c.c_data = p.c_data
FROM dbo.customer AS c WITH (TABLOCKX)
INNER JOIN dbo.customer_pristine AS p ON p.c_w_id = c.c_w_id AND p.c_d_id = c.c_d_id AND p.c_id = c.c_id
WHERE c.c_payment_cnt > 1
GO
UPDATE dbo.customer WITH (TABLOCKX) SET c_balance = -10, c_ytd_payment = 10, c_payment_cnt = 1, c_delivery_cnt = 0
WHERE c_payment_cnt > 1 OR c_delivery_cnt > 0
GO
UPDATE s SET s.s_quantity = p.s_quantity, s.s_ytd = 0, s.s_order_cnt = 0, s.s_remote_cnt = 0
FROM dbo.stock AS s WITH (TABLOCKX)
INNER JOIN dbo.stock_pristine AS p ON p.s_w_id = s.s_w_id AND p.s_i_id = s.s_i_id
WHERE s.s_order_cnt > 0
GO
UPDATE dbo.district SET d_ytd = 30000, d_next_o_id = 3001
GO
UPDATE dbo.warehouse SET w_ytd = 300000
GO
DBCC CHECKIDENT (N'dbo.history', RESEED, $(payments)) WITH NO_INFOMSGS
GO
