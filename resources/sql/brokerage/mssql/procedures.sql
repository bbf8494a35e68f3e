-- The transactions of Brokerage (TPC-E specification, clause 3.3), each one call; batches end at GO. Every procedure
-- answers with exactly one result set and no row counts. Amounts come and go as whole cents. A failed transaction is
-- always rolled back: errors are caught, and XACT_ABORT covers clients that stop waiting.
--
-- The levels of isolation are the specification's: READ COMMITTED, which a session has, is its level 1, REPEATABLE READ
-- level 2 and SERIALIZABLE level 3; what a procedure sets ends with it. Rows that several transactions change are
-- locked in one order: account, securities by symbol, broker. Brokers' names are read only from the index of names,
-- whose rows no transaction changes; otherwise orders and results of one broker's accounts would wait for each other.
-- Hints keep plans from scanning trade_request, which is empty when a run begins.

-- The numbers of the trades of runs; those of the trades before the first run are smaller in every store.
CREATE SEQUENCE dbo.trade_number AS int START WITH 1000000001 CACHE 1000;
GO

-- One row: the number of the trade and its price; nulls if it was rolled back, which one order in a hundred asks for on
-- purpose, or if the executor has no permission. Market orders are submitted at once; limit orders wait for their
-- price, which is a percentage of the market's. The value of all holdings is read before the security's price, with
-- locks that are released at once: a Market-Feed may be changing several of their prices.
CREATE PROCEDURE dbo.trade_order
    @ca_id int,
    @exec_tax_id varchar(20),
    @symbol varchar(7),
    @co_name varchar(60),
    @issue varchar(6),
    @tt_id varchar(3),
    @quantity int,
    @limit_percent int,
    @is_lifo smallint,
    @is_margin smallint,
    @is_rolled_back smallint
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    DECLARE @now datetime2(6) = SYSUTCDATETIME();
    DECLARE @owner int;
    DECLARE @broker int;
    DECLARE @broker_name varchar(49);
    DECLARE @balance numeric(12, 2);
    DECLARE @tax_status smallint;
    DECLARE @tier smallint;
    DECLARE @owner_tax_id varchar(20);
    DECLARE @executor varchar(49);
    DECLARE @share varchar(7);
    DECLARE @exchange varchar(6);
    DECLARE @company varchar(60);
    DECLARE @assets numeric(15, 2);
    DECLARE @price numeric(12, 2);
    DECLARE @is_sell smallint;
    DECLARE @is_market smallint;
    DECLARE @requested numeric(12, 2);
    DECLARE @held int;
    DECLARE @bought numeric(15, 2);
    DECLARE @sold numeric(15, 2);
    DECLARE @taxes numeric(15, 2);
    DECLARE @rate numeric(12, 2);
    DECLARE @charge numeric(12, 2);
    DECLARE @state varchar(4);
    DECLARE @t_id int;
    BEGIN TRY
        BEGIN TRANSACTION;
        SELECT @owner = a.ca_c_id, @broker = a.ca_b_id, @balance = a.ca_bal, @tax_status = a.ca_tax_st
        FROM dbo.customer_account AS a WHERE a.ca_id = @ca_id;
        SELECT @executor = CONCAT(c.c_f_name, ' ', c.c_l_name), @owner_tax_id = c.c_tax_id, @tier = c.c_tier
        FROM dbo.customer AS c WHERE c.c_id = @owner;
        IF @exec_tax_id <> @owner_tax_id
        BEGIN
            SET @executor = NULL;
            SELECT @executor = CONCAT(p.ap_f_name, ' ', p.ap_l_name) FROM dbo.account_permission AS p
            WHERE p.ap_ca_id = @ca_id AND p.ap_tax_id = @exec_tax_id;
            IF @executor IS NULL
            BEGIN
                ROLLBACK TRANSACTION;
                SELECT CAST(NULL AS int) AS t_id, CAST(NULL AS bigint) AS price_cents;
                RETURN;
            END;
        END;
        IF @symbol = ''
            SELECT @share = s.s_symb, @exchange = s.s_ex_id
            FROM dbo.company AS c
            INNER JOIN dbo.security AS s ON s.s_co_id = c.co_id
            WHERE c.co_name = @co_name AND s.s_issue = @issue;
        ELSE
            SELECT @share = s.s_symb, @exchange = s.s_ex_id, @company = c.co_name
            FROM dbo.security AS s
            INNER JOIN dbo.company AS c ON c.co_id = s.s_co_id
            WHERE s.s_symb = @symbol;
        IF @is_margin = 1
            SELECT @assets = @balance + COALESCE(SUM(h.hs_qty * l.lt_price), 0)
            FROM dbo.holding_summary AS h
            INNER JOIN dbo.last_trade AS l WITH (READCOMMITTED) ON l.lt_s_symb = h.hs_s_symb
            WHERE h.hs_ca_id = @ca_id;
        SELECT @price = l.lt_price FROM dbo.last_trade AS l WHERE l.lt_s_symb = @share;
        SELECT @is_sell = k.tt_is_sell, @is_market = k.tt_is_mrkt FROM dbo.trade_type AS k WHERE k.tt_id = @tt_id;
        SET @requested = CASE WHEN @is_market = 1 THEN @price ELSE ROUND(@price * @limit_percent / 100, 2) END;
        SELECT @held = h.hs_qty FROM dbo.holding_summary AS h WHERE h.hs_ca_id = @ca_id AND h.hs_s_symb = @share;
        -- The estimated gain of the trade, from the parts of the lots that it would close.
        IF @held * CASE WHEN @is_sell = 1 THEN 1 ELSE -1 END > 0
            SELECT
                @bought = SUM(closed.part * CASE WHEN @is_sell = 1 THEN closed.h_price ELSE @requested END),
                @sold = SUM(closed.part * CASE WHEN @is_sell = 1 THEN @requested ELSE closed.h_price END)
            FROM (
                SELECT
                    lot.h_price,
                    CASE WHEN lot.size < @quantity - lot.before THEN lot.size ELSE @quantity - lot.before END AS part
                FROM (
                    SELECT
                        h.h_price,
                        ABS(h.h_qty) AS size,
                        COALESCE(
                            SUM(ABS(h.h_qty)) OVER (
                                ORDER BY CASE WHEN @is_lifo = 1 THEN h.h_dts END DESC, h.h_dts
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                            ), 0
                        ) AS before
                    FROM dbo.holding AS h WHERE h.h_ca_id = @ca_id AND h.h_s_symb = @share
                ) AS lot
                WHERE lot.before < @quantity
            ) AS closed;
        IF @sold > @bought AND @tax_status IN (1, 2)
            SELECT @taxes = (@sold - @bought) * CAST(SUM(r.tx_rate) AS numeric(9, 4))
            FROM dbo.customer_taxrate AS x
            INNER JOIN dbo.taxrate AS r ON r.tx_id = x.cx_tx_id
            WHERE x.cx_c_id = @owner;
        SELECT @rate = r.cr_rate FROM dbo.commission_rate AS r
        WHERE r.cr_c_tier = @tier AND r.cr_tt_id = @tt_id AND r.cr_ex_id = @exchange
            AND r.cr_from_qty <= @quantity AND r.cr_to_qty >= @quantity;
        SELECT @charge = c.ch_chrg FROM dbo.charge AS c WHERE c.ch_tt_id = @tt_id AND c.ch_c_tier = @tier;
        SELECT @broker_name = b.b_name FROM dbo.broker AS b WITH (INDEX (ix_broker_name)) WHERE b.b_id = @broker;
        SET @state = CASE WHEN @is_market = 1 THEN 'SBMT' ELSE 'PNDG' END;
        SET @t_id = NEXT VALUE FOR dbo.trade_number;
        INSERT INTO dbo.trade (
            t_id, t_dts, t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id, t_exec_name,
            t_trade_price, t_chrg, t_comm, t_tax, t_lifo
        )
        VALUES (
            @t_id, @now, @state, @tt_id, 1 - @is_margin, @share, @quantity, @requested, @ca_id, @executor,
            NULL, @charge, ROUND(@quantity * @requested * @rate / 100, 2), 0, @is_lifo
        );
        IF @is_market = 0
            INSERT INTO dbo.trade_request (tr_t_id, tr_tt_id, tr_s_symb, tr_qty, tr_bid_price, tr_b_id)
            VALUES (@t_id, @tt_id, @share, @quantity, @requested, @broker);
        INSERT INTO dbo.trade_history (th_t_id, th_dts, th_st_id) VALUES (@t_id, @now, @state);
        IF @is_rolled_back = 1
        BEGIN
            ROLLBACK TRANSACTION;
            SELECT CAST(NULL AS int) AS t_id, CAST(NULL AS bigint) AS price_cents;
            RETURN;
        END;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @t_id AS t_id, CAST(@requested * 100 AS bigint) AS price_cents;
END
GO

-- One row, one column: the account of a submitted trade that was completed at a price; null if the trade is not in the
-- state submitted, for instance because it was completed before. The account's row is locked first, so that two results
-- of one account wait for each other; its broker's comes last, for many accounts share it.
CREATE PROCEDURE dbo.trade_result
    @t_id int,
    @price_cents int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    DECLARE @now datetime2(6) = SYSUTCDATETIME();
    DECLARE @price numeric(12, 2) = CAST(@price_cents AS numeric(12, 2)) / 100;
    DECLARE @ca_id int;
    DECLARE @owner int;
    DECLARE @broker int;
    DECLARE @tax_status smallint;
    DECLARE @tt_id varchar(3);
    DECLARE @symbol varchar(7);
    DECLARE @quantity int;
    DECLARE @is_cash smallint;
    DECLARE @is_lifo smallint;
    DECLARE @charge numeric(12, 2);
    DECLARE @direction int;
    DECLARE @held int;
    DECLARE @after int;
    DECLARE @needed int;
    DECLARE @lot int;
    DECLARE @lot_quantity int;
    DECLARE @lot_price numeric(12, 2);
    DECLARE @part int;
    DECLARE @bought numeric(15, 2) = 0;
    DECLARE @sold numeric(15, 2) = 0;
    DECLARE @taxes numeric(12, 2) = 0;
    DECLARE @commission numeric(12, 2);
    DECLARE @amount numeric(12, 2);
    BEGIN TRY
        BEGIN TRANSACTION;
        SELECT @ca_id = t.t_ca_id FROM dbo.trade AS t WITH (READCOMMITTED) WHERE t.t_id = @t_id;
        SELECT @owner = a.ca_c_id, @broker = a.ca_b_id, @tax_status = a.ca_tax_st
        FROM dbo.customer_account AS a WITH (XLOCK, ROWLOCK) WHERE a.ca_id = @ca_id;
        SELECT
            @tt_id = t.t_tt_id, @symbol = t.t_s_symb, @quantity = t.t_qty, @is_cash = t.t_is_cash, @is_lifo = t.t_lifo,
            @charge = t.t_chrg
        FROM dbo.trade AS t WITH (UPDLOCK, ROWLOCK) WHERE t.t_id = @t_id AND t.t_st_id = 'SBMT';
        IF @tt_id IS NULL
        BEGIN
            ROLLBACK TRANSACTION;
            SELECT CAST(NULL AS int) AS ca_id;
            RETURN;
        END;
        SELECT @direction = CASE WHEN k.tt_is_sell = 1 THEN -1 ELSE 1 END
        FROM dbo.trade_type AS k WHERE k.tt_id = @tt_id;
        SELECT @held = s.hs_qty FROM dbo.holding_summary AS s WITH (UPDLOCK, ROWLOCK)
        WHERE s.hs_ca_id = @ca_id AND s.hs_s_symb = @symbol;
        SET @after = COALESCE(@held, 0) + @direction * @quantity;
        SET @needed = @quantity;
        IF @held IS NULL
            INSERT INTO dbo.holding_summary (hs_ca_id, hs_s_symb, hs_qty) VALUES (@ca_id, @symbol, @after);
        ELSE
            UPDATE dbo.holding_summary SET hs_qty = @after WHERE hs_ca_id = @ca_id AND hs_s_symb = @symbol;
        -- A lot that is used up is deleted, so that the next one comes first; the last one may be used partly.
        WHILE @needed > 0 AND @held * @direction < 0
        BEGIN
            SET @lot = NULL;
            SELECT TOP (1) @lot = h.h_t_id, @lot_quantity = h.h_qty, @lot_price = h.h_price
            FROM dbo.holding AS h WITH (UPDLOCK, ROWLOCK)
            WHERE h.h_ca_id = @ca_id AND h.h_s_symb = @symbol
            ORDER BY CASE WHEN @is_lifo = 1 THEN h.h_dts END DESC, h.h_dts;
            IF @lot IS NULL
                BREAK;
            SET @part = CASE WHEN @needed < ABS(@lot_quantity) THEN @needed ELSE ABS(@lot_quantity) END;
            INSERT INTO dbo.holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
            VALUES (@lot, @t_id, @lot_quantity, @lot_quantity + @direction * @part);
            IF @part = ABS(@lot_quantity)
                DELETE FROM dbo.holding WHERE h_t_id = @lot;
            ELSE
                UPDATE dbo.holding SET h_qty = h_qty + @direction * @part WHERE h_t_id = @lot;
            SET @bought = @bought + @part * CASE WHEN @direction < 0 THEN @lot_price ELSE @price END;
            SET @sold = @sold + @part * CASE WHEN @direction < 0 THEN @price ELSE @lot_price END;
            SET @needed = @needed - @part;
        END;
        IF @needed > 0
        BEGIN
            INSERT INTO dbo.holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
            VALUES (@t_id, @ca_id, @symbol, @now, @price, @direction * @needed);
            INSERT INTO dbo.holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
            VALUES (@t_id, @t_id, 0, @direction * @needed);
        END;
        IF @after = 0
            DELETE FROM dbo.holding_summary WHERE hs_ca_id = @ca_id AND hs_s_symb = @symbol;
        IF @sold > @bought AND @tax_status IN (1, 2)
            SELECT @taxes = ROUND((@sold - @bought) * CAST(SUM(r.tx_rate) AS numeric(9, 4)), 2)
            FROM dbo.customer_taxrate AS x
            INNER JOIN dbo.taxrate AS r ON r.tx_id = x.cx_tx_id
            WHERE x.cx_c_id = @owner;
        SELECT @commission = ROUND(@quantity * @price * r.cr_rate / 100, 2)
        FROM dbo.security AS s
        INNER JOIN dbo.customer AS c ON c.c_id = @owner
        INNER JOIN dbo.commission_rate AS r
            ON r.cr_c_tier = c.c_tier AND r.cr_tt_id = @tt_id AND r.cr_ex_id = s.s_ex_id
            AND r.cr_from_qty <= @quantity AND r.cr_to_qty >= @quantity
        WHERE s.s_symb = @symbol;
        UPDATE dbo.trade SET
            t_comm = @commission, t_tax = @taxes, t_dts = @now, t_st_id = 'CMPT', t_trade_price = @price
        WHERE t_id = @t_id;
        INSERT INTO dbo.trade_history (th_t_id, th_dts, th_st_id) VALUES (@t_id, @now, 'CMPT');
        SET @amount = -@direction * @quantity * @price - @charge - @commission
            - CASE WHEN @tax_status = 1 THEN @taxes ELSE 0 END;
        INSERT INTO dbo.settlement (se_t_id, se_cash_type, se_cash_due_date, se_amt)
        VALUES (
            @t_id, CASE WHEN @is_cash = 1 THEN 'Cash Account' ELSE 'Margin' END, DATEADD(day, 2, CAST(@now AS date)),
            @amount
        );
        IF @is_cash = 1
        BEGIN
            UPDATE dbo.customer_account SET ca_bal = ca_bal + @amount WHERE ca_id = @ca_id;
            INSERT INTO dbo.cash_transaction (ct_t_id, ct_dts, ct_amt, ct_name)
            VALUES (
                @t_id, @now, @amount,
                CONCAT(@tt_id, ' ', RIGHT(CONCAT('0000', @quantity), 4), ' shares of ', @symbol)
            );
        END;
        UPDATE dbo.broker SET b_comm_total = b_comm_total + @commission, b_num_trades = b_num_trades + 1
        WHERE b_id = @broker;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @ca_id AS ca_id;
END
GO

-- The market's last trades, by symbols in ascending order; and a row for each limit order that these prices submit: t_id,
-- ca_id, symbol, quantity, price_cents. Each quote has 24 characters: 7 of the symbol, 9 of the price, 8 of the quantity.
CREATE PROCEDURE dbo.market_feed
    @quotes varchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    DECLARE @now datetime2(6) = SYSUTCDATETIME();
    DECLARE @place int = 1;
    DECLARE @symbol varchar(7);
    DECLARE @price numeric(12, 2);
    DECLARE @submitted TABLE (
        t_id int NOT NULL PRIMARY KEY,
        ca_id int NULL,
        symbol varchar(7) NOT NULL,
        quantity int NOT NULL,
        price numeric(12, 2) NOT NULL
    );
    BEGIN TRY
        BEGIN TRANSACTION;
        WHILE @place < DATALENGTH(@quotes)
        BEGIN
            SET @symbol = RTRIM(SUBSTRING(@quotes, @place, 7));
            SET @price = CAST(SUBSTRING(@quotes, @place + 7, 9) AS numeric(12, 2)) / 100;
            UPDATE dbo.last_trade SET
                lt_price = @price, lt_vol = lt_vol + CAST(SUBSTRING(@quotes, @place + 16, 8) AS int), lt_dts = @now
            WHERE lt_s_symb = @symbol;
            INSERT INTO @submitted (t_id, symbol, quantity, price)
            SELECT r.tr_t_id, r.tr_s_symb, r.tr_qty, r.tr_bid_price
            FROM dbo.trade_request AS r WITH (INDEX (ix_request_symbol), FORCESEEK, UPDLOCK, ROWLOCK)
            WHERE r.tr_s_symb = @symbol
                AND (
                    (r.tr_tt_id IN ('TSL', 'TLB') AND r.tr_bid_price >= @price)
                    OR (r.tr_tt_id = 'TLS' AND r.tr_bid_price <= @price)
                );
            SET @place = @place + 24;
        END;
        UPDATE t SET t.t_dts = @now, t.t_st_id = 'SBMT'
        FROM @submitted AS s
        INNER JOIN dbo.trade AS t ON t.t_id = s.t_id
        OPTION (LOOP JOIN, FORCE ORDER);
        UPDATE s SET s.ca_id = t.t_ca_id
        FROM @submitted AS s
        INNER JOIN dbo.trade AS t ON t.t_id = s.t_id
        OPTION (LOOP JOIN, FORCE ORDER);
        DELETE r
        FROM @submitted AS s
        INNER JOIN dbo.trade_request AS r ON r.tr_t_id = s.t_id
        OPTION (LOOP JOIN, FORCE ORDER);
        INSERT INTO dbo.trade_history (th_t_id, th_dts, th_st_id)
        SELECT s.t_id, @now, 'SBMT' FROM @submitted AS s;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT s.t_id, s.ca_id, s.symbol, s.quantity, CAST(s.price * 100 AS bigint) AS price_cents
    FROM @submitted AS s ORDER BY s.t_id;
END
GO

-- A row for each of these brokers that has limit orders to buy or sell in a sector: broker, volume_cents, the largest
-- first.
CREATE PROCEDURE dbo.broker_volume
    @sector varchar(30),
    @name_1 varchar(49),
    @name_2 varchar(49) = '',
    @name_3 varchar(49) = '',
    @name_4 varchar(49) = '',
    @name_5 varchar(49) = '',
    @name_6 varchar(49) = '',
    @name_7 varchar(49) = '',
    @name_8 varchar(49) = '',
    @name_9 varchar(49) = '',
    @name_10 varchar(49) = '',
    @name_11 varchar(49) = '',
    @name_12 varchar(49) = '',
    @name_13 varchar(49) = '',
    @name_14 varchar(49) = '',
    @name_15 varchar(49) = '',
    @name_16 varchar(49) = '',
    @name_17 varchar(49) = '',
    @name_18 varchar(49) = '',
    @name_19 varchar(49) = '',
    @name_20 varchar(49) = '',
    @name_21 varchar(49) = '',
    @name_22 varchar(49) = '',
    @name_23 varchar(49) = '',
    @name_24 varchar(49) = '',
    @name_25 varchar(49) = '',
    @name_26 varchar(49) = '',
    @name_27 varchar(49) = '',
    @name_28 varchar(49) = '',
    @name_29 varchar(49) = '',
    @name_30 varchar(49) = '',
    @name_31 varchar(49) = '',
    @name_32 varchar(49) = '',
    @name_33 varchar(49) = '',
    @name_34 varchar(49) = '',
    @name_35 varchar(49) = '',
    @name_36 varchar(49) = '',
    @name_37 varchar(49) = '',
    @name_38 varchar(49) = '',
    @name_39 varchar(49) = '',
    @name_40 varchar(49) = ''
AS
BEGIN
    SET NOCOUNT ON;
    SELECT b.b_id AS broker, CAST(SUM(r.tr_qty * r.tr_bid_price) * 100 AS bigint) AS volume_cents
    FROM dbo.broker AS b WITH (INDEX (ix_broker_name))
    INNER JOIN dbo.trade_request AS r WITH (INDEX (ix_request_broker), FORCESEEK) ON r.tr_b_id = b.b_id
    INNER JOIN dbo.security AS s ON s.s_symb = r.tr_s_symb
    INNER JOIN dbo.company AS c ON c.co_id = s.s_co_id
    INNER JOIN dbo.industry AS i ON i.in_id = c.co_in_id
    INNER JOIN dbo.sector AS z ON z.sc_id = i.in_sc_id
    WHERE z.sc_name = @sector
        AND b.b_name IN (
            @name_1, @name_2, @name_3, @name_4, @name_5, @name_6, @name_7, @name_8, @name_9, @name_10,
            @name_11, @name_12, @name_13, @name_14, @name_15, @name_16, @name_17, @name_18, @name_19, @name_20,
            @name_21, @name_22, @name_23, @name_24, @name_25, @name_26, @name_27, @name_28, @name_29, @name_30,
            @name_31, @name_32, @name_33, @name_34, @name_35, @name_36, @name_37, @name_38, @name_39, @name_40
        )
    GROUP BY b.b_id
    ORDER BY volume_cents DESC;
END
GO

-- A row for each account of the customer: account, balance_cents, assets_cents (what its holdings are worth), trade (null).
-- With a history, the rows of the ten newest trades of one of the accounts follow, with the number of the trade.
CREATE PROCEDURE dbo.customer_position
    @c_id int,
    @tax_id varchar(20),
    @history_of int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @person int = @c_id;
    DECLARE @tier smallint;
    DECLARE @account int;
    IF @person = 0
        SELECT @person = c.c_id FROM dbo.customer AS c WHERE c.c_tax_id = @tax_id;
    SELECT @tier = c.c_tier FROM dbo.customer AS c WHERE c.c_id = @person;
    IF @history_of > 0
        SELECT @account = a.ca_id FROM dbo.customer_account AS a
        WHERE a.ca_c_id = @person
        ORDER BY a.ca_id
        OFFSET @history_of - 1 ROWS FETCH NEXT 1 ROWS ONLY;
    SELECT p.account, p.balance_cents, p.assets_cents, p.trade
    FROM (
        SELECT
            1 AS part, a.ca_id AS account, CAST(a.ca_bal * 100 AS bigint) AS balance_cents,
            CAST(COALESCE(SUM(h.hs_qty * l.lt_price), 0) * 100 AS bigint) AS assets_cents, CAST(NULL AS int) AS trade,
            CAST(NULL AS datetime2(6)) AS changed
        FROM dbo.customer_account AS a
        LEFT JOIN dbo.holding_summary AS h ON h.hs_ca_id = a.ca_id
        LEFT JOIN dbo.last_trade AS l ON l.lt_s_symb = h.hs_s_symb
        WHERE a.ca_c_id = @person
        GROUP BY a.ca_id, a.ca_bal
        UNION ALL
        SELECT 2, n.t_ca_id, CAST(n.t_qty AS bigint), NULL, n.t_id, y.th_dts
        FROM (
            SELECT TOP (10) t.t_id, t.t_ca_id, t.t_qty FROM dbo.trade AS t
            WHERE t.t_ca_id = @account ORDER BY t.t_dts DESC
        ) AS n
        INNER JOIN dbo.trade_history AS y ON y.th_t_id = n.t_id
        INNER JOIN dbo.status_type AS s ON s.st_id = y.th_st_id
    ) AS p
    ORDER BY p.part, p.assets_cents, p.changed DESC;
END
GO

-- One row, one column: the change of the market value of a watch list's, an account's or an industry's securities since
-- a day, in hundredths of a per cent; null where there are none.
CREATE PROCEDURE dbo.market_watch
    @c_id int,
    @ca_id int,
    @industry varchar(50),
    @from_company int,
    @day date
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @watched TABLE (symbol varchar(7) NOT NULL);
    IF @c_id > 0
        INSERT INTO @watched (symbol)
        SELECT i.wi_s_symb FROM dbo.watch_list AS w INNER JOIN dbo.watch_item AS i ON i.wi_wl_id = w.wl_id
        WHERE w.wl_c_id = @c_id;
    ELSE IF @ca_id > 0
        INSERT INTO @watched (symbol) SELECT h.hs_s_symb FROM dbo.holding_summary AS h WHERE h.hs_ca_id = @ca_id;
    ELSE
        INSERT INTO @watched (symbol)
        SELECT s.s_symb
        FROM dbo.industry AS i
        INNER JOIN dbo.company AS c ON c.co_in_id = i.in_id
        INNER JOIN dbo.security AS s ON s.s_co_id = c.co_id
        WHERE i.in_name = @industry AND c.co_id BETWEEN @from_company AND @from_company + 5000;
    SELECT
        CAST(
            ROUND(10000 * (SUM(s.s_num_out * l.lt_price) / NULLIF(SUM(s.s_num_out * d.dm_close), 0) - 1), 0) AS bigint
        ) AS change
    FROM @watched AS w
    INNER JOIN dbo.security AS s ON s.s_symb = w.symbol
    INNER JOIN dbo.last_trade AS l ON l.lt_s_symb = w.symbol
    INNER JOIN dbo.daily_market AS d ON d.dm_s_symb = w.symbol AND d.dm_date = @day
    OPTION (LOOP JOIN, FORCE ORDER);
END
GO

-- A row for each day from a day on: close_cents, volume; before it everything about the security and its company is read,
-- with the texts of its news or without.
CREATE PROCEDURE dbo.security_detail
    @symbol varchar(7),
    @days int,
    @has_texts smallint,
    @day date
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @company int;
    DECLARE @name varchar(60);
    DECLARE @town varchar(80);
    DECLARE @amount numeric(15, 2);
    DECLARE @text varchar(max);
    SELECT @company = c.co_id, @name = c.co_name, @town = cz.zc_town, @text = CONCAT(e.ex_name, ez.zc_town)
    FROM dbo.security AS s
    INNER JOIN dbo.company AS c ON c.co_id = s.s_co_id
    INNER JOIN dbo.address AS ca ON ca.ad_id = c.co_ad_id
    INNER JOIN dbo.zip_code AS cz ON cz.zc_code = ca.ad_zc_code
    INNER JOIN dbo.exchange AS e ON e.ex_id = s.s_ex_id
    INNER JOIN dbo.address AS ea ON ea.ad_id = e.ex_ad_id
    INNER JOIN dbo.zip_code AS ez ON ez.zc_code = ea.ad_zc_code
    WHERE s.s_symb = @symbol;
    SELECT TOP (3) @name = o.co_name, @text = i.in_name
    FROM dbo.company_competitor AS p
    INNER JOIN dbo.company AS o ON o.co_id = p.cp_comp_co_id
    INNER JOIN dbo.industry AS i ON i.in_id = p.cp_in_id
    WHERE p.cp_co_id = @company;
    SELECT TOP (20) @amount = f.fi_revenue FROM dbo.financial AS f
    WHERE f.fi_co_id = @company ORDER BY f.fi_year, f.fi_qtr;
    SELECT @amount = l.lt_price FROM dbo.last_trade AS l WHERE l.lt_s_symb = @symbol;
    IF @has_texts = 1
        SELECT TOP (2) @text = n.ni_item
        FROM dbo.news_xref AS x
        INNER JOIN dbo.news_item AS n ON n.ni_id = x.nx_ni_id
        WHERE x.nx_co_id = @company;
    ELSE
        SELECT TOP (2) @text = CONCAT(n.ni_headline, n.ni_summary)
        FROM dbo.news_xref AS x
        INNER JOIN dbo.news_item AS n ON n.ni_id = x.nx_ni_id
        WHERE x.nx_co_id = @company;
    SELECT TOP (@days) CAST(d.dm_close * 100 AS bigint) AS close_cents, d.dm_vol AS volume
    FROM dbo.daily_market AS d
    WHERE d.dm_s_symb = @symbol AND d.dm_date >= @day
    ORDER BY d.dm_date;
END
GO

-- A row for each trade of a lookup or an update, its number: by their numbers (frame 1), ten characters each, of an
-- account (2) or of a security (3) in a span of time. Twenty at most.
CREATE PROCEDURE dbo.chosen_trades
    @frame int,
    @numbers varchar(200),
    @ca_id int,
    @symbol varchar(7),
    @from datetime2(0),
    @to datetime2(0)
AS
BEGIN
    SET NOCOUNT ON;
    IF @frame = 1
        SELECT t.t_id
        FROM (
            VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9),
            (10), (11), (12), (13), (14), (15), (16), (17), (18), (19)
        ) AS p (place)
        INNER JOIN dbo.trade AS t ON t.t_id = CAST(SUBSTRING(@numbers, 10 * p.place + 1, 10) AS int)
        OPTION (LOOP JOIN, FORCE ORDER);
    ELSE IF @frame = 2
        SELECT TOP (20) t.t_id FROM dbo.trade AS t WITH (INDEX (ix_trade_account), FORCESEEK)
        WHERE t.t_ca_id = @ca_id AND t.t_dts BETWEEN @from AND @to ORDER BY t.t_dts;
    ELSE
        SELECT TOP (20) t.t_id FROM dbo.trade AS t WITH (INDEX (ix_trade_symbol), FORCESEEK)
        WHERE t.t_s_symb = @symbol AND t.t_dts BETWEEN @from AND @to ORDER BY t.t_dts;
END
GO

-- A row for each change of a chosen trade's state: t_id, bid_cents, settled_cents, cash_cents. Frame 4 gives the history
-- of the holding that the account's first trade from a moment on made: t_id, quantities before and after, null.
CREATE PROCEDURE dbo.trade_lookup
    @frame int,
    @numbers varchar(200),
    @ca_id int,
    @symbol varchar(7),
    @from datetime2(0),
    @to datetime2(0)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @first_trade int;
    DECLARE @chosen TABLE (t_id int NOT NULL PRIMARY KEY);
    IF @frame = 4
    BEGIN
        SELECT TOP (1) @first_trade = t.t_id FROM dbo.trade AS t WITH (INDEX (ix_trade_account), FORCESEEK)
        WHERE t.t_ca_id = @ca_id AND t.t_dts >= @from ORDER BY t.t_dts;
        SELECT TOP (20)
            h.hh_t_id AS t_id, CAST(h.hh_before_qty AS bigint) AS bid_cents,
            CAST(h.hh_after_qty AS bigint) AS settled_cents, CAST(NULL AS bigint) AS cash_cents
        FROM dbo.holding_history AS h
        WHERE h.hh_h_t_id IN (SELECT o.hh_h_t_id FROM dbo.holding_history AS o WHERE o.hh_t_id = @first_trade);
        RETURN;
    END;
    INSERT INTO @chosen (t_id) EXECUTE dbo.chosen_trades @frame, @numbers, @ca_id, @symbol, @from, @to;
    SELECT
        t.t_id, CAST(t.t_bid_price * 100 AS bigint) AS bid_cents, CAST(e.se_amt * 100 AS bigint) AS settled_cents,
        CAST(m.ct_amt * 100 AS bigint) AS cash_cents
    FROM @chosen AS c
    INNER JOIN dbo.trade AS t ON t.t_id = c.t_id
    INNER JOIN dbo.trade_type AS k ON k.tt_id = t.t_tt_id
    INNER JOIN dbo.trade_history AS y ON y.th_t_id = c.t_id
    LEFT JOIN dbo.settlement AS e ON e.se_t_id = c.t_id
    LEFT JOIN dbo.cash_transaction AS m ON m.ct_t_id = c.t_id
    ORDER BY c.t_id, y.th_dts
    OPTION (LOOP JOIN, FORCE ORDER);
END
GO

-- A row for each of the 50 newest trades of an account: t_id, state, quantity.
CREATE PROCEDURE dbo.trade_status
    @ca_id int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @names varchar(100);
    SELECT @names = CONCAT(c.c_f_name, ' ', c.c_l_name, ' ', b.b_name)
    FROM dbo.customer_account AS a
    INNER JOIN dbo.customer AS c ON c.c_id = a.ca_c_id
    INNER JOIN dbo.broker AS b WITH (INDEX (ix_broker_name)) ON b.b_id = a.ca_b_id
    WHERE a.ca_id = @ca_id;
    SELECT t.t_id, s.st_name AS state, t.t_qty AS quantity
    FROM (
        SELECT TOP (50) n.t_id, n.t_dts, n.t_st_id, n.t_tt_id, n.t_s_symb, n.t_qty
        FROM dbo.trade AS n WITH (INDEX (ix_trade_account), FORCESEEK)
        WHERE n.t_ca_id = @ca_id ORDER BY n.t_dts DESC
    ) AS t
    INNER JOIN dbo.status_type AS s ON s.st_id = t.t_st_id
    INNER JOIN dbo.trade_type AS k ON k.tt_id = t.t_tt_id
    INNER JOIN dbo.security AS u ON u.s_symb = t.t_s_symb
    INNER JOIN dbo.exchange AS e ON e.ex_id = u.s_ex_id
    ORDER BY t.t_dts DESC
    OPTION (LOOP JOIN, FORCE ORDER);
END
GO

-- One row, one column: how many of the chosen trades were changed: who executed them (frame 1), how they were settled
-- (2), the name of the cash transaction (3). A change that is made twice restores what was there. The trades are chosen
-- with locks that are released at once, and then locked by ascending number, so that two updates of the same trades
-- wait for each other and do not deadlock.
CREATE PROCEDURE dbo.trade_update
    @frame int,
    @numbers varchar(200),
    @ca_id int,
    @symbol varchar(7),
    @from datetime2(0),
    @to datetime2(0)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @locked int;
    DECLARE @changed int;
    DECLARE @amount numeric(12, 2);
    DECLARE @chosen TABLE (t_id int NOT NULL PRIMARY KEY);
    BEGIN TRY
        BEGIN TRANSACTION;
        INSERT INTO @chosen (t_id) EXECUTE dbo.chosen_trades @frame, @numbers, @ca_id, @symbol, @from, @to;
        SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
        SELECT @locked = COUNT(*)
        FROM @chosen AS c
        INNER JOIN dbo.trade AS t WITH (UPDLOCK, ROWLOCK) ON t.t_id = c.t_id
        OPTION (LOOP JOIN, FORCE ORDER);
        IF @frame = 1
            UPDATE t SET t.t_exec_name = CASE
                WHEN t.t_exec_name LIKE '% X' THEN LEFT(t.t_exec_name, LEN(t.t_exec_name) - 2)
                ELSE CONCAT(LEFT(t.t_exec_name, 47), ' X')
            END
            FROM @chosen AS c
            INNER JOIN dbo.trade AS t ON t.t_id = c.t_id
            OPTION (LOOP JOIN, FORCE ORDER);
        ELSE IF @frame = 2
            UPDATE e SET e.se_cash_type = CASE e.se_cash_type
                WHEN 'Cash Account' THEN 'Cash'
                WHEN 'Cash' THEN 'Cash Account'
                WHEN 'Margin' THEN 'Margin Account'
                ELSE 'Margin'
            END
            FROM @chosen AS c
            INNER JOIN dbo.settlement AS e ON e.se_t_id = c.t_id
            OPTION (LOOP JOIN, FORCE ORDER);
        ELSE
            UPDATE m SET m.ct_name = CASE
                WHEN m.ct_name LIKE '% shares of %' THEN REPLACE(m.ct_name, ' shares of ', ' Shares of ')
                ELSE REPLACE(m.ct_name, ' Shares of ', ' shares of ')
            END
            FROM @chosen AS c
            INNER JOIN dbo.cash_transaction AS m ON m.ct_t_id = c.t_id
            OPTION (LOOP JOIN, FORCE ORDER);
        SET @changed = @@ROWCOUNT;
        SELECT @amount = COALESCE(m.ct_amt, e.se_amt)
        FROM @chosen AS c
        INNER JOIN dbo.trade AS t ON t.t_id = c.t_id
        INNER JOIN dbo.trade_history AS y ON y.th_t_id = c.t_id
        LEFT JOIN dbo.settlement AS e ON e.se_t_id = c.t_id
        LEFT JOIN dbo.cash_transaction AS m ON m.ct_t_id = c.t_id
        OPTION (LOOP JOIN, FORCE ORDER);
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @changed AS changed;
END
GO

-- Cancels the incomplete trades of earlier runs. One row, one column: their number. Trades of the last ten seconds
-- belong to this run, and are left alone.
CREATE PROCEDURE dbo.trade_cleanup
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @now datetime2(6) = SYSUTCDATETIME();
    DECLARE @cancelled int;
    DECLARE @ended TABLE (t_id int NOT NULL PRIMARY KEY);
    BEGIN TRY
        BEGIN TRANSACTION;
        INSERT INTO @ended (t_id)
        SELECT t.t_id FROM dbo.trade AS t WITH (UPDLOCK)
        WHERE t.t_id > 1000000000 AND t.t_dts < DATEADD(second, -10, @now) AND t.t_st_id IN ('SBMT', 'PNDG');
        SET @cancelled = @@ROWCOUNT;
        UPDATE t SET t.t_st_id = 'CNCL', t.t_dts = @now FROM @ended AS e INNER JOIN dbo.trade AS t ON t.t_id = e.t_id;
        DELETE r FROM @ended AS e INNER JOIN dbo.trade_request AS r ON r.tr_t_id = e.t_id;
        INSERT INTO dbo.trade_history (th_t_id, th_dts, th_st_id) SELECT e.t_id, @now, 'CNCL' FROM @ended AS e;
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @cancelled AS cancelled;
END
GO

-- One row, one column: the table that was changed, one of twelve (0 to 11) that no other transaction changes, in a row
-- that a random number chooses. The earlier value is recorded, so that a reset restores it. The statements are static:
-- dynamic SQL would need permission to change the tables, which the load's user does not have.
CREATE PROCEDURE dbo.data_maintenance
    @table int,
    @number int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @account int;
    DECLARE @customer int;
    DECLARE @company int;
    DECLARE @symbol varchar(7);
    DECLARE @day date;
    DECLARE @old varchar(20);
    DECLARE @new varchar(20);
    DECLARE @name varchar(30);
    DECLARE @column varchar(30);
    DECLARE @where varchar(200);
    DECLARE @before varchar(200);
    SELECT @account = 1 + @number % MAX(a.ca_id) FROM dbo.customer_account AS a;
    SELECT @customer = 1 + @number % MAX(c.c_id) FROM dbo.customer AS c;
    SELECT @company = 1 + @number % MAX(c.co_id) FROM dbo.company AS c;
    SELECT TOP (1) @symbol = s.s_symb FROM dbo.security AS s WHERE s.s_co_id = @company ORDER BY s.s_issue;
    BEGIN TRY
        BEGIN TRANSACTION;
        IF @table = 0
        BEGIN
            SELECT TOP (1) @old = p.ap_tax_id FROM dbo.account_permission AS p
            WHERE p.ap_ca_id = @account ORDER BY p.ap_tax_id;
            UPDATE dbo.account_permission SET
                @before = ap_acl, ap_acl = CASE ap_acl WHEN '1111' THEN '0011' ELSE '1111' END
            WHERE ap_ca_id = @account AND ap_tax_id = @old;
            SELECT
                @name = 'account_permission', @column = 'ap_acl',
                @where = CONCAT('ap_ca_id = ', @account, ' AND ap_tax_id = ''', @old, '''');
        END;
        IF @table = 1
        BEGIN
            UPDATE dbo.address SET
                @before = ad_line2, ad_line2 = CASE ad_line2 WHEN 'Apt. 10C' THEN 'Apt. 22' ELSE 'Apt. 10C' END
            WHERE ad_id = @customer;
            SELECT @name = 'address', @column = 'ad_line2', @where = CONCAT('ad_id = ', @customer);
        END;
        IF @table = 2
        BEGIN
            UPDATE dbo.company SET
                @before = co_sp_rate, co_sp_rate = CASE co_sp_rate WHEN 'ABA' THEN 'AAA' ELSE 'ABA' END
            WHERE co_id = @company;
            SELECT @name = 'company', @column = 'co_sp_rate', @where = CONCAT('co_id = ', @company);
        END;
        IF @table = 3
        BEGIN
            UPDATE dbo.customer SET
                @before = c_email_2,
                c_email_2 = CASE
                    WHEN c_email_2 LIKE '%post%' THEN REPLACE(c_email_2, 'post', 'net') ELSE CONCAT(c_email_2, '.x')
                END
            WHERE c_id = @customer;
            SELECT @name = 'customer', @column = 'c_email_2', @where = CONCAT('c_id = ', @customer);
        END;
        IF @table = 4
        BEGIN
            SELECT @old = x.cx_tx_id FROM dbo.customer_taxrate AS x
            WHERE x.cx_c_id = @customer AND x.cx_tx_id LIKE 'R%';
            SELECT TOP (1) @new = r.tx_id FROM dbo.taxrate AS r WHERE r.tx_id > @old ORDER BY r.tx_id;
            SET @new = COALESCE(@new, 'R020');
            UPDATE dbo.customer_taxrate SET @before = cx_tx_id, cx_tx_id = @new
            WHERE cx_c_id = @customer AND cx_tx_id = @old;
            SELECT
                @name = 'customer_taxrate', @column = 'cx_tx_id',
                @where = CONCAT('cx_c_id = ', @customer, ' AND cx_tx_id = ''', @new, '''');
        END;
        IF @table = 5
        BEGIN
            SELECT @day = DATEADD(day, -(@number % 28), MAX(d.dm_date)) FROM dbo.daily_market AS d
            WHERE d.dm_s_symb = @symbol;
            SELECT @day = MAX(d.dm_date) FROM dbo.daily_market AS d
            WHERE d.dm_s_symb = @symbol AND d.dm_date <= @day;
            UPDATE dbo.daily_market SET @before = CAST(dm_vol AS varchar(20)), dm_vol = dm_vol + 1
            WHERE dm_s_symb = @symbol AND dm_date = @day;
            SELECT
                @name = 'daily_market', @column = 'dm_vol',
                @where = CONCAT('dm_s_symb = ''', @symbol, ''' AND dm_date = ''', CONVERT(varchar(10), @day, 23), '''');
        END;
        IF @table = 6
        BEGIN
            SELECT @old = e.ex_id FROM dbo.exchange AS e
            ORDER BY e.ex_id
            OFFSET @number % 4 ROWS FETCH NEXT 1 ROWS ONLY;
            UPDATE dbo.exchange SET
                @before = ex_desc,
                ex_desc = CONCAT(
                    LEFT(ex_desc, CHARINDEX(' LAST UPDATED ', CONCAT(ex_desc, ' LAST UPDATED ')) - 1),
                    ' LAST UPDATED ', CONVERT(varchar(19), SYSUTCDATETIME(), 120)
                )
            WHERE ex_id = @old;
            SELECT @name = 'exchange', @column = 'ex_desc', @where = CONCAT('ex_id = ''', @old, '''');
        END;
        IF @table = 7
        BEGIN
            UPDATE dbo.financial SET
                @before = CONVERT(varchar(10), fi_qtr_start_date, 23),
                fi_qtr_start_date = DATEADD(day, CASE WHEN DAY(fi_qtr_start_date) = 1 THEN 1 ELSE -1 END, fi_qtr_start_date)
            WHERE fi_co_id = @company AND fi_year = 2024 AND fi_qtr = 1 + @number % 4;
            SELECT
                @name = 'financial', @column = 'fi_qtr_start_date',
                @where = CONCAT('fi_co_id = ', @company, ' AND fi_year = 2024 AND fi_qtr = ', 1 + @number % 4);
        END;
        IF @table = 8
        BEGIN
            UPDATE dbo.news_item SET @before = CONVERT(varchar(19), ni_dts, 120), ni_dts = DATEADD(day, 1, ni_dts)
            WHERE ni_id = @company;
            SELECT @name = 'news_item', @column = 'ni_dts', @where = CONCAT('ni_id = ', @company);
        END;
        IF @table = 9
        BEGIN
            UPDATE dbo.security SET
                @before = CONVERT(varchar(10), s_exch_date, 23), s_exch_date = DATEADD(day, 1, s_exch_date)
            WHERE s_symb = @symbol;
            SELECT @name = 'security', @column = 's_exch_date', @where = CONCAT('s_symb = ''', @symbol, '''');
        END;
        IF @table = 10
        BEGIN
            SELECT @old = r.tx_id FROM dbo.taxrate AS r
            ORDER BY r.tx_id
            OFFSET @number % 320 ROWS FETCH NEXT 1 ROWS ONLY;
            UPDATE dbo.taxrate SET
                @before = tx_name,
                tx_name = CASE
                    WHEN tx_name LIKE '%Tax%' THEN REPLACE(tx_name, 'Tax', 'tax') ELSE REPLACE(tx_name, 'tax', 'Tax')
                END
            WHERE tx_id = @old;
            SELECT @name = 'taxrate', @column = 'tx_name', @where = CONCAT('tx_id = ''', @old, '''');
        END;
        IF @table = 11
        BEGIN
            SELECT TOP (1) @old = i.wi_s_symb FROM dbo.watch_item AS i
            WHERE i.wi_wl_id = @customer ORDER BY i.wi_s_symb;
            SELECT TOP (1) @new = s.s_symb FROM dbo.security AS s
            WHERE s.s_symb > @old AND NOT EXISTS (
                SELECT 1 FROM dbo.watch_item AS i WHERE i.wi_wl_id = @customer AND i.wi_s_symb = s.s_symb
            )
            ORDER BY s.s_symb;
            UPDATE dbo.watch_item SET @before = wi_s_symb, wi_s_symb = @new
            WHERE wi_wl_id = @customer AND wi_s_symb = @old;
            SELECT
                @name = 'watch_item', @column = 'wi_s_symb',
                @where = CONCAT('wi_wl_id = ', @customer, ' AND wi_s_symb = ''', @new, '''');
        END;
        INSERT INTO dbo.maintained (m_table, m_column, m_where, m_before) VALUES (@name, @column, @where, @before);
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    SELECT @table AS changed;
END
GO

-- Undoes the changes of data maintenance, the last one first. Called by a reset, whose user has permission to change
-- the tables.
CREATE PROCEDURE dbo.undo_maintenance
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @number int;
    DECLARE @before varchar(200);
    DECLARE @statement nvarchar(400);
    WHILE EXISTS (SELECT 1 FROM dbo.maintained AS m)
    BEGIN
        SELECT TOP (1)
            @number = m.m_number, @before = m.m_before,
            @statement = CONCAT(N'UPDATE dbo.', m.m_table, N' SET ', m.m_column, N' = @before WHERE ', m.m_where)
        FROM dbo.maintained AS m ORDER BY m.m_number DESC;
        EXECUTE sys.sp_executesql @statement, N'@before varchar(200)', @before;
        DELETE FROM dbo.maintained WHERE m_number = @number;
    END;
END
GO

-- Restores the holdings of the accounts @after < ca_id <= @to that runs have traded for, from the history of what was
-- bought before the first run. It may be repeated.
CREATE PROCEDURE dbo.restore_holdings
    @after int,
    @to int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @traded TABLE (ca_id int NOT NULL PRIMARY KEY);
    INSERT INTO @traded (ca_id)
    SELECT DISTINCT t.t_ca_id FROM dbo.trade AS t
    WHERE t.t_id > 1000000000 AND t.t_ca_id > @after AND t.t_ca_id <= @to;
    DELETE h FROM dbo.holding AS h INNER JOIN @traded AS a ON a.ca_id = h.h_ca_id OPTION (RECOMPILE);
    DELETE s FROM dbo.holding_summary AS s INNER JOIN @traded AS a ON a.ca_id = s.hs_ca_id OPTION (RECOMPILE);
    INSERT INTO dbo.holding_summary (hs_ca_id, hs_s_symb, hs_qty)
    SELECT t.t_ca_id, t.t_s_symb, SUM(c.hh_after_qty - c.hh_before_qty)
    FROM @traded AS a
    INNER JOIN dbo.trade AS t ON t.t_ca_id = a.ca_id
    INNER JOIN dbo.holding_history AS c ON c.hh_h_t_id = t.t_id AND c.hh_t_id < 1000000000
    GROUP BY t.t_ca_id, t.t_s_symb
    HAVING SUM(c.hh_after_qty - c.hh_before_qty) <> 0
    OPTION (RECOMPILE);
    INSERT INTO dbo.holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
    SELECT t.t_id, t.t_ca_id, t.t_s_symb, t.t_dts, t.t_trade_price, SUM(c.hh_after_qty - c.hh_before_qty)
    FROM @traded AS a
    INNER JOIN dbo.trade AS t ON t.t_ca_id = a.ca_id
    INNER JOIN dbo.holding_history AS c ON c.hh_h_t_id = t.t_id AND c.hh_t_id < 1000000000
    GROUP BY t.t_id, t.t_ca_id, t.t_s_symb, t.t_dts, t.t_trade_price
    HAVING SUM(c.hh_after_qty - c.hh_before_qty) <> 0
    OPTION (RECOMPILE);
END
GO

-- Removes the trades @after < t_id <= @to of runs, with all that follows from them but the holdings, which were restored
-- before: they refer to trades.
CREATE PROCEDURE dbo.remove_trades
    @after int,
    @to int
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE b SET b.b_num_trades = b.b_num_trades - t.trades, b.b_comm_total = b.b_comm_total - t.commissions
    FROM dbo.broker AS b
    INNER JOIN (
        SELECT a.ca_b_id, COUNT(*) AS trades, SUM(r.t_comm) AS commissions
        FROM dbo.trade AS r
        INNER JOIN dbo.customer_account AS a ON a.ca_id = r.t_ca_id
        WHERE r.t_id > @after AND r.t_id <= @to AND r.t_st_id = 'CMPT'
        GROUP BY a.ca_b_id
    ) AS t ON t.ca_b_id = b.b_id;
    UPDATE a SET a.ca_bal = a.ca_bal - t.amount
    FROM dbo.customer_account AS a
    INNER JOIN (
        SELECT r.t_ca_id, SUM(c.ct_amt) AS amount
        FROM dbo.cash_transaction AS c
        INNER JOIN dbo.trade AS r ON r.t_id = c.ct_t_id
        WHERE c.ct_t_id > @after AND c.ct_t_id <= @to
        GROUP BY r.t_ca_id
    ) AS t ON t.t_ca_id = a.ca_id;
    DELETE FROM dbo.holding_history WHERE hh_h_t_id > @after AND hh_h_t_id <= @to;
    DELETE FROM dbo.holding_history WHERE hh_t_id > @after AND hh_t_id <= @to;
    DELETE FROM dbo.settlement WHERE se_t_id > @after AND se_t_id <= @to;
    DELETE FROM dbo.cash_transaction WHERE ct_t_id > @after AND ct_t_id <= @to;
    DELETE FROM dbo.trade_history WHERE th_t_id > @after AND th_t_id <= @to;
    DELETE FROM dbo.trade_request WHERE tr_t_id > @after AND tr_t_id <= @to;
    DELETE FROM dbo.trade WHERE t_id > @after AND t_id <= @to;
END
GO
