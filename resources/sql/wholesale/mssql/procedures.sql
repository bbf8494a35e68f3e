-- The five transactions (TPC-C specification, clauses 2.4 to 2.8), each one call; batches end at GO. Every procedure
-- answers with exactly one result set and no row counts. Amounts come and go as whole cents. A failed transaction is
-- always rolled back: errors are caught, and XACT_ABORT covers clients that stop waiting.

-- The customer's number: @c_id, or where that is 0 the middle one by first name of those with a last name. Only the
-- index of names is read, whose rows no transaction changes, so that there are no waits.
CREATE PROCEDURE dbo.find_customer
    @w_id int,
    @d_id smallint,
    @c_id int,
    @c_last varchar(16),
    @found int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET @found = @c_id;
    IF @c_id = 0
    BEGIN
        DECLARE @before int;
        SELECT @before = (COUNT(*) - 1) / 2 FROM dbo.customer AS c WITH (INDEX (ix_customer_name))
        WHERE c.c_w_id = @w_id AND c.c_d_id = @d_id AND c.c_last = @c_last;
        SELECT @found = c.c_id FROM dbo.customer AS c WITH (INDEX (ix_customer_name))
        WHERE c.c_w_id = @w_id AND c.c_d_id = @d_id AND c.c_last = @c_last
        ORDER BY c.c_first, c.c_id
        OFFSET @before ROWS FETCH NEXT 1 ROWS ONLY;
    END;
END
GO

-- One row, one column: the number of the order, null if it was rolled back because an item does not exist, which
-- one order in a hundred asks for on purpose. The first @line_count of the fifteen lines are ordered; they come in the
-- order of their stock rows, so that orders of the same items wait, and don't deadlock. A procedure can't have the name of
-- the table new_order.
CREATE PROCEDURE dbo.place_order
    @w_id int,
    @d_id smallint,
    @c_id int,
    @line_count int,
    @supplier_1 int,
    @item_1 int,
    @quantity_1 int,
    @supplier_2 int,
    @item_2 int,
    @quantity_2 int,
    @supplier_3 int,
    @item_3 int,
    @quantity_3 int,
    @supplier_4 int,
    @item_4 int,
    @quantity_4 int,
    @supplier_5 int,
    @item_5 int,
    @quantity_5 int,
    @supplier_6 int = 0,
    @item_6 int = 0,
    @quantity_6 int = 0,
    @supplier_7 int = 0,
    @item_7 int = 0,
    @quantity_7 int = 0,
    @supplier_8 int = 0,
    @item_8 int = 0,
    @quantity_8 int = 0,
    @supplier_9 int = 0,
    @item_9 int = 0,
    @quantity_9 int = 0,
    @supplier_10 int = 0,
    @item_10 int = 0,
    @quantity_10 int = 0,
    @supplier_11 int = 0,
    @item_11 int = 0,
    @quantity_11 int = 0,
    @supplier_12 int = 0,
    @item_12 int = 0,
    @quantity_12 int = 0,
    @supplier_13 int = 0,
    @item_13 int = 0,
    @quantity_13 int = 0,
    @supplier_14 int = 0,
    @item_14 int = 0,
    @quantity_14 int = 0,
    @supplier_15 int = 0,
    @item_15 int = 0,
    @quantity_15 int = 0
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @o_id int = NULL;
    DECLARE @line int = 1;
    DECLARE @item int;
    DECLARE @supplier int;
    DECLARE @quantity int;
    DECLARE @price numeric(5, 2);
    DECLARE @info char(24);
    DECLARE @rate numeric(4, 4);
    BEGIN TRY
        BEGIN TRANSACTION;
        SELECT @rate = w.w_tax FROM dbo.warehouse AS w WHERE w.w_id = @w_id;
        UPDATE dbo.district SET @o_id = d_next_o_id, d_next_o_id = d_next_o_id + 1
        WHERE d_w_id = @w_id AND d_id = @d_id;
        SELECT @rate = c.c_discount FROM dbo.customer AS c
        WHERE c.c_w_id = @w_id AND c.c_d_id = @d_id AND c.c_id = @c_id;
        INSERT INTO dbo.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
        VALUES (
            @w_id, @d_id, @o_id, @c_id, SYSUTCDATETIME(), NULL, @line_count,
            CASE
                WHEN @supplier_1 IN (@w_id, 0) AND @supplier_2 IN (@w_id, 0) AND @supplier_3 IN (@w_id, 0)
                AND @supplier_4 IN (@w_id, 0) AND @supplier_5 IN (@w_id, 0) AND @supplier_6 IN (@w_id, 0)
                AND @supplier_7 IN (@w_id, 0) AND @supplier_8 IN (@w_id, 0) AND @supplier_9 IN (@w_id, 0)
                AND @supplier_10 IN (@w_id, 0) AND @supplier_11 IN (@w_id, 0) AND @supplier_12 IN (@w_id, 0)
                AND @supplier_13 IN (@w_id, 0) AND @supplier_14 IN (@w_id, 0) AND @supplier_15 IN (@w_id, 0) THEN 1
                ELSE 0
            END
        );
        INSERT INTO dbo.new_order (no_w_id, no_d_id, no_o_id) VALUES (@w_id, @d_id, @o_id);
        WHILE @line <= @line_count
        BEGIN
            SET @item = CHOOSE(
                @line, @item_1, @item_2, @item_3, @item_4, @item_5,
                @item_6, @item_7, @item_8, @item_9, @item_10,
                @item_11, @item_12, @item_13, @item_14, @item_15
            );
            SET @supplier = CHOOSE(
                @line, @supplier_1, @supplier_2, @supplier_3, @supplier_4, @supplier_5,
                @supplier_6, @supplier_7, @supplier_8, @supplier_9, @supplier_10,
                @supplier_11, @supplier_12, @supplier_13, @supplier_14, @supplier_15
            );
            SET @quantity = CHOOSE(
                @line, @quantity_1, @quantity_2, @quantity_3, @quantity_4, @quantity_5,
                @quantity_6, @quantity_7, @quantity_8, @quantity_9, @quantity_10,
                @quantity_11, @quantity_12, @quantity_13, @quantity_14, @quantity_15
            );
            SET @price = NULL;
            SELECT @price = i.i_price FROM dbo.item AS i WHERE i.i_id = @item;
            IF @price IS NULL
            BEGIN
                ROLLBACK TRANSACTION;
                SELECT CAST(NULL AS int) AS o_id;
                RETURN;
            END;
            SET @info = NULL;
            UPDATE dbo.stock SET
                @info = CHOOSE(
                    @d_id, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,
                    s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10
                ),
                s_quantity = s_quantity - @quantity + CASE WHEN s_quantity >= @quantity + 10 THEN 0 ELSE 91 END,
                s_ytd = s_ytd + @quantity,
                s_order_cnt = s_order_cnt + 1,
                s_remote_cnt = s_remote_cnt + CASE WHEN @supplier = @w_id THEN 0 ELSE 1 END
            WHERE s_w_id = @supplier AND s_i_id = @item;
            INSERT INTO dbo.order_line (
                ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount,
                ol_dist_info
            )
            VALUES (@w_id, @d_id, @o_id, @line, @item, @supplier, NULL, @quantity, @quantity * @price, @info);
            SET @line = @line + 1;
        END;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @o_id AS o_id;
END
GO

-- One row, one column: the customer who has paid, by number, or by last name where @c_id is 0.
CREATE PROCEDURE dbo.payment
    @w_id int,
    @d_id smallint,
    @c_w_id int,
    @c_d_id smallint,
    @c_id int,
    @c_last varchar(16),
    @cents int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @payer int;
    DECLARE @amount numeric(6, 2) = CAST(@cents AS numeric(12, 2)) / 100;
    DECLARE @w_name varchar(10);
    DECLARE @d_name varchar(10);
    BEGIN TRY
        BEGIN TRANSACTION;
        EXECUTE dbo.find_customer @c_w_id, @c_d_id, @c_id, @c_last, @payer OUTPUT;
        UPDATE dbo.warehouse SET @w_name = w_name, w_ytd = w_ytd + @amount WHERE w_id = @w_id;
        UPDATE dbo.district SET @d_name = d_name, d_ytd = d_ytd + @amount WHERE d_w_id = @w_id AND d_id = @d_id;
        UPDATE dbo.customer SET
            c_balance = c_balance - @amount,
            c_ytd_payment = c_ytd_payment + @amount,
            c_payment_cnt = c_payment_cnt + 1,
            c_data = CASE
                WHEN c_credit = 'BC' THEN LEFT(
                    CONCAT(
                        @payer, ' ', @c_d_id, ' ', @c_w_id, ' ', @d_id, ' ', @w_id, ' ', @amount, ' ', c_data
                    ), 500
                )
                ELSE c_data
            END
        WHERE c_w_id = @c_w_id AND c_d_id = @c_d_id AND c_id = @payer;
        INSERT INTO dbo.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
        VALUES (
            @payer, @c_d_id, @c_w_id, @d_id, @w_id, SYSUTCDATETIME(), @amount, CONCAT(@w_name, '    ', @d_name)
        );
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @payer AS c_id;
END
GO

-- A row for each line of the customer's last order: o_id, i_id, supply_w_id, quantity, amount_cents.
CREATE PROCEDURE dbo.order_status
    @w_id int,
    @d_id smallint,
    @c_id int,
    @c_last varchar(16)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @buyer int;
    DECLARE @last_order int;
    DECLARE @balance numeric(12, 2);
    EXECUTE dbo.find_customer @w_id, @d_id, @c_id, @c_last, @buyer OUTPUT;
    SELECT @balance = c.c_balance FROM dbo.customer AS c
    WHERE c.c_w_id = @w_id AND c.c_d_id = @d_id AND c.c_id = @buyer;
    SELECT @last_order = MAX(o.o_id) FROM dbo.orders AS o
    WHERE o.o_w_id = @w_id AND o.o_d_id = @d_id AND o.o_c_id = @buyer;
    SELECT
        l.ol_o_id AS o_id, l.ol_i_id AS i_id, l.ol_supply_w_id AS supply_w_id, l.ol_quantity AS quantity,
        CAST(l.ol_amount * 100 AS int) AS amount_cents
    FROM dbo.order_line AS l
    WHERE l.ol_w_id = @w_id AND l.ol_d_id = @d_id AND l.ol_o_id = @last_order;
END
GO

-- One row, one column: how many districts of the warehouse had an order to deliver. The oldest of each is delivered,
-- all in one transaction. The update lock on its row lets a second delivery wait for the first, and go on to the next
-- order; a lock of the range would make new orders of the district before wait as well.
CREATE PROCEDURE dbo.delivery
    @w_id int,
    @carrier_id smallint
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @d_id smallint = 1;
    DECLARE @delivered int = 0;
    DECLARE @o_id int;
    DECLARE @buyer int;
    DECLARE @total numeric(12, 2);
    BEGIN TRY
        BEGIN TRANSACTION;
        WHILE @d_id <= 10
        BEGIN
            SET @o_id = NULL;
            SELECT TOP (1) @o_id = n.no_o_id
            FROM dbo.new_order AS n WITH (UPDLOCK, ROWLOCK)
            WHERE n.no_w_id = @w_id AND n.no_d_id = @d_id
            ORDER BY n.no_o_id;
            IF @o_id IS NOT NULL
            BEGIN
                DELETE FROM dbo.new_order WHERE no_w_id = @w_id AND no_d_id = @d_id AND no_o_id = @o_id;
                UPDATE dbo.orders SET @buyer = o_c_id, o_carrier_id = @carrier_id
                WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_id = @o_id;
                UPDATE dbo.order_line SET ol_delivery_d = SYSUTCDATETIME()
                WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id;
                SELECT @total = SUM(l.ol_amount) FROM dbo.order_line AS l
                WHERE l.ol_w_id = @w_id AND l.ol_d_id = @d_id AND l.ol_o_id = @o_id;
                UPDATE dbo.customer SET c_balance = c_balance + @total, c_delivery_cnt = c_delivery_cnt + 1
                WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @buyer;
                SET @delivered = @delivered + 1;
            END;
            SET @d_id = @d_id + 1;
        END;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @delivered AS delivered;
END
GO

-- One row, one column: how many of the items of the district's last 20 orders have a stock below the threshold. The
-- hints keep one plan, which seeks from the district to its lines and their stock, whatever the statistics say of lines
-- that are newer than they.
CREATE PROCEDURE dbo.stock_level
    @w_id int,
    @d_id smallint,
    @threshold int
AS
BEGIN
    SET NOCOUNT ON;
    SELECT COUNT(DISTINCT l.ol_i_id) AS low_stock
    FROM dbo.district AS d
    INNER JOIN dbo.order_line AS l WITH (FORCESEEK) ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id
        AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id
    INNER JOIN dbo.stock AS s WITH (FORCESEEK) ON s.s_w_id = d.d_w_id AND s.s_i_id = l.ol_i_id
    WHERE d.d_w_id = @w_id AND d.d_id = @d_id AND s.s_quantity < @threshold
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END
GO
