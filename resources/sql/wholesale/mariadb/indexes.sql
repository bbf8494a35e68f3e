-- Indexes and references, made when the rows are in: one statement each, so that progress can be shown.

CREATE INDEX ix_customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE UNIQUE INDEX ix_orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);
CREATE INDEX ix_history_customer ON history (h_c_w_id, h_c_d_id, h_c_id);
CREATE INDEX ix_stock_item ON stock (s_i_id);
INSERT INTO stock_pristine SELECT s_w_id, s_i_id, s_quantity FROM stock;
INSERT INTO customer_pristine SELECT c_w_id, c_d_id, c_id, c_data FROM customer WHERE c_credit = 'BC';
-- The rows come from one generator and refer to each other as they should; a check would copy the tables once more.
SET SESSION foreign_key_checks = 0;
ALTER TABLE district ADD CONSTRAINT fk_district_warehouse
    FOREIGN KEY (d_w_id) REFERENCES warehouse (w_id);
ALTER TABLE customer ADD CONSTRAINT fk_customer_district
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id);
ALTER TABLE history ADD CONSTRAINT fk_history_customer
    FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer (c_w_id, c_d_id, c_id);
ALTER TABLE orders ADD CONSTRAINT fk_orders_customer
    FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id);
ALTER TABLE new_order ADD CONSTRAINT fk_new_order_orders
    FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id);
ALTER TABLE stock ADD CONSTRAINT fk_stock_item
    FOREIGN KEY (s_i_id) REFERENCES item (i_id);
ALTER TABLE order_line ADD CONSTRAINT fk_order_line_orders
    FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id);
SET SESSION foreign_key_checks = 1;
