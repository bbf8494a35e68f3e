-- The full-text index, which can't be dropped within a transaction; it goes before its table.

IF EXISTS (SELECT 1 FROM sys.fulltext_indexes AS f WHERE f.object_id = OBJECT_ID(N'$(schema).$(table)', N'U'))
    DROP FULLTEXT INDEX ON $(schema).$(table)
GO
