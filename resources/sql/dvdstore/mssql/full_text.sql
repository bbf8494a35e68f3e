-- The full-text catalogue and index, each in a batch and outside of any transaction, as SQL Server wants it. Neutral
-- language and no stop words: every title and name is found by its own words, unchanged, on a server of any language.
-- The catalogue is there already when the store is to replace another one, whose index is in it too.

IF NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs AS c WHERE c.name = N'spindle_catalog')
    CREATE FULLTEXT CATALOG spindle_catalog WITH ACCENT_SENSITIVITY = ON
GO
CREATE FULLTEXT INDEX ON $(schema).products (title LANGUAGE 0x0, actor LANGUAGE 0x0)
    KEY INDEX products_pkey
    ON (spindle_catalog, FILEGROUP $(indexes))
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = OFF)
GO
