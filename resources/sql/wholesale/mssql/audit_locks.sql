-- Holds shared locks on what an audit reads, until its transaction ends. After the first two no payment or new order is
-- under way, and the others come in the order of deliveries, so that none of them and the audit deadlock.

BEGIN TRANSACTION;
DECLARE @held int;
SELECT TOP (1) @held = 1 FROM dbo.warehouse WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.district WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.new_order WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.orders WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.order_line WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.customer WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.history WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.spindle_store WITH (TABLOCK, HOLDLOCK);
SELECT @held AS held;
GO
