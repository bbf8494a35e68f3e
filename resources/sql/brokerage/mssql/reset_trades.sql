-- Removes the trades of ? < t_id <= ? with all dependent rows, in one transaction, together with their part of the
-- brokers' totals and the accounts' balances.

DECLARE @after int = ?;
DECLARE @to int = ?;
BEGIN TRANSACTION;
EXECUTE dbo.remove_trades @after, @to;
COMMIT TRANSACTION;
GO
