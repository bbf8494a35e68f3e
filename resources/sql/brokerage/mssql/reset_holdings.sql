-- Restores the holdings of the accounts ? < ca_id <= ? that runs have traded for, in ranges, since a single transaction
-- could need more log than there is.

DECLARE @after int = ?;
DECLARE @to int = ?;
EXECUTE dbo.restore_holdings @after, @to;
GO
