-- After a build and after a reset: the pages marked as visible to all, and what the planner goes by.

VACUUM (ANALYZE) customers, orders, categories;

VACUUM (ANALYZE) orderlines, cust_hist, products, inventory, inventory_pristine, reorder;
