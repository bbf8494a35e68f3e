-- Everything that a build makes, and nothing else; the trigger goes with its table.

DROP PROCEDURE IF EXISTS dbo.purchase
GO
DROP PROCEDURE IF EXISTS dbo.product_prices
GO
DROP PROCEDURE IF EXISTS dbo.browse_by_title
GO
DROP PROCEDURE IF EXISTS dbo.browse_by_actor
GO
DROP PROCEDURE IF EXISTS dbo.browse_by_category
GO
DROP PROCEDURE IF EXISTS dbo.new_customer
GO
DROP PROCEDURE IF EXISTS dbo.login
GO
DROP TABLE IF EXISTS dbo.orderlines
GO
DROP TABLE IF EXISTS dbo.cust_hist
GO
DROP TABLE IF EXISTS dbo.orders
GO
DROP TABLE IF EXISTS dbo.customers
GO
DROP TABLE IF EXISTS dbo.products
GO
DROP TABLE IF EXISTS dbo.inventory
GO
DROP TABLE IF EXISTS dbo.inventory_pristine
GO
DROP TABLE IF EXISTS dbo.categories
GO
DROP TABLE IF EXISTS dbo.reorder
GO
DROP TABLE IF EXISTS dbo.spindle_store
GO
