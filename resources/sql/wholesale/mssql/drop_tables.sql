-- The tables that a build makes in a schema, and nothing else.

DROP TABLE IF EXISTS $(schema).order_line
GO
DROP TABLE IF EXISTS $(schema).new_order
GO
DROP TABLE IF EXISTS $(schema).orders
GO
DROP TABLE IF EXISTS $(schema).history
GO
DROP TABLE IF EXISTS $(schema).customer
GO
DROP TABLE IF EXISTS $(schema).customer_pristine
GO
DROP TABLE IF EXISTS $(schema).stock
GO
DROP TABLE IF EXISTS $(schema).stock_pristine
GO
DROP TABLE IF EXISTS $(schema).district
GO
DROP TABLE IF EXISTS $(schema).warehouse
GO
DROP TABLE IF EXISTS $(schema).item
GO
