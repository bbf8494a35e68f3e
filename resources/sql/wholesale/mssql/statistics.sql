-- The optimizer's statistics from a sample of 18 per cent of each table, after a build and after a reset by rows.

UPDATE STATISTICS $(schema).item WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).warehouse WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).district WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).stock WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).customer WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).history WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).orders WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).new_order WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).order_line WITH SAMPLE 18 PERCENT
GO
