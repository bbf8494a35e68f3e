-- The transactions of Brokerage (TPC-E specification, clause 3.3), each one call; each statement ends with a line of
-- its own that holds only //. Amounts are returned in cents. When the server interrupts a call, its handlers are not
-- executed and its transaction stays open; @spindle_commits then says whether it had reached the commit.
--
-- The isolation levels are those of the specification, clause 7.4: level 2 (repeatable read) for transactions that
-- change data, level 3 (serializable) for Trade-Result. Transactions that only read have level 1: each statement sees
-- what was committed before it. Rows that several transactions change are locked in one order: trade, account,
-- holdings, securities by symbol, broker.

-- The number of the trade and its price; null if it was rolled back, which one order in a hundred asks for on purpose,
-- or if the executor has no permission. Market orders are submitted at once; limit orders wait for their price, which
-- is a percentage of the market's.
CREATE PROCEDURE trade_order(
    ca_id_in integer,
    exec_tax_id_in varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    symbol_in varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    co_name_in varchar(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    issue_in varchar(6) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    tt_id_in varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    qty_in integer, limit_percent_in integer, is_lifo_in integer, is_margin_in integer, is_rolled_back_in integer
)
MODIFIES SQL DATA
placing: BEGIN
    DECLARE broker_number, owner_number, made, held, needed, lot_quantity integer;
    DECLARE tax_status, tier, is_sale, is_market smallint DEFAULT 0;
    DECLARE owner_tax_id varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE executor varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE traded varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT symbol_in;
    DECLARE state varchar(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE balance, price, requested, commission_percent, charge_amount, lot_price, assets decimal(12, 2);
    DECLARE bought, sold, taxes decimal(15, 2) DEFAULT 0;
    DECLARE lots CURSOR FOR
        SELECT abs(h_qty), h_price FROM holding
        WHERE h_ca_id = ca_id_in AND h_s_symb = traded
        ORDER BY CASE WHEN is_lifo_in = 1 THEN h_dts END DESC, h_dts;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET @spindle_commits = NULL;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    START TRANSACTION;
    SELECT ca_b_id, ca_tax_st, ca_bal, c_id, c_tax_id, c_tier, concat(c_f_name, ' ', c_l_name), tt_is_sell, tt_is_mrkt,
        ch_chrg
    INTO broker_number, tax_status, balance, owner_number, owner_tax_id, tier, executor, is_sale, is_market,
        charge_amount
    FROM customer_account STRAIGHT_JOIN customer ON c_id = ca_c_id STRAIGHT_JOIN broker ON b_id = ca_b_id
        STRAIGHT_JOIN trade_type STRAIGHT_JOIN charge ON ch_tt_id = tt_id AND ch_c_tier = c_tier
    WHERE ca_id = ca_id_in AND tt_id = tt_id_in;
    IF exec_tax_id_in <> owner_tax_id THEN
        SET executor = (
            SELECT concat(ap_f_name, ' ', ap_l_name) FROM account_permission
            WHERE ap_ca_id = ca_id_in AND ap_tax_id = exec_tax_id_in
        );
        IF executor IS NULL THEN
            ROLLBACK;
            SELECT NULL, NULL;
            LEAVE placing;
        END IF;
    END IF;
    IF symbol_in = '' THEN
        SET traded = (
            SELECT s_symb FROM company STRAIGHT_JOIN security ON s_co_id = co_id
            WHERE co_name = co_name_in AND s_issue = issue_in
        );
    END IF;
    SELECT lt_price, cr_rate, coalesce(hs_qty, 0) INTO price, commission_percent, held
    FROM security STRAIGHT_JOIN company ON co_id = s_co_id STRAIGHT_JOIN last_trade ON lt_s_symb = s_symb
        STRAIGHT_JOIN commission_rate ON cr_c_tier = tier AND cr_tt_id = tt_id_in AND cr_ex_id = s_ex_id
            AND cr_from_qty <= qty_in AND cr_to_qty >= qty_in
        LEFT JOIN holding_summary ON hs_ca_id = ca_id_in AND hs_s_symb = s_symb
    WHERE s_symb = traded;
    SET requested = CASE is_market WHEN 1 THEN price ELSE round(price * limit_percent_in / 100, 2) END;
    SET state = CASE is_market WHEN 1 THEN 'SBMT' ELSE 'PNDG' END;
    -- The estimated gain of the trade, from the lots that it would close.
    IF (is_sale = 1 AND held > 0) OR (is_sale = 0 AND held < 0) THEN
        SET needed = qty_in;
        OPEN lots;
        closing: BEGIN
            DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
            WHILE needed > 0 DO
                FETCH lots INTO lot_quantity, lot_price;
                SET bought = bought + least(needed, lot_quantity) * IF(is_sale, lot_price, requested);
                SET sold = sold + least(needed, lot_quantity) * IF(is_sale, requested, lot_price);
                SET needed = needed - lot_quantity;
            END WHILE;
        END;
        CLOSE lots;
        IF sold > bought AND tax_status IN (1, 2) THEN
            SET taxes = (
                SELECT (sold - bought) * sum(tx_rate) FROM customer_taxrate JOIN taxrate ON tx_id = cx_tx_id
                WHERE cx_c_id = owner_number
            );
        END IF;
    END IF;
    IF is_margin_in = 1 THEN
        SET assets = balance + coalesce((
            SELECT sum(hs_qty * lt_price) FROM holding_summary JOIN last_trade ON lt_s_symb = hs_s_symb
            WHERE hs_ca_id = ca_id_in
        ), 0);
    END IF;
    INSERT INTO trade_number () VALUES ();
    SET made = last_insert_id();
    INSERT INTO trade (
        t_id, t_dts, t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id, t_exec_name, t_trade_price,
        t_chrg, t_comm, t_tax, t_lifo
    ) VALUES (
        made, now(6), state, tt_id_in, 1 - is_margin_in, traded, qty_in, requested, ca_id_in, executor, NULL,
        charge_amount, round(qty_in * requested * commission_percent / 100, 2), 0, is_lifo_in
    );
    IF is_market = 0 THEN
        INSERT INTO trade_request (tr_t_id, tr_tt_id, tr_s_symb, tr_qty, tr_bid_price, tr_b_id)
        VALUES (made, tt_id_in, traded, qty_in, requested, broker_number);
    END IF;
    INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (made, now(6), state);
    IF is_rolled_back_in = 1 THEN
        ROLLBACK;
        SELECT NULL, NULL;
        LEAVE placing;
    END IF;
    SET @spindle_commits = made;
    COMMIT;
    SELECT made, CAST(requested * 100 AS SIGNED);
END
//

-- Completes a submitted trade at a price, and returns its account; null if the trade is not in the state submitted, for
-- instance because it was completed before.
CREATE PROCEDURE trade_result(t_id_in integer, price_cents_in integer)
MODIFIES SQL DATA
completing: BEGIN
    DECLARE account, broker_number, owner_number, quantity, held, needed, part, direction, lot, lot_quantity integer;
    DECLARE is_cash, is_lifo, is_sale, tax_status smallint;
    DECLARE state varchar(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE kind varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE traded varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE price decimal(12, 2) DEFAULT price_cents_in / 100;
    DECLARE charge_amount, commission, lot_price decimal(12, 2);
    DECLARE bought, sold, taxes, amount decimal(15, 2) DEFAULT 0;
    DECLARE lots CURSOR FOR
        SELECT h_t_id, h_qty, h_price FROM holding FORCE INDEX (ix_holding_account)
        WHERE h_ca_id = account AND h_s_symb = traded
        ORDER BY CASE WHEN is_lifo = 1 THEN h_dts END DESC, h_dts FOR UPDATE;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET @spindle_commits = NULL;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    START TRANSACTION;
    SELECT t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_chrg, t_lifo, ca_id, ca_b_id, ca_c_id, ca_tax_st
    INTO state, kind, is_cash, traded, quantity, charge_amount, is_lifo,
        account, broker_number, owner_number, tax_status
    FROM trade STRAIGHT_JOIN customer_account ON ca_id = t_ca_id WHERE t_id = t_id_in FOR UPDATE;
    IF state IS NULL OR state <> 'SBMT' THEN
        ROLLBACK;
        SELECT NULL;
        LEAVE completing;
    END IF;
    SELECT tt_is_sell, round(quantity * price * cr_rate / 100, 2) INTO is_sale, commission
    FROM trade_type STRAIGHT_JOIN security STRAIGHT_JOIN customer STRAIGHT_JOIN commission_rate
        ON cr_c_tier = c_tier AND cr_tt_id = tt_id AND cr_ex_id = s_ex_id
            AND cr_from_qty <= quantity AND cr_to_qty >= quantity
    WHERE tt_id = kind AND s_symb = traded AND c_id = owner_number;
    SET direction = IF(is_sale, -1, 1);
    SELECT hs_qty INTO held FROM holding_summary WHERE hs_ca_id = account AND hs_s_symb = traded FOR UPDATE;
    SET needed = quantity;
    IF held IS NULL THEN
        INSERT INTO holding_summary (hs_ca_id, hs_s_symb, hs_qty) VALUES (account, traded, direction * quantity);
    ELSE
        IF held + direction * quantity <> 0 THEN
            UPDATE holding_summary SET hs_qty = held + direction * quantity
            WHERE hs_ca_id = account AND hs_s_symb = traded;
        END IF;
        IF sign(held) = -direction THEN
            OPEN lots;
            closing: BEGIN
                DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
                WHILE needed > 0 DO
                    FETCH lots INTO lot, lot_quantity, lot_price;
                    SET part = least(needed, abs(lot_quantity));
                    INSERT INTO holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
                    VALUES (lot, t_id_in, lot_quantity, lot_quantity + direction * part);
                    IF part = abs(lot_quantity) THEN
                        DELETE FROM holding WHERE h_t_id = lot;
                    ELSE
                        UPDATE holding SET h_qty = h_qty + direction * part WHERE h_t_id = lot;
                    END IF;
                    SET bought = bought + part * IF(is_sale, lot_price, price);
                    SET sold = sold + part * IF(is_sale, price, lot_price);
                    SET needed = needed - part;
                END WHILE;
            END;
            CLOSE lots;
        END IF;
    END IF;
    IF needed > 0 THEN
        INSERT INTO holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
        VALUES (t_id_in, account, traded, now(6), price, direction * needed);
        INSERT INTO holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
        VALUES (t_id_in, t_id_in, 0, direction * needed);
    ELSEIF held + direction * quantity = 0 THEN
        DELETE FROM holding_summary WHERE hs_ca_id = account AND hs_s_symb = traded;
    END IF;
    IF sold > bought AND tax_status IN (1, 2) THEN
        SET taxes = (
            SELECT round((sold - bought) * sum(tx_rate), 2) FROM customer_taxrate JOIN taxrate ON tx_id = cx_tx_id
            WHERE cx_c_id = owner_number
        );
    END IF;
    UPDATE trade SET t_comm = commission, t_tax = taxes, t_dts = now(6), t_st_id = 'CMPT', t_trade_price = price
    WHERE t_id = t_id_in;
    INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (t_id_in, now(6), 'CMPT');
    SET amount = -direction * quantity * price - charge_amount - commission - IF(tax_status = 1, taxes, 0);
    INSERT INTO settlement (se_t_id, se_cash_type, se_cash_due_date, se_amt)
    VALUES (t_id_in, IF(is_cash, 'Cash Account', 'Margin'), current_date + INTERVAL 2 DAY, amount);
    IF is_cash THEN
        UPDATE customer_account SET ca_bal = ca_bal + amount WHERE ca_id = account;
        INSERT INTO cash_transaction (ct_t_id, ct_dts, ct_amt, ct_name)
        VALUES (t_id_in, now(6), amount, concat(kind, ' ', lpad(quantity, 4, '0'), ' shares of ', traded));
    END IF;
    UPDATE broker SET b_comm_total = b_comm_total + commission, b_num_trades = b_num_trades + 1
    WHERE b_id = broker_number;
    SET @spindle_commits = account;
    COMMIT;
    SELECT account;
END
//

-- The market's last trades: symbols in ascending order, prices and quantities, with commas between. A row for each
-- limit order that these prices submit: its number, account, symbol, quantity and price.
CREATE PROCEDURE market_feed(
    symbols_in text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, prices_cents_in text, quantities_in text
)
MODIFIES SQL DATA
BEGIN
    DECLARE place, request integer DEFAULT 0;
    DECLARE quotes integer DEFAULT char_length(symbols_in) - char_length(replace(symbols_in, ',', '')) + 1;
    DECLARE traded varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE price decimal(12, 2);
    DECLARE numbers text DEFAULT '0';
    DECLARE requests CURSOR FOR
        SELECT tr_t_id FROM trade_request FORCE INDEX (ix_request_symbol)
        WHERE tr_s_symb = traded
            AND ((tr_tt_id IN ('TSL', 'TLB') AND tr_bid_price >= price) OR (tr_tt_id = 'TLS' AND tr_bid_price <= price))
        ORDER BY tr_t_id FOR UPDATE;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    START TRANSACTION;
    WHILE place < quotes DO
        SET place = place + 1;
        SET traded = substring_index(substring_index(symbols_in, ',', place), ',', -1);
        SET price = substring_index(substring_index(prices_cents_in, ',', place), ',', -1) / 100;
        UPDATE last_trade SET
            lt_price = price,
            lt_vol = lt_vol + CAST(substring_index(substring_index(quantities_in, ',', place), ',', -1) AS SIGNED),
            lt_dts = now(6)
        WHERE lt_s_symb = traded;
        OPEN requests;
        submitting: BEGIN
            DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
            LOOP
                FETCH requests INTO request;
                UPDATE trade SET t_dts = now(6), t_st_id = 'SBMT' WHERE t_id = request;
                DELETE FROM trade_request WHERE tr_t_id = request;
                INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (request, now(6), 'SBMT');
                SET numbers = concat(numbers, ',', request);
            END LOOP;
        END;
        CLOSE requests;
    END WHILE;
    COMMIT;
    SET @spindle_statement = concat(
        'SELECT t_id, t_ca_id, t_s_symb, t_qty, CAST(t_bid_price * 100 AS SIGNED) FROM trade WHERE t_id IN (', numbers,
        ') ORDER BY t_s_symb, t_id'
    );
    PREPARE submitted FROM @spindle_statement;
    EXECUTE submitted;
    DEALLOCATE PREPARE submitted;
END
//

-- The value of the limit orders of the named brokers in a sector: the broker's number and the value, largest first.
CREATE PROCEDURE broker_volume(
    sector_in varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name1_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name2_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name3_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name4_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name5_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name6_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name7_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name8_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name9_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name10_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name11_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name12_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name13_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name14_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name15_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name16_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name17_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name18_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name19_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name20_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name21_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name22_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name23_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name24_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name25_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name26_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name27_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name28_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name29_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name30_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name31_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name32_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name33_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name34_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name35_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name36_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name37_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name38_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name39_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    name40_in varchar(49) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
)
READS SQL DATA
BEGIN
    SELECT STRAIGHT_JOIN b_id, CAST(sum(tr_qty * tr_bid_price) * 100 AS SIGNED) AS volume_cents
    FROM broker
    JOIN trade_request FORCE INDEX (ix_request_broker) ON tr_b_id = b_id
    JOIN security ON s_symb = tr_s_symb
    JOIN company ON co_id = s_co_id
    JOIN industry ON in_id = co_in_id
    JOIN sector ON sc_id = in_sc_id
    WHERE sc_name = sector_in AND b_name IN (
        name1_in, name2_in, name3_in, name4_in, name5_in, name6_in, name7_in, name8_in, name9_in, name10_in,
        name11_in, name12_in, name13_in, name14_in, name15_in, name16_in, name17_in, name18_in, name19_in,
        name20_in, name21_in, name22_in, name23_in, name24_in, name25_in, name26_in, name27_in, name28_in,
        name29_in, name30_in, name31_in, name32_in, name33_in, name34_in, name35_in, name36_in, name37_in,
        name38_in, name39_in, name40_in
    )
    GROUP BY b_id ORDER BY volume_cents DESC;
END
//

-- A row for each account of the customer: its number, balance, and what its holdings are worth. With a history, the
-- rows of the ten newest trades of one of the accounts follow, with the number of the trade.
CREATE PROCEDURE customer_position(
    c_id_in integer, tax_id_in varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, history_of_in integer
)
READS SQL DATA
BEGIN
    DECLARE person, chosen, place integer;
    DECLARE email varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    IF c_id_in = 0 THEN
        SELECT c_id, c_email_2 INTO person, email FROM customer WHERE c_tax_id = tax_id_in;
    ELSE
        SELECT c_id, c_email_2 INTO person, email FROM customer WHERE c_id = c_id_in;
    END IF;
    IF history_of_in > 0 THEN
        SET place = history_of_in - 1;
        SELECT ca_id INTO chosen FROM customer_account WHERE ca_c_id = person ORDER BY ca_id LIMIT place, 1;
    END IF;
    (
        SELECT STRAIGHT_JOIN ca_id, CAST(ca_bal * 100 AS SIGNED),
            CAST(coalesce(sum(hs_qty * lt_price), 0) * 100 AS SIGNED) AS assets_cents, NULL
        FROM customer_account
        LEFT JOIN holding_summary ON hs_ca_id = ca_id
        LEFT JOIN last_trade ON lt_s_symb = hs_s_symb
        WHERE ca_c_id = person
        GROUP BY ca_id, ca_bal ORDER BY assets_cents LIMIT 10
    )
    UNION ALL (
        SELECT STRAIGHT_JOIN t.t_ca_id, t.t_qty, NULL, t.t_id
        FROM (SELECT t_id, t_ca_id, t_qty FROM trade WHERE t_ca_id = chosen ORDER BY t_dts DESC LIMIT 10) t
        JOIN trade_history ON th_t_id = t.t_id
        JOIN status_type ON st_id = th_st_id
        ORDER BY th_dts DESC LIMIT 30
    );
END
//

-- The change of the market value of a watch list's, an account's or an industry's securities since a day, in
-- hundredths of a per cent; null where there are none.
CREATE PROCEDURE market_watch(
    c_id_in integer, ca_id_in integer, industry_in varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    from_company_in integer, day_in date
)
READS SQL DATA
BEGIN
    IF c_id_in > 0 THEN
        SELECT STRAIGHT_JOIN CAST(10000 * (sum(s_num_out * lt_price) / sum(s_num_out * dm_close) - 1) AS SIGNED)
        FROM watch_list
        JOIN watch_item ON wi_wl_id = wl_id
        JOIN security ON s_symb = wi_s_symb
        JOIN last_trade ON lt_s_symb = s_symb
        JOIN daily_market ON dm_s_symb = s_symb AND dm_date = day_in
        WHERE wl_c_id = c_id_in;
    ELSEIF ca_id_in > 0 THEN
        SELECT STRAIGHT_JOIN CAST(10000 * (sum(s_num_out * lt_price) / sum(s_num_out * dm_close) - 1) AS SIGNED)
        FROM holding_summary
        JOIN security ON s_symb = hs_s_symb
        JOIN last_trade ON lt_s_symb = s_symb
        JOIN daily_market ON dm_s_symb = s_symb AND dm_date = day_in
        WHERE hs_ca_id = ca_id_in;
    ELSE
        SELECT STRAIGHT_JOIN CAST(10000 * (sum(s_num_out * lt_price) / sum(s_num_out * dm_close) - 1) AS SIGNED)
        FROM industry
        JOIN company ON co_in_id = in_id
        JOIN security ON s_co_id = co_id
        JOIN last_trade ON lt_s_symb = s_symb
        JOIN daily_market ON dm_s_symb = s_symb AND dm_date = day_in
        WHERE in_name = industry_in AND co_id BETWEEN from_company_in AND from_company_in + 5000;
    END IF;
END
//

-- A row for each day from a day on: its close and volume; before it everything about the security and its company is
-- read, with the texts of its news or without.
CREATE PROCEDURE security_detail(
    symbol_in varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, days_in integer, has_texts_in integer, day_in date
)
READS SQL DATA
BEGIN
    DECLARE company_number integer;
    DECLARE found text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE total decimal(30, 2);
    SELECT co_id, concat(s_name, co_name, co_desc, c.ad_line1, cz.zc_town, ex_name, e.ad_line1, ez.zc_town)
    INTO company_number, found
    FROM security
    JOIN company ON co_id = s_co_id
    JOIN address c ON c.ad_id = co_ad_id
    JOIN zip_code cz ON cz.zc_code = c.ad_zc_code
    JOIN exchange ON ex_id = s_ex_id
    JOIN address e ON e.ad_id = ex_ad_id
    JOIN zip_code ez ON ez.zc_code = e.ad_zc_code
    WHERE s_symb = symbol_in;
    SELECT STRAIGHT_JOIN max(concat(co_name, in_name)) INTO found
    FROM company_competitor JOIN company ON co_id = cp_comp_co_id JOIN industry ON in_id = cp_in_id
    WHERE cp_co_id = company_number;
    SELECT sum(
        fi_revenue + fi_net_earn + fi_basic_eps + fi_dilut_eps + fi_margin + fi_inventory + fi_assets + fi_liability
        + fi_out_basic + fi_out_dilut
    ) INTO total FROM financial WHERE fi_co_id = company_number;
    SELECT lt_price + lt_open_price + lt_vol INTO total FROM last_trade WHERE lt_s_symb = symbol_in;
    IF has_texts_in = 1 THEN
        SELECT STRAIGHT_JOIN max(concat(ni_dts, ni_source, ni_author, ni_item)) INTO found
        FROM news_xref JOIN news_item ON ni_id = nx_ni_id WHERE nx_co_id = company_number;
    ELSE
        SELECT STRAIGHT_JOIN max(concat(ni_dts, ni_source, ni_author, ni_headline, ni_summary)) INTO found
        FROM news_xref JOIN news_item ON ni_id = nx_ni_id WHERE nx_co_id = company_number;
    END IF;
    SELECT CAST(dm_close * 100 AS SIGNED), dm_vol FROM daily_market
    WHERE dm_s_symb = symbol_in AND dm_date >= day_in
    ORDER BY dm_date LIMIT days_in;
END
//

-- A row for each change of a chosen trade's state: number, bid, settlement, cash. Trades are chosen by their numbers
-- (frame 1), of an account (2) or of a security (3) in a span of time: twenty at most. Frame 4 gives the history of the
-- holding that the account's first trade from a moment on made.
CREATE PROCEDURE trade_lookup(
    frame_in integer,
    number1_in integer, number2_in integer, number3_in integer, number4_in integer, number5_in integer,
    number6_in integer, number7_in integer, number8_in integer, number9_in integer, number10_in integer,
    number11_in integer, number12_in integer, number13_in integer, number14_in integer, number15_in integer,
    number16_in integer, number17_in integer, number18_in integer, number19_in integer, number20_in integer,
    ca_id_in integer, symbol_in varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, from_in datetime, to_in datetime
)
READS SQL DATA
BEGIN
    IF frame_in < 4 THEN
        SELECT STRAIGHT_JOIN t_id, CAST(t_bid_price * 100 AS SIGNED), CAST(se_amt * 100 AS SIGNED),
            CAST(ct_amt * 100 AS SIGNED)
        FROM (
            SELECT t_id AS number FROM trade WHERE frame_in = 1 AND t_id IN (
                number1_in, number2_in, number3_in, number4_in, number5_in, number6_in, number7_in,
                number8_in, number9_in, number10_in, number11_in, number12_in, number13_in,
                number14_in, number15_in, number16_in, number17_in, number18_in, number19_in,
                number20_in
            )
            UNION ALL (
                SELECT t_id FROM trade
                WHERE frame_in = 2 AND t_ca_id = ca_id_in AND t_dts BETWEEN from_in AND to_in ORDER BY t_dts LIMIT 20
            )
            UNION ALL (
                SELECT t_id FROM trade
                WHERE frame_in = 3 AND t_s_symb = symbol_in AND t_dts BETWEEN from_in AND to_in ORDER BY t_dts LIMIT 20
            )
        ) chosen
        JOIN trade ON t_id = number
        JOIN trade_type ON tt_id = t_tt_id
        LEFT JOIN settlement ON se_t_id = t_id
        LEFT JOIN cash_transaction ON ct_t_id = t_id
        JOIN trade_history ON th_t_id = t_id
        ORDER BY t_id, th_dts;
    ELSE
        SELECT STRAIGHT_JOIN c.hh_t_id, c.hh_before_qty, c.hh_after_qty, NULL
        FROM (SELECT t_id FROM trade WHERE t_ca_id = ca_id_in AND t_dts >= from_in ORDER BY t_dts LIMIT 1) f
        JOIN holding_history h ON h.hh_t_id = f.t_id
        JOIN holding_history c ON c.hh_h_t_id = h.hh_h_t_id
        LIMIT 20;
    END IF;
END
//

-- The 50 newest trades of an account: number, state and quantity.
CREATE PROCEDURE trade_status(ca_id_in integer)
READS SQL DATA
BEGIN
    DECLARE named varchar(120) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    SELECT concat(c_l_name, c_f_name, b_name) INTO named
    FROM customer_account JOIN customer ON c_id = ca_c_id JOIN broker ON b_id = ca_b_id WHERE ca_id = ca_id_in;
    -- If a small table were scanned instead, all trades of the account would be read and sorted.
    SELECT STRAIGHT_JOIN t_id, st_name, t_qty
    FROM trade FORCE INDEX (ix_trade_account)
    JOIN status_type FORCE INDEX (PRIMARY) ON st_id = t_st_id
    JOIN trade_type FORCE INDEX (PRIMARY) ON tt_id = t_tt_id
    JOIN security ON s_symb = t_s_symb
    JOIN exchange FORCE INDEX (PRIMARY) ON ex_id = s_ex_id
    WHERE t_ca_id = ca_id_in ORDER BY t_dts DESC LIMIT 50;
END
//

-- How many of the chosen trades were changed: who executed them (frame 1), how they were settled (2), the name of the
-- cash transaction (3). A change that is made twice restores what was there.
CREATE PROCEDURE trade_update(
    frame_in integer,
    number1_in integer, number2_in integer, number3_in integer, number4_in integer, number5_in integer,
    number6_in integer, number7_in integer, number8_in integer, number9_in integer, number10_in integer,
    number11_in integer, number12_in integer, number13_in integer, number14_in integer, number15_in integer,
    number16_in integer, number17_in integer, number18_in integer, number19_in integer, number20_in integer,
    ca_id_in integer, symbol_in varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, from_in datetime, to_in datetime
)
MODIFIES SQL DATA
BEGIN
    DECLARE trade_id, changed integer DEFAULT 0;
    DECLARE total decimal(30, 2);
    -- Only trades that have such a row: searching for a missing row would lock the gap in which the next one is
    -- inserted.
    DECLARE trades CURSOR FOR
        SELECT STRAIGHT_JOIN number, max(t_bid_price + coalesce(se_amt, 0) + coalesce(ct_amt, 0))
        FROM (
            SELECT t_id AS number FROM trade WHERE frame_in = 1 AND t_id IN (
                number1_in, number2_in, number3_in, number4_in, number5_in, number6_in, number7_in,
                number8_in, number9_in, number10_in, number11_in, number12_in, number13_in,
                number14_in, number15_in, number16_in, number17_in, number18_in, number19_in,
                number20_in
            )
            UNION ALL (
                SELECT t_id FROM trade
                WHERE frame_in = 2 AND t_ca_id = ca_id_in AND t_dts BETWEEN from_in AND to_in ORDER BY t_dts LIMIT 20
            )
            UNION ALL (
                SELECT t_id FROM trade
                WHERE frame_in = 3 AND t_s_symb = symbol_in AND t_dts BETWEEN from_in AND to_in ORDER BY t_dts LIMIT 20
            )
        ) chosen
        JOIN trade ON t_id = number
        JOIN trade_history ON th_t_id = number
        LEFT JOIN settlement ON se_t_id = number
        LEFT JOIN cash_transaction ON ct_t_id = number
        WHERE frame_in = 1 OR (frame_in = 2 AND se_t_id IS NOT NULL) OR (frame_in = 3 AND ct_t_id IS NOT NULL)
        GROUP BY number ORDER BY number;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    START TRANSACTION;
    OPEN trades;
    changing: BEGIN
        DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
        LOOP
            FETCH trades INTO trade_id, total;
            IF frame_in = 1 THEN
                UPDATE trade SET t_exec_name = CASE WHEN t_exec_name LIKE '% X'
                    THEN left(t_exec_name, char_length(t_exec_name) - 2) ELSE concat(left(t_exec_name, 47), ' X') END
                WHERE t_id = trade_id;
            ELSEIF frame_in = 2 THEN
                UPDATE settlement SET se_cash_type = CASE se_cash_type
                    WHEN 'Cash Account' THEN 'Cash' WHEN 'Cash' THEN 'Cash Account'
                    WHEN 'Margin' THEN 'Margin Account' ELSE 'Margin' END
                WHERE se_t_id = trade_id;
            ELSE
                UPDATE cash_transaction SET ct_name = CASE WHEN ct_name LIKE '% shares of %'
                    THEN replace(ct_name, ' shares of ', ' Shares of ')
                    ELSE replace(ct_name, ' Shares of ', ' shares of ') END
                WHERE ct_t_id = trade_id;
            END IF;
            SET changed = changed + 1;
        END LOOP;
    END;
    CLOSE trades;
    COMMIT;
    SELECT changed;
END
//

-- Cancels the incomplete trades of earlier runs, and returns their number. Trades of the last ten seconds belong to
-- this run, and are left alone.
CREATE PROCEDURE trade_cleanup()
MODIFIES SQL DATA
BEGIN
    DECLARE trade_id, cancelled integer DEFAULT 0;
    -- Read without locks, which would block new orders.
    DECLARE trades CURSOR FOR
        SELECT t_id FROM trade FORCE INDEX (fk_trade_status)
        WHERE t_st_id IN ('SBMT', 'PNDG') AND t_id > 1000000000 AND t_dts < now(6) - INTERVAL 10 SECOND ORDER BY t_id;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    START TRANSACTION;
    OPEN trades;
    cancelling: BEGIN
        DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
        LOOP
            FETCH trades INTO trade_id;
            UPDATE trade SET t_st_id = 'CNCL', t_dts = now(6) WHERE t_id = trade_id AND t_st_id IN ('SBMT', 'PNDG');
            IF row_count() = 1 THEN
                DELETE FROM trade_request WHERE tr_t_id = trade_id;
                INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (trade_id, now(6), 'CNCL');
                SET cancelled = cancelled + 1;
            END IF;
        END LOOP;
    END;
    CLOSE trades;
    COMMIT;
    SELECT cancelled;
END
//

-- Changes one of twelve tables (0 to 11) that no other transaction changes, in a row that a random number chooses, and
-- records what its value was, so that a reset restores it.
CREATE PROCEDURE data_maintenance(table_in integer, number_in integer)
MODIFIES SQL DATA
BEGIN
    DECLARE account, customer_number, company_number, place integer;
    DECLARE traded varchar(7) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE earlier, later varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
    DECLARE latest date;
    DECLARE named, field varchar(30);
    DECLARE chosen, chosen_after, value varchar(200);
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    START TRANSACTION;
    SELECT 1 + number_in MOD max(ca_id) INTO account FROM customer_account;
    SELECT 1 + number_in MOD max(c_id) INTO customer_number FROM customer;
    SELECT 1 + number_in MOD max(co_id) INTO company_number FROM company;
    SELECT s_symb INTO traded FROM security WHERE s_co_id = company_number LIMIT 1;
    CASE table_in
        WHEN 0 THEN
            SELECT ap_tax_id INTO earlier FROM account_permission WHERE ap_ca_id = account LIMIT 1;
            SET named = 'account_permission', field = 'ap_acl';
            SET chosen = concat('ap_ca_id = ', account, ' AND ap_tax_id = ', quote(earlier));
            SET value = 'CASE ap_acl WHEN ''1111'' THEN ''0011'' ELSE ''1111'' END';
        WHEN 1 THEN
            SET named = 'address', field = 'ad_line2', chosen = concat('ad_id = ', customer_number);
            SET value = 'CASE ad_line2 WHEN ''Apt. 10C'' THEN ''Apt. 22'' ELSE ''Apt. 10C'' END';
        WHEN 2 THEN
            SET named = 'company', field = 'co_sp_rate', chosen = concat('co_id = ', company_number);
            SET value = 'CASE co_sp_rate WHEN ''ABA'' THEN ''AAA'' ELSE ''ABA'' END';
        WHEN 3 THEN
            SET named = 'customer', field = 'c_email_2', chosen = concat('c_id = ', customer_number);
            SET value = 'CASE WHEN c_email_2 LIKE ''%post%'' THEN replace(c_email_2, ''post'', ''net'')
                ELSE concat(c_email_2, ''.x'') END';
        WHEN 4 THEN
            SELECT cx_tx_id INTO earlier FROM customer_taxrate WHERE cx_c_id = customer_number AND cx_tx_id LIKE 'R%';
            SET later = coalesce((SELECT tx_id FROM taxrate WHERE tx_id > earlier ORDER BY tx_id LIMIT 1), 'R020');
            SET named = 'customer_taxrate', field = 'cx_tx_id', value = quote(later);
            SET chosen = concat('cx_c_id = ', customer_number, ' AND cx_tx_id = ', quote(earlier));
            SET chosen_after = concat('cx_c_id = ', customer_number, ' AND cx_tx_id = ', quote(later));
        WHEN 5 THEN
            SELECT max(dm_date) - INTERVAL number_in MOD 28 DAY INTO latest FROM daily_market WHERE dm_s_symb = traded;
            SELECT max(dm_date) INTO latest FROM daily_market WHERE dm_s_symb = traded AND dm_date <= latest;
            SET named = 'daily_market', field = 'dm_vol', value = 'dm_vol + 1';
            SET chosen = concat('dm_s_symb = ', quote(traded), ' AND dm_date = ', quote(latest));
        WHEN 6 THEN
            SET place = number_in MOD 4;
            SELECT ex_id INTO earlier FROM exchange ORDER BY ex_id LIMIT place, 1;
            SET named = 'exchange', field = 'ex_desc', chosen = concat('ex_id = ', quote(earlier));
            SET value = 'concat(substring_index(ex_desc, '' LAST UPDATED'', 1), '' LAST UPDATED '', now())';
        WHEN 7 THEN
            SET named = 'financial', field = 'fi_qtr_start_date';
            SET place = 1 + number_in MOD 4;
            SET chosen = concat('fi_co_id = ', company_number, ' AND fi_year = 2024 AND fi_qtr = ', place);
            SET value = 'fi_qtr_start_date + INTERVAL CASE dayofmonth(fi_qtr_start_date) WHEN 1 THEN 1 ELSE -1 END DAY';
        WHEN 8 THEN
            SET named = 'news_item', field = 'ni_dts', chosen = concat('ni_id = ', company_number);
            SET value = 'ni_dts + INTERVAL 1 DAY';
        WHEN 9 THEN
            SET named = 'security', field = 's_exch_date', chosen = concat('s_symb = ', quote(traded));
            SET value = 's_exch_date + INTERVAL 1 DAY';
        WHEN 10 THEN
            SET place = number_in MOD 320;
            SELECT tx_id INTO earlier FROM taxrate ORDER BY tx_id LIMIT place, 1;
            SET named = 'taxrate', field = 'tx_name', chosen = concat('tx_id = ', quote(earlier));
            SET value = 'CASE WHEN tx_name LIKE ''%Tax%'' THEN replace(tx_name, ''Tax'', ''tax'')
                ELSE replace(tx_name, ''tax'', ''Tax'') END';
        ELSE
            SELECT wi_s_symb INTO earlier FROM watch_item
            WHERE wi_wl_id = customer_number ORDER BY wi_s_symb LIMIT 1;
            SELECT s_symb INTO later FROM security
            WHERE s_symb > earlier AND NOT EXISTS (
                SELECT 1 FROM watch_item WHERE wi_wl_id = customer_number AND wi_s_symb = s_symb
            ) ORDER BY s_symb LIMIT 1;
            SET named = 'watch_item', field = 'wi_s_symb', value = quote(later);
            SET chosen = concat('wi_wl_id = ', customer_number, ' AND wi_s_symb = ', quote(earlier));
            SET chosen_after = concat('wi_wl_id = ', customer_number, ' AND wi_s_symb = ', quote(later));
    END CASE;
    SET @spindle_statement = concat(
        'INSERT INTO maintained (m_table, m_column, m_where, m_before) SELECT ', quote(named), ', ', quote(field), ', ',
        quote(coalesce(chosen_after, chosen)), ', CAST(', field, ' AS char) FROM ', named, ' WHERE ', chosen,
        ' FOR UPDATE'
    );
    PREPARE recording FROM @spindle_statement;
    EXECUTE recording;
    DEALLOCATE PREPARE recording;
    SET @spindle_statement = concat('UPDATE ', named, ' SET ', field, ' = ', value, ' WHERE ', chosen);
    PREPARE changing FROM @spindle_statement;
    EXECUTE changing;
    DEALLOCATE PREPARE changing;
    COMMIT;
    SELECT table_in;
END
//

-- Restores what data maintenance has changed.
CREATE PROCEDURE undo_maintenance()
MODIFIES SQL DATA
BEGIN
    DECLARE named, field varchar(30);
    DECLARE chosen varchar(200);
    DECLARE earlier text;
    DECLARE changes CURSOR FOR SELECT m_table, m_column, m_where, m_before FROM maintained ORDER BY m_number DESC;
    OPEN changes;
    restoring: BEGIN
        DECLARE EXIT HANDLER FOR NOT FOUND BEGIN END;
        LOOP
            FETCH changes INTO named, field, chosen, earlier;
            SET @spindle_statement = concat(
                'UPDATE ', named, ' SET ', field, ' = ', quote(earlier), ' WHERE ', chosen
            );
            PREPARE restoring FROM @spindle_statement;
            EXECUTE restoring;
            DEALLOCATE PREPARE restoring;
        END LOOP;
    END;
    CLOSE changes;
    DELETE FROM maintained;
END
//
