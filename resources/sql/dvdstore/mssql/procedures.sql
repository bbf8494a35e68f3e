-- What an emulated user calls; batches end at GO. Every procedure answers with exactly one result set and no row
-- counts. NULL is never needed for an argument: what is unused is 0.

-- One row for each product bought before: customerid, title, actor, related_title. A customer who has bought nothing
-- comes back in one row with nulls behind the id; nobody is found in no row. The hints keep one plan, which seeks from row
-- to row, however small the store is when it is first asked and however much the histories grow under the run.
CREATE PROCEDURE dbo.login
    @username varchar(50),
    @password varchar(50)
AS
BEGIN
    SET NOCOUNT ON;
    SELECT c.customerid, bought.title, bought.actor, related.title AS related_title
    FROM dbo.customers AS c
    LEFT JOIN dbo.cust_hist AS h WITH (FORCESEEK) ON h.customerid = c.customerid
    LEFT JOIN dbo.products AS bought WITH (FORCESEEK) ON bought.prod_id = h.prod_id
    LEFT JOIN dbo.products AS related WITH (FORCESEEK) ON related.prod_id = bought.common_prod_id
    WHERE c.username = @username AND c.password = @password
    OPTION (LOOP JOIN, KEEPFIXED PLAN);
END
GO

-- One row, one column: the new customer's id, null when the username is taken. Looking first keeps a taken name from
-- being an error; two who ask for it at the same moment are told apart by the unique index.
CREATE PROCEDURE dbo.new_customer
    @firstname varchar(50),
    @lastname varchar(50),
    @address1 varchar(50),
    @address2 varchar(50),
    @city varchar(50),
    @state varchar(50),
    @zip int,
    @country varchar(50),
    @region smallint,
    @email varchar(50),
    @phone varchar(50),
    @creditcardtype smallint,
    @creditcard varchar(50),
    @creditcardexpiration varchar(50),
    @username varchar(50),
    @password varchar(50),
    @age smallint,
    @income int,
    @gender varchar(1)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @made int = NULL;
    BEGIN TRY
        INSERT INTO dbo.customers (
            firstname, lastname, address1, address2, city, state, zip, country, region, email, phone,
            creditcardtype, creditcard, creditcardexpiration, username, password, age, income, gender
        )
        SELECT
            @firstname, @lastname, @address1, NULLIF(@address2, ''), @city, NULLIF(@state, ''), @zip, @country,
            @region, @email, @phone, @creditcardtype, @creditcard, @creditcardexpiration, @username, @password,
            @age, @income, @gender
        WHERE NOT EXISTS (SELECT 1 FROM dbo.customers AS c WHERE c.username = @username);
        IF @@ROWCOUNT = 1
            SET @made = CAST(SCOPE_IDENTITY() AS int);
    END TRY
    BEGIN CATCH
        IF ERROR_NUMBER() NOT IN (2601, 2627)
            THROW;
    END CATCH;
    SELECT @made AS customerid;
END
GO

-- The three searches answer with: prod_id, category, title, actor, price_cents, special, common_prod_id. Those of titles
-- and actors are in search_full_text.sql, or in search_words.sql where there is no full-text search.
CREATE PROCEDURE dbo.browse_by_category
    @category smallint,
    @batch_size int
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (@batch_size)
        p.prod_id, p.category, p.title, p.actor, CAST(p.price * 100 AS int) AS price_cents, p.special, p.common_prod_id
    FROM dbo.products AS p
    WHERE p.category = @category AND p.special = 1;
END
GO

-- One row for each product of at most ten: prod_id, price_cents. What the store does not have is left out; so is 0.
CREATE PROCEDURE dbo.product_prices
    @prod_id_1 int,
    @prod_id_2 int = 0,
    @prod_id_3 int = 0,
    @prod_id_4 int = 0,
    @prod_id_5 int = 0,
    @prod_id_6 int = 0,
    @prod_id_7 int = 0,
    @prod_id_8 int = 0,
    @prod_id_9 int = 0,
    @prod_id_10 int = 0
AS
BEGIN
    SET NOCOUNT ON;
    SELECT p.prod_id, CAST(p.price * 100 AS int) AS price_cents
    FROM dbo.products AS p
    WHERE p.prod_id IN (
        @prod_id_1, @prod_id_2, @prod_id_3, @prod_id_4, @prod_id_5,
        @prod_id_6, @prod_id_7, @prod_id_8, @prod_id_9, @prod_id_10
    );
END
GO

-- One row, one column: the order's id, null when it was rolled back because a product has too little stock. Amounts
-- are cents. The first @line_count pairs are the cart. Whatever goes wrong leaves nothing of the order behind: an error
-- is caught, for that of a lock's time-out is documented to end its statement alone; a client that gives up waiting is
-- none to catch, and is what XACT_ABORT is for.
CREATE PROCEDURE dbo.purchase
    @customerid int,
    @net_cents int,
    @tax_cents int,
    @total_cents int,
    @line_count int,
    @prod_id_1 int,
    @quantity_1 int,
    @prod_id_2 int = 0,
    @quantity_2 int = 0,
    @prod_id_3 int = 0,
    @quantity_3 int = 0,
    @prod_id_4 int = 0,
    @quantity_4 int = 0,
    @prod_id_5 int = 0,
    @quantity_5 int = 0,
    @prod_id_6 int = 0,
    @quantity_6 int = 0,
    @prod_id_7 int = 0,
    @quantity_7 int = 0,
    @prod_id_8 int = 0,
    @quantity_8 int = 0,
    @prod_id_9 int = 0,
    @quantity_9 int = 0,
    @prod_id_10 int = 0,
    @quantity_10 int = 0
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @today date = CAST(SYSUTCDATETIME() AS date);
    DECLARE @orderid int = NULL;
    DECLARE @line int = 1;
    DECLARE @prod_id int;
    DECLARE @quantity int;
    BEGIN TRY
        BEGIN TRANSACTION;
        INSERT INTO dbo.orders (orderdate, customerid, netamount, tax, totalamount)
        VALUES (
            @today, @customerid, CAST(@net_cents AS numeric(12, 2)) / 100, CAST(@tax_cents AS numeric(12, 2)) / 100,
            CAST(@total_cents AS numeric(12, 2)) / 100
        );
        SET @orderid = CAST(SCOPE_IDENTITY() AS int);
        WHILE @line <= @line_count
        BEGIN
            SET @prod_id = CHOOSE(
                @line, @prod_id_1, @prod_id_2, @prod_id_3, @prod_id_4, @prod_id_5,
                @prod_id_6, @prod_id_7, @prod_id_8, @prod_id_9, @prod_id_10
            );
            SET @quantity = CHOOSE(
                @line, @quantity_1, @quantity_2, @quantity_3, @quantity_4, @quantity_5,
                @quantity_6, @quantity_7, @quantity_8, @quantity_9, @quantity_10
            );
            UPDATE dbo.inventory SET quan_in_stock = quan_in_stock - @quantity, sales = sales + @quantity
            WHERE prod_id = @prod_id AND quan_in_stock >= @quantity;
            IF @@ROWCOUNT = 0
            BEGIN
                ROLLBACK TRANSACTION;
                SELECT CAST(NULL AS int) AS orderid;
                RETURN;
            END;
            INSERT INTO dbo.orderlines (orderlineid, orderid, prod_id, quantity, orderdate)
            VALUES (@line, @orderid, @prod_id, @quantity, @today);
            INSERT INTO dbo.cust_hist (customerid, orderid, prod_id)
            VALUES (@customerid, @orderid, @prod_id);
            SET @line = @line + 1;
        END;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @orderid AS orderid;
END
GO

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
