-- Tops the stock up, so that the rollback rate stays what it was. What it delivers is never below three, so that it
-- would do nothing a second time where the database lets triggers fire themselves.

CREATE TRIGGER dbo.restock ON dbo.inventory
AFTER UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF NOT EXISTS (SELECT 1 FROM inserted AS n WHERE n.quan_in_stock < 3)
        RETURN;
    DECLARE @today date = CAST(SYSUTCDATETIME() AS date);
    INSERT INTO dbo.reorder (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected)
    SELECT n.prod_id, @today, n.quan_in_stock, @today, CASE WHEN n.prod_id % 10000 = 0 THEN 2500 ELSE 250 END, @today
    FROM inserted AS n
    WHERE n.quan_in_stock < 3;
    UPDATE i SET quan_in_stock = CASE WHEN i.prod_id % 10000 = 0 THEN 2500 ELSE 250 END
    FROM dbo.inventory AS i
    INNER JOIN inserted AS n ON n.prod_id = i.prod_id
    WHERE n.quan_in_stock < 3;
END
GO
