-- The full-text catalogue, when no index is in it any more.

IF EXISTS (SELECT 1 FROM sys.fulltext_catalogs AS c WHERE c.name = N'spindle_catalog')
    DROP FULLTEXT CATALOG spindle_catalog
GO
