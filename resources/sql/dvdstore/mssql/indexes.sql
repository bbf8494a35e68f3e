-- Indexes and references, made when the rows are in: one batch each, so that progress can be shown.

CREATE UNIQUE NONCLUSTERED INDEX ix_cust_username ON $(schema).customers (username) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_cust_username_password ON $(schema).customers (username, password) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_order_customerid ON $(schema).orders (customerid) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_cust_hist_customerid ON $(schema).cust_hist (customerid) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_prod_category ON $(schema).products (category) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_prod_special ON $(schema).products (special) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_prod_category_special ON $(schema).products (category, special) ON $(indexes)
GO
ALTER TABLE $(schema).orders WITH CHECK ADD CONSTRAINT fk_order_customer
    FOREIGN KEY (customerid) REFERENCES $(schema).customers (customerid) ON DELETE SET NULL
GO
ALTER TABLE $(schema).orderlines WITH CHECK ADD CONSTRAINT fk_orderline_order
    FOREIGN KEY (orderid) REFERENCES $(schema).orders (orderid) ON DELETE CASCADE
GO
ALTER TABLE $(schema).cust_hist WITH CHECK ADD CONSTRAINT fk_cust_hist_customer
    FOREIGN KEY (customerid) REFERENCES $(schema).customers (customerid) ON DELETE CASCADE
GO
-- The stock as it was built, for a reset that needs neither generator nor backup.
INSERT INTO $(schema).inventory_pristine WITH (TABLOCK) (prod_id, quan_in_stock, sales)
SELECT i.prod_id, i.quan_in_stock, i.sales FROM $(schema).inventory AS i
GO
