-- Tops the stock up, so that the rollback rate stays what it was. What it delivers is never below three, so that it
-- would do nothing a second time where the database lets triggers fire themselves. The hints begin with the few rows of
-- the order: a plan that reads the whole inventory would lock it, and deadlock purchases with each other.

CREATE TRIGGER dbo.restock ON dbo.inventory
AFTER UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF NOT UPDATE(quan_in_stock)
        RETURN;
    IF NOT EXISTS (SELECT 1 FROM inserted AS n WHERE n.quan_in_stock < 3)
        RETURN;
    DECLARE @today date = CAST(SYSUTCDATETIME() AS date);
    INSERT INTO dbo.reorder (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected)
    SELECT n.prod_id, @today, n.quan_in_stock, @today, CASE WHEN n.prod_id % 10000 = 0 THEN 2500 ELSE 250 END, @today
    FROM inserted AS n
    WHERE n.quan_in_stock < 3;
    UPDATE i SET quan_in_stock = CASE WHEN i.prod_id % 10000 = 0 THEN 2500 ELSE 250 END
    FROM inserted AS n
    INNER JOIN dbo.inventory AS i ON i.prod_id = n.prod_id
    WHERE n.quan_in_stock < 3
    OPTION (LOOP JOIN, FORCE ORDER);
END
GO
