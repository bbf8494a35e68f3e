-- Takes away what runs have added, or what is left of it, and gives the stock back, all in one transaction. $(customers)
-- and $(orders) are the built counts. The identities are put back after everything that could
-- fail.

DELETE FROM dbo.cust_hist WITH (TABLOCKX) WHERE orderid > $(orders)
GO
DELETE FROM dbo.orderlines WITH (TABLOCKX) WHERE orderid > $(orders)
GO
DELETE FROM dbo.orders WITH (TABLOCKX) WHERE orderid > $(orders)
GO
DELETE FROM dbo.customers WITH (TABLOCKX) WHERE customerid > $(customers)
GO
TRUNCATE TABLE dbo.reorder
GO
TRUNCATE TABLE dbo.inventory
GO
INSERT INTO dbo.inventory WITH (TABLOCK) (prod_id, quan_in_stock, sales)
SELECT p.prod_id, p.quan_in_stock, p.sales FROM dbo.inventory_pristine AS p
GO
DBCC CHECKIDENT (N'dbo.customers', RESEED, $(customers)) WITH NO_INFOMSGS
GO
DBCC CHECKIDENT (N'dbo.orders', RESEED, $(orders)) WITH NO_INFOMSGS
GO
