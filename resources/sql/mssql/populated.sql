-- How far the full-text index is, in one row: status (0 idle, 5 throttled or paused, 6 failed), whether fragments are
-- still merged, changes yet to come, rows indexed, rows that could not be, and
-- whether the last population that began has come to its end.

SELECT
    CAST(OBJECTPROPERTYEX(OBJECT_ID(N'$(schema).$(table)'), N'TableFulltextPopulateStatus') AS int) AS status,
    CAST(OBJECTPROPERTYEX(OBJECT_ID(N'$(schema).$(table)'), N'TableFullTextMergeStatus') AS int) AS merging,
    CAST(OBJECTPROPERTYEX(OBJECT_ID(N'$(schema).$(table)'), N'TableFulltextPendingChanges') AS int) AS pending,
    CAST(OBJECTPROPERTYEX(OBJECT_ID(N'$(schema).$(table)'), N'TableFulltextItemCount') AS int) AS items,
    CAST(OBJECTPROPERTYEX(OBJECT_ID(N'$(schema).$(table)'), N'TableFulltextFailCount') AS int) AS failed,
    CAST((
        SELECT COUNT(*) FROM sys.fulltext_indexes AS f
        WHERE f.object_id = OBJECT_ID(N'$(schema).$(table)')
            AND f.has_crawl_completed = 1 AND f.crawl_end_date IS NOT NULL
    ) AS int) AS has_completed
GO
