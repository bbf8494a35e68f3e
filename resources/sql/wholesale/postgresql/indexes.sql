-- Keys and indexes, made when the rows are in. Each paragraph is one table's, and is executed on one connection.

ALTER TABLE order_line ADD CONSTRAINT order_line_pkey PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number);

ALTER TABLE stock ADD CONSTRAINT stock_pkey PRIMARY KEY (s_w_id, s_i_id);
-- The quantities as they were built, for a reset that needs no generator.
CREATE TABLE stock_pristine AS SELECT s_w_id, s_i_id, s_quantity FROM stock;
ALTER TABLE stock_pristine ADD CONSTRAINT stock_pristine_pkey PRIMARY KEY (s_w_id, s_i_id);

ALTER TABLE customer ADD CONSTRAINT customer_pkey PRIMARY KEY (c_w_id, c_d_id, c_id);
CREATE INDEX ix_customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
-- A payment of a customer with bad credit changes its data.
CREATE TABLE customer_pristine AS SELECT c_w_id, c_d_id, c_id, c_data FROM customer WHERE c_credit = 'BC';
ALTER TABLE customer_pristine ADD CONSTRAINT customer_pristine_pkey PRIMARY KEY (c_w_id, c_d_id, c_id);

ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY (o_w_id, o_d_id, o_id);
CREATE UNIQUE INDEX ix_orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);

ALTER TABLE history ADD CONSTRAINT history_pkey PRIMARY KEY (h_id);

ALTER TABLE new_order ADD CONSTRAINT new_order_pkey PRIMARY KEY (no_w_id, no_d_id, no_o_id);

ALTER TABLE item ADD CONSTRAINT item_pkey PRIMARY KEY (i_id);

ALTER TABLE warehouse ADD CONSTRAINT warehouse_pkey PRIMARY KEY (w_id);

ALTER TABLE district ADD CONSTRAINT district_pkey PRIMARY KEY (d_w_id, d_id);
