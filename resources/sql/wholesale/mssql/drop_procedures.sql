-- The procedures that a build makes, and nothing else.

DROP PROCEDURE IF EXISTS dbo.new_order
GO
DROP PROCEDURE IF EXISTS dbo.payment
GO
DROP PROCEDURE IF EXISTS dbo.order_status
GO
DROP PROCEDURE IF EXISTS dbo.delivery
GO
DROP PROCEDURE IF EXISTS dbo.stock_level
GO
DROP PROCEDURE IF EXISTS dbo.find_customer
GO
