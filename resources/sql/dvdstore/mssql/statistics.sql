-- What the optimizer goes by: a sample of 18 per cent of each table, after a build and after a reset by rows.

UPDATE STATISTICS $(schema).categories WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).products WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).inventory WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).customers WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).orders WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).orderlines WITH SAMPLE 18 PERCENT
GO
UPDATE STATISTICS $(schema).cust_hist WITH SAMPLE 18 PERCENT
GO
