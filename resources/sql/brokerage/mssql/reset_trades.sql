-- Removes the trades of ? < t_id <= ? with all that follows from them. It is one transaction: what a broker counts and an
-- account's balance change with the trades that they are made of.

DECLARE @after int = ?;
DECLARE @to int = ?;
BEGIN TRANSACTION;
EXECUTE dbo.remove_trades @after, @to;
COMMIT TRANSACTION;
GO
