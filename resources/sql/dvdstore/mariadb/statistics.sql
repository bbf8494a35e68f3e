-- After a build and after a reset: what the optimizer goes by.
ANALYZE TABLE customers, orders, orderlines, cust_hist, products, inventory, inventory_pristine, categories, reorder
