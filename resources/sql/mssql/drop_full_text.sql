-- What can't be dropped within a transaction; it goes before its table.

IF EXISTS (SELECT 1 FROM sys.fulltext_indexes AS f WHERE f.object_id = OBJECT_ID(N'dbo.products', N'U'))
    DROP FULLTEXT INDEX ON dbo.products
GO
IF EXISTS (SELECT 1 FROM sys.fulltext_catalogs AS c WHERE c.name = N'spindle_catalog')
    DROP FULLTEXT CATALOG spindle_catalog
GO
