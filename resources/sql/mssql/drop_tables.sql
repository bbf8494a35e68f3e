-- The tables that a build makes in a schema, and nothing else; the trigger goes with its table.

DROP TABLE IF EXISTS $(schema).orderlines
GO
DROP TABLE IF EXISTS $(schema).cust_hist
GO
DROP TABLE IF EXISTS $(schema).orders
GO
DROP TABLE IF EXISTS $(schema).customers
GO
DROP TABLE IF EXISTS $(schema).product_words
GO
DROP TABLE IF EXISTS $(schema).products
GO
DROP TABLE IF EXISTS $(schema).inventory
GO
DROP TABLE IF EXISTS $(schema).inventory_pristine
GO
DROP TABLE IF EXISTS $(schema).categories
GO
DROP TABLE IF EXISTS $(schema).reorder
GO
DROP TABLE IF EXISTS $(schema).spindle_store
GO
