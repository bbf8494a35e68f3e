-- Removes the payments of ? < h_id <= ? that runs have added.

DECLARE @after bigint = ?;
DECLARE @to bigint = ?;
DELETE FROM dbo.history WITH (TABLOCKX) WHERE h_id > @after AND h_id <= @to;
GO
