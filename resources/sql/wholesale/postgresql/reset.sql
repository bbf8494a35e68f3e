-- Removes what runs have added and restores what they have changed. {payments} is the number of built history rows.

-- A killed run may have left transactions in progress. The locks wait for their end, and let none begin.
LOCK TABLE warehouse, district IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM new_order WHERE no_o_id > 3000;
DELETE FROM order_line WHERE ol_o_id > 3000;
INSERT INTO new_order (no_w_id, no_d_id, no_o_id)
    SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_id BETWEEN 2101 AND 3000 AND o_carrier_id IS NOT NULL;
UPDATE order_line l SET ol_delivery_d = NULL
    FROM orders o
    WHERE o.o_id BETWEEN 2101 AND 3000 AND o.o_carrier_id IS NOT NULL
        AND l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id;
UPDATE orders SET o_carrier_id = NULL WHERE o_id BETWEEN 2101 AND 3000 AND o_carrier_id IS NOT NULL;
DELETE FROM orders WHERE o_id > 3000;
DELETE FROM history WHERE h_id > {payments};
UPDATE customer c SET c_data = p.c_data
    FROM customer_pristine p
    WHERE c.c_payment_cnt > 1 AND c.c_w_id = p.c_w_id AND c.c_d_id = p.c_d_id AND c.c_id = p.c_id;
UPDATE customer SET c_balance = -10, c_ytd_payment = 10, c_payment_cnt = 1, c_delivery_cnt = 0
    WHERE c_payment_cnt > 1 OR c_delivery_cnt > 0;
UPDATE stock s SET s_quantity = p.s_quantity, s_ytd = 0, s_order_cnt = 0, s_remote_cnt = 0
    FROM stock_pristine p WHERE s.s_order_cnt > 0 AND s.s_w_id = p.s_w_id AND s.s_i_id = p.s_i_id;
UPDATE district SET d_ytd = 30000, d_next_o_id = 3001;
UPDATE warehouse SET w_ytd = 300000;
ALTER TABLE history ALTER COLUMN h_id RESTART;
