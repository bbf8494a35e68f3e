-- Keys, indexes and references, made when the rows are in: one statement each, so that progress can be shown.

ALTER TABLE customers ADD CONSTRAINT customers_pkey PRIMARY KEY (customerid);
CREATE UNIQUE INDEX ix_cust_username ON customers (username);
CREATE INDEX ix_cust_username_password ON customers (username, password);
ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY (orderid);
CREATE INDEX ix_order_customerid ON orders (customerid);
ALTER TABLE orderlines ADD CONSTRAINT orderlines_pkey PRIMARY KEY (orderid, orderlineid);
CREATE INDEX ix_cust_hist_customerid ON cust_hist (customerid);
ALTER TABLE products ADD CONSTRAINT products_pkey PRIMARY KEY (prod_id);
CREATE INDEX ix_prod_category ON products (category);
CREATE INDEX ix_prod_special ON products (special);
CREATE INDEX ix_prod_category_special ON products (category, special);
CREATE INDEX ix_prod_title ON products USING gin (to_tsvector('simple', title));
CREATE INDEX ix_prod_actor ON products USING gin (to_tsvector('simple', actor));
ALTER TABLE inventory ADD CONSTRAINT inventory_pkey PRIMARY KEY (prod_id);
ALTER TABLE categories ADD CONSTRAINT categories_pkey PRIMARY KEY (category);
ALTER TABLE orders ADD CONSTRAINT fk_order_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE SET NULL;
ALTER TABLE orderlines ADD CONSTRAINT fk_orderline_order
    FOREIGN KEY (orderid) REFERENCES orders (orderid) ON DELETE CASCADE;
ALTER TABLE cust_hist ADD CONSTRAINT fk_cust_hist_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE CASCADE;
-- The stock as it was built, for a reset that needs no generator.
CREATE TABLE inventory_pristine AS TABLE inventory;
