-- Restores the holdings of the accounts ? < ca_id <= ? that runs have traded for: for so many of them that one
-- transaction would need more log than there may be.

DECLARE @after int = ?;
DECLARE @to int = ?;
EXECUTE dbo.restore_holdings @after, @to;
GO
