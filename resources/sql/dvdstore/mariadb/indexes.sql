-- Indexes and references, made when the rows are in: one statement each, so that progress can be shown.

CREATE UNIQUE INDEX ix_cust_username ON customers (username);
CREATE INDEX ix_cust_username_password ON customers (username, password);
CREATE INDEX ix_order_customerid ON orders (customerid);
CREATE INDEX ix_cust_hist_customerid ON cust_hist (customerid);
CREATE INDEX ix_prod_category ON products (category);
CREATE INDEX ix_prod_special ON products (special);
CREATE INDEX ix_prod_category_special ON products (category, special);
CREATE FULLTEXT INDEX ix_prod_title ON products (title);
CREATE FULLTEXT INDEX ix_prod_actor ON products (actor);
-- The stock as it was built, for a reset that needs no generator.
INSERT INTO inventory_pristine SELECT prod_id, quan_in_stock, sales FROM inventory;
-- The rows come from one generator and refer to each other as they should; a check would copy the tables once more.
SET SESSION foreign_key_checks = 0;
ALTER TABLE orders ADD CONSTRAINT fk_order_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE SET NULL;
ALTER TABLE orderlines ADD CONSTRAINT fk_orderline_order
    FOREIGN KEY (orderid) REFERENCES orders (orderid) ON DELETE CASCADE;
ALTER TABLE cust_hist ADD CONSTRAINT fk_cust_hist_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE CASCADE;
SET SESSION foreign_key_checks = 1;
