-- Holds shared locks on what an audit reads, until its transaction ends, in the order in which transactions come to it:
-- after the first no trade is completed, after the second none is ordered, submitted or changed.

BEGIN TRANSACTION;
DECLARE @held int;
SELECT TOP (1) @held = 1 FROM dbo.customer_account WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.trade WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.holding_summary WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.holding WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.broker WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.spindle_store WITH (TABLOCK, HOLDLOCK);
SELECT @held AS held;
GO
