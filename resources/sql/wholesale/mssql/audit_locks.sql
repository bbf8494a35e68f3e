-- Holds shared locks on what an audit reads, until its transaction ends. After the first two locks no payment or new
-- order is in progress; the others are taken in the order of deliveries, so that these and the audit do not deadlock.

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
