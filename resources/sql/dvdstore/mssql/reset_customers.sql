-- Takes away the customers of ? < customerid <= ? that runs have added, when their orders are gone.

DECLARE @after int = ?;
DECLARE @to int = ?;
DELETE FROM dbo.customers WITH (TABLOCKX) WHERE customerid > @after AND customerid <= @to;
GO
