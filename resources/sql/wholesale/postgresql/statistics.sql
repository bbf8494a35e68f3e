-- After a build and after a reset: the pages marked as visible to all, and what the planner uses.

VACUUM (ANALYZE) warehouse, district, customer, orders, new_order, history, item;

VACUUM (ANALYZE) order_line, stock;
