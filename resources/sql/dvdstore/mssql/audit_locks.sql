-- Holds shared locks on what an audit reads, in the order in which a purchase comes to it, so that neither can be the
-- other's deadlock; they are let go when the transaction ends.

BEGIN TRANSACTION;
DECLARE @held int;
SELECT TOP (1) @held = 1 FROM dbo.orders WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.inventory WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.orderlines WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.cust_hist WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.products WITH (TABLOCK, HOLDLOCK);
SELECT TOP (1) @held = 1 FROM dbo.spindle_store WITH (TABLOCK, HOLDLOCK);
SELECT @held AS held;
