-- Keys and indexes, made when the rows are in. Each paragraph is a table's, and is worked off on one connection.

ALTER TABLE customers ADD CONSTRAINT customers_pkey PRIMARY KEY (customerid);
CREATE UNIQUE INDEX ix_cust_username ON customers (username);
CREATE INDEX ix_cust_username_password ON customers (username, password);

ALTER TABLE orderlines ADD CONSTRAINT orderlines_pkey PRIMARY KEY (orderid, orderlineid);

CREATE INDEX ix_cust_hist_customerid ON cust_hist (customerid);

ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY (orderid);
CREATE INDEX ix_order_customerid ON orders (customerid);

ALTER TABLE products ADD CONSTRAINT products_pkey PRIMARY KEY (prod_id);
CREATE INDEX ix_prod_category ON products (category);
CREATE INDEX ix_prod_special ON products (special);
CREATE INDEX ix_prod_category_special ON products (category, special);
CREATE INDEX ix_prod_title ON products USING gin (to_tsvector('simple', title));
CREATE INDEX ix_prod_actor ON products USING gin (to_tsvector('simple', actor));

ALTER TABLE inventory ADD CONSTRAINT inventory_pkey PRIMARY KEY (prod_id);
-- The stock as it was built, for a reset that needs no generator.
CREATE TABLE inventory_pristine AS TABLE inventory;

ALTER TABLE categories ADD CONSTRAINT categories_pkey PRIMARY KEY (category);
