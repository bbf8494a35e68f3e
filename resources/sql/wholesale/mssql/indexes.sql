-- Indexes and references, made when the rows are in: one batch each, so that progress can be shown.

CREATE NONCLUSTERED INDEX ix_customer_name ON $(schema).customer (c_w_id, c_d_id, c_last, c_first) ON $(indexes)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix_orders_customer ON $(schema).orders (o_w_id, o_d_id, o_c_id, o_id) ON $(indexes)
GO
ALTER TABLE $(schema).district WITH CHECK ADD CONSTRAINT fk_district_warehouse
    FOREIGN KEY (d_w_id) REFERENCES $(schema).warehouse (w_id)
GO
ALTER TABLE $(schema).customer WITH CHECK ADD CONSTRAINT fk_customer_district
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES $(schema).district (d_w_id, d_id)
GO
ALTER TABLE $(schema).history WITH CHECK ADD CONSTRAINT fk_history_customer
    FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES $(schema).customer (c_w_id, c_d_id, c_id)
GO
ALTER TABLE $(schema).orders WITH CHECK ADD CONSTRAINT fk_orders_customer
    FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES $(schema).customer (c_w_id, c_d_id, c_id)
GO
ALTER TABLE $(schema).new_order WITH CHECK ADD CONSTRAINT fk_new_order_orders
    FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES $(schema).orders (o_w_id, o_d_id, o_id)
GO
ALTER TABLE $(schema).stock WITH CHECK ADD CONSTRAINT fk_stock_item
    FOREIGN KEY (s_i_id) REFERENCES $(schema).item (i_id)
GO
ALTER TABLE $(schema).order_line WITH CHECK ADD CONSTRAINT fk_order_line_orders
    FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES $(schema).orders (o_w_id, o_d_id, o_id)
GO
INSERT INTO $(schema).stock_pristine WITH (TABLOCK) (s_w_id, s_i_id, s_quantity)
SELECT s.s_w_id, s.s_i_id, s.s_quantity FROM $(schema).stock AS s
GO
INSERT INTO $(schema).customer_pristine WITH (TABLOCK) (c_w_id, c_d_id, c_id, c_data)
SELECT c.c_w_id, c.c_d_id, c.c_id, c.c_data FROM $(schema).customer AS c WHERE c.c_credit = 'BC'
GO
