-- After a build and after a reset: what the optimizer uses.
ANALYZE TABLE warehouse, district, customer, history, orders, new_order, order_line, item, stock
