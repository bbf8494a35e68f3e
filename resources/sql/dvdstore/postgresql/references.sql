-- References, made when the keys are there; the paragraphs are worked off side by side.

ALTER TABLE cust_hist ADD CONSTRAINT fk_cust_hist_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE CASCADE;
ALTER TABLE orders ADD CONSTRAINT fk_order_customer
    FOREIGN KEY (customerid) REFERENCES customers (customerid) ON DELETE SET NULL;

ALTER TABLE orderlines ADD CONSTRAINT fk_orderline_order
    FOREIGN KEY (orderid) REFERENCES orders (orderid) ON DELETE CASCADE;
