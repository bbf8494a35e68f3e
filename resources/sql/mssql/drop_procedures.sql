-- The procedures that a build makes, and nothing else.

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
