-- The transactions of Brokerage (TPC-E specification, clause 3.3), each one call. Amounts are returned in cents.
--
-- They run at the level read committed, and fulfil the specification (clause 7.4) by locks and by reading each row only
-- once. Level 3, for Trade-Result: it locks the account first, and only Trade-Results change the holdings of an
-- account, so the holdings that it reads can't change until it ends. Level 2, for Trade-Order, Market-Feed and
-- Trade-Update: the first reads each row once, the others lock what they read. Rows that several accounts share are
-- locked in one order: account, securities by symbol, broker.

-- The number of the trade and its price; null if it was rolled back, which one order in a hundred asks for on purpose,
-- or if the executor has no permission. Market orders are submitted at once; limit orders wait for their price, which
-- is a percentage of the market's.
CREATE PROCEDURE trade_order(
    ca_id_in integer, exec_tax_id_in text, symbol_in text, co_name_in text, issue_in text, tt_id_in text,
    qty_in integer, limit_percent_in integer, is_lifo_in integer, is_margin_in integer, is_rolled_back_in integer,
    INOUT t_id_out integer, INOUT price_out bigint
)
LANGUAGE plpgsql
AS $$
DECLARE
    person integer;
    tier smallint;
    tax_status smallint;
    broker_number integer;
    owner_tax_id text;
    executor text;
    balance numeric;
    wanted text;
    exchange_wanted text;
    price numeric;
    sells boolean;
    at_market boolean;
    state text;
    charged numeric;
    rate numeric;
    requested numeric;
    held integer;
    needed integer := qty_in;
    bought numeric := 0;
    sold numeric := 0;
    taxes numeric := 0;
    assets numeric;
    lot record;
BEGIN
    price_out := NULL;
    t_id_out := NULL;
    SELECT c_id, c_tier, ca_tax_st, b_id, c_tax_id, c_f_name || ' ' || c_l_name, ca_bal
    INTO STRICT person, tier, tax_status, broker_number, owner_tax_id, executor, balance
    FROM customer_account JOIN customer ON c_id = ca_c_id JOIN broker ON b_id = ca_b_id WHERE ca_id = ca_id_in;
    IF exec_tax_id_in <> owner_tax_id THEN
        SELECT ap_f_name || ' ' || ap_l_name INTO executor FROM account_permission
        WHERE ap_ca_id = ca_id_in AND ap_tax_id = exec_tax_id_in;
        IF NOT FOUND THEN
            ROLLBACK;
            RETURN;
        END IF;
    END IF;
    IF symbol_in = '' THEN
        SELECT s_symb, s_ex_id, lt_price INTO STRICT wanted, exchange_wanted, price
        FROM company JOIN security ON s_co_id = co_id JOIN last_trade ON lt_s_symb = s_symb
        WHERE co_name = co_name_in AND s_issue = issue_in;
    ELSE
        SELECT s_symb, s_ex_id, lt_price INTO STRICT wanted, exchange_wanted, price
        FROM security JOIN company ON co_id = s_co_id JOIN last_trade ON lt_s_symb = s_symb
        WHERE s_symb = symbol_in;
    END IF;
    SELECT tt_is_sell = 1, tt_is_mrkt = 1, ch_chrg, cr_rate INTO STRICT sells, at_market, charged, rate
    FROM trade_type JOIN charge ON ch_tt_id = tt_id JOIN commission_rate ON cr_tt_id = tt_id AND cr_c_tier = ch_c_tier
    WHERE tt_id = tt_id_in AND ch_c_tier = tier AND cr_ex_id = exchange_wanted
        AND cr_from_qty <= qty_in AND cr_to_qty >= qty_in;
    state := CASE WHEN at_market THEN 'SBMT' ELSE 'PNDG' END;
    requested := CASE WHEN at_market THEN price ELSE round(price * limit_percent_in / 100, 2) END;
    SELECT hs_qty INTO held FROM holding_summary WHERE hs_ca_id = ca_id_in AND hs_s_symb = wanted;
    held := coalesce(held, 0);
    -- The estimated gain of the trade, from the lots that it would close.
    IF (sells AND held > 0) OR (NOT sells AND held < 0) THEN
        FOR lot IN
            SELECT abs(h_qty) AS quantity, h_price FROM holding
            WHERE h_ca_id = ca_id_in AND h_s_symb = wanted
            ORDER BY CASE WHEN is_lifo_in = 1 THEN h_dts END DESC, h_dts
        LOOP
            EXIT WHEN needed <= 0;
            bought := bought + least(needed, lot.quantity)
                * CASE WHEN sells THEN lot.h_price ELSE requested END;
            sold := sold + least(needed, lot.quantity)
                * CASE WHEN sells THEN requested ELSE lot.h_price END;
            needed := needed - lot.quantity;
        END LOOP;
        IF sold > bought AND tax_status IN (1, 2) THEN
            SELECT (sold - bought) * sum(tx_rate) INTO taxes
            FROM customer_taxrate JOIN taxrate ON tx_id = cx_tx_id WHERE cx_c_id = person;
        END IF;
    END IF;
    IF is_margin_in = 1 THEN
        SELECT balance + held * price + coalesce(sum(hs_qty * lt_price), 0) INTO assets
        FROM holding_summary JOIN last_trade ON lt_s_symb = hs_s_symb WHERE hs_ca_id = ca_id_in AND hs_s_symb <> wanted;
    END IF;
    INSERT INTO trade (
        t_id, t_dts, t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id, t_exec_name, t_trade_price,
        t_chrg, t_comm, t_tax, t_lifo
    ) VALUES (
        nextval('trade_number'), localtimestamp, state, tt_id_in,
        1 - is_margin_in, wanted, qty_in, requested, ca_id_in, executor, NULL, charged,
        round(qty_in * requested * rate / 100, 2), 0, is_lifo_in
    ) RETURNING t_id INTO t_id_out;
    IF NOT at_market THEN
        INSERT INTO trade_request (tr_t_id, tr_tt_id, tr_s_symb, tr_qty, tr_bid_price, tr_b_id)
        VALUES (t_id_out, tt_id_in, wanted, qty_in, requested, broker_number);
    END IF;
    INSERT INTO trade_history (th_t_id, th_dts, th_st_id)
    VALUES (t_id_out, localtimestamp, state);
    IF is_rolled_back_in = 1 THEN
        ROLLBACK;
        t_id_out := NULL;
        RETURN;
    END IF;
    price_out := requested * 100;
END
$$;

-- Completes a submitted trade at a price, and returns its account; null if the trade is not in the state submitted, for
-- instance because it was completed before.
CREATE FUNCTION trade_result(t_id_in integer, price_cents_in integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    made trade%ROWTYPE;
    account customer_account%ROWTYPE;
    price numeric := price_cents_in / 100.0;
    is_sale boolean;
    kind_name text;
    held integer;
    needed integer;
    lot record;
    part integer;
    direction integer;
    bought numeric := 0;
    sold numeric := 0;
    taxes numeric := 0;
    commission numeric;
    amount numeric;
BEGIN
    SELECT ca.* INTO account FROM trade t JOIN customer_account ca ON ca.ca_id = t.t_ca_id
    WHERE t.t_id = t_id_in FOR UPDATE OF ca;
    SELECT * INTO made FROM trade WHERE t_id = t_id_in AND t_st_id = 'SBMT' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT tt_is_sell = 1, tt_name INTO STRICT is_sale, kind_name FROM trade_type WHERE tt_id = made.t_tt_id;
    direction := CASE WHEN is_sale THEN -1 ELSE 1 END;
    SELECT hs_qty INTO held FROM holding_summary WHERE hs_ca_id = made.t_ca_id AND hs_s_symb = made.t_s_symb;
    needed := made.t_qty;
    IF held IS NULL THEN
        INSERT INTO holding_summary (hs_ca_id, hs_s_symb, hs_qty)
        VALUES (made.t_ca_id, made.t_s_symb, direction * made.t_qty);
    ELSE
        IF held + direction * made.t_qty <> 0 THEN
            UPDATE holding_summary SET hs_qty = held + direction * made.t_qty
            WHERE hs_ca_id = made.t_ca_id AND hs_s_symb = made.t_s_symb;
        END IF;
        IF sign(held) = -direction THEN
            FOR lot IN
                SELECT h_t_id, h_qty, h_price FROM holding
                WHERE h_ca_id = made.t_ca_id AND h_s_symb = made.t_s_symb
                ORDER BY CASE WHEN made.t_lifo = 1 THEN h_dts END DESC, h_dts
            LOOP
                EXIT WHEN needed = 0;
                part := least(needed, abs(lot.h_qty));
                INSERT INTO holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
                VALUES (lot.h_t_id, t_id_in, lot.h_qty, lot.h_qty + direction * part);
                IF part = abs(lot.h_qty) THEN
                    DELETE FROM holding WHERE h_t_id = lot.h_t_id;
                ELSE
                    UPDATE holding SET h_qty = h_qty + direction * part WHERE h_t_id = lot.h_t_id;
                END IF;
                bought := bought + part * CASE WHEN is_sale THEN lot.h_price ELSE price END;
                sold := sold + part * CASE WHEN is_sale THEN price ELSE lot.h_price END;
                needed := needed - part;
            END LOOP;
        END IF;
    END IF;
    IF needed > 0 THEN
        INSERT INTO holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
        VALUES (t_id_in, made.t_ca_id, made.t_s_symb, localtimestamp, price, direction * needed);
        INSERT INTO holding_history (hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty)
        VALUES (t_id_in, t_id_in, 0, direction * needed);
    ELSIF held + direction * made.t_qty = 0 THEN
        DELETE FROM holding_summary WHERE hs_ca_id = made.t_ca_id AND hs_s_symb = made.t_s_symb;
    END IF;
    IF sold > bought AND account.ca_tax_st IN (1, 2) THEN
        SELECT round((sold - bought) * sum(tx_rate), 2) INTO taxes
        FROM customer_taxrate JOIN taxrate ON tx_id = cx_tx_id WHERE cx_c_id = account.ca_c_id;
    END IF;
    SELECT round(made.t_qty * price * cr_rate / 100, 2) INTO STRICT commission
    FROM security s, customer c, commission_rate
    WHERE s.s_symb = made.t_s_symb AND c.c_id = account.ca_c_id AND cr_c_tier = c.c_tier
        AND cr_tt_id = made.t_tt_id AND cr_ex_id = s.s_ex_id AND cr_from_qty <= made.t_qty AND cr_to_qty >= made.t_qty;
    UPDATE trade SET
        t_comm = commission, t_tax = taxes, t_dts = localtimestamp, t_st_id = 'CMPT', t_trade_price = price
    WHERE t_id = t_id_in;
    INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (t_id_in, localtimestamp, 'CMPT');
    amount := -direction * made.t_qty * price - made.t_chrg - commission
        - CASE WHEN account.ca_tax_st = 1 THEN taxes ELSE 0 END;
    INSERT INTO settlement (se_t_id, se_cash_type, se_cash_due_date, se_amt)
    VALUES (t_id_in, CASE WHEN made.t_is_cash = 1 THEN 'Cash Account' ELSE 'Margin' END, current_date + 2, amount);
    IF made.t_is_cash = 1 THEN
        UPDATE customer_account SET ca_bal = ca_bal + amount WHERE ca_id = made.t_ca_id;
        INSERT INTO cash_transaction (ct_t_id, ct_dts, ct_amt, ct_name)
        VALUES (t_id_in, localtimestamp, amount, cash_name(made.t_tt_id, made.t_qty, made.t_s_symb));
    END IF;
    -- Last, since all accounts of the broker wait for its row.
    UPDATE broker SET b_comm_total = b_comm_total + commission, b_num_trades = b_num_trades + 1
    WHERE b_id = account.ca_b_id;
    RETURN made.t_ca_id;
END
$$;

CREATE FUNCTION cash_name(tt_id text, quantity integer, symbol text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT tt_id || ' ' || lpad(quantity::text, 4, '0') || ' shares of ' || symbol
$$;

-- The market's last trades, by symbols in ascending order; and the limit orders that these prices submit: a row each.
CREATE FUNCTION market_feed(symbols_in text, prices_cents_in integer[], quantities_in integer[])
RETURNS TABLE (t_id integer, ca_id integer, symbol text, quantity integer, price_cents bigint)
LANGUAGE plpgsql
AS $$
DECLARE
    symbols text[] := string_to_array(symbols_in, ',');
    price numeric;
    request record;
BEGIN
    FOR place IN 1 .. array_length(symbols, 1) LOOP
        price := prices_cents_in[place] / 100.0;
        UPDATE last_trade SET lt_price = price, lt_vol = lt_vol + quantities_in[place], lt_dts = localtimestamp
        WHERE lt_s_symb = symbols[place];
        FOR request IN
            SELECT r.tr_t_id, r.tr_qty, r.tr_bid_price FROM trade_request r
            WHERE r.tr_s_symb = symbols[place]
                AND ((r.tr_tt_id IN ('TSL', 'TLB') AND r.tr_bid_price >= price)
                    OR (r.tr_tt_id = 'TLS' AND r.tr_bid_price <= price))
            ORDER BY r.tr_t_id FOR UPDATE
        LOOP
            UPDATE trade SET t_dts = localtimestamp, t_st_id = 'SBMT' WHERE trade.t_id = request.tr_t_id
            RETURNING t_ca_id INTO ca_id;
            DELETE FROM trade_request WHERE tr_t_id = request.tr_t_id;
            INSERT INTO trade_history (th_t_id, th_dts, th_st_id) VALUES (request.tr_t_id, localtimestamp, 'SBMT');
            t_id := request.tr_t_id;
            symbol := symbols[place];
            quantity := request.tr_qty;
            price_cents := request.tr_bid_price * 100;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END
$$;

-- The value of the limit orders of the named brokers in a sector: the broker's number and the value, largest first.
CREATE FUNCTION broker_volume(names_in text, sector_in text) RETURNS TABLE (broker integer, volume_cents bigint)
LANGUAGE sql STABLE
AS $$
    SELECT b.b_id, (sum(r.tr_qty * r.tr_bid_price) * 100)::bigint
    FROM broker b
    JOIN trade_request r ON r.tr_b_id = b.b_id
    JOIN security s ON s.s_symb = r.tr_s_symb
    JOIN company c ON c.co_id = s.s_co_id
    JOIN industry i ON i.in_id = c.co_in_id
    JOIN sector ON sc_id = i.in_sc_id
    WHERE b.b_name = ANY (string_to_array(names_in, '|')) AND sc_name = sector_in
    GROUP BY b.b_id ORDER BY 2 DESC
$$;

-- A row for each account of the customer: its number, balance, and what its holdings are worth. With a history, the
-- rows of the ten newest trades of one of the accounts follow, with the number of the trade.
CREATE FUNCTION customer_position(c_id_in integer, tax_id_in text, history_of_in integer)
RETURNS TABLE (account integer, balance_cents bigint, assets_cents bigint, trade integer)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    person integer := c_id_in;
    chosen integer;
BEGIN
    IF person = 0 THEN
        SELECT c_id INTO STRICT person FROM customer WHERE c_tax_id = tax_id_in;
    END IF;
    PERFORM * FROM customer WHERE c_id = person;
    RETURN QUERY
        SELECT ca.ca_id, (ca.ca_bal * 100)::bigint, (coalesce(sum(hs.hs_qty * lt.lt_price), 0) * 100)::bigint, NULL::integer
        FROM customer_account ca
        LEFT JOIN holding_summary hs ON hs.hs_ca_id = ca.ca_id
        LEFT JOIN last_trade lt ON lt.lt_s_symb = hs.hs_s_symb
        WHERE ca.ca_c_id = person
        GROUP BY ca.ca_id, ca.ca_bal ORDER BY 3;
    IF history_of_in > 0 THEN
        SELECT ca_id INTO chosen FROM customer_account WHERE ca_c_id = person ORDER BY ca_id
        OFFSET history_of_in - 1 LIMIT 1;
        RETURN QUERY
            SELECT t.t_ca_id, t.t_qty::bigint, NULL::bigint, t.t_id
            FROM (SELECT n.t_id, n.t_ca_id, n.t_qty FROM trade n WHERE n.t_ca_id = chosen ORDER BY n.t_dts DESC LIMIT 10) t
            JOIN trade_history th ON th.th_t_id = t.t_id
            JOIN status_type st ON st.st_id = th.th_st_id
            ORDER BY th.th_dts DESC LIMIT 30;
    END IF;
END
$$;

-- The change of the market value of a watch list's, an account's or an industry's securities since a day, in
-- hundredths of a per cent; null where there are none.
CREATE FUNCTION market_watch(c_id_in integer, ca_id_in integer, industry_in text, from_company_in integer, day_in text)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    symbols text[];
    change bigint;
BEGIN
    IF c_id_in > 0 THEN
        symbols := ARRAY(
            SELECT wi_s_symb FROM watch_list JOIN watch_item ON wi_wl_id = wl_id WHERE wl_c_id = c_id_in
        );
    ELSIF ca_id_in > 0 THEN
        symbols := ARRAY(SELECT hs_s_symb FROM holding_summary WHERE hs_ca_id = ca_id_in);
    ELSE
        symbols := ARRAY(
            SELECT s_symb FROM industry JOIN company ON co_in_id = in_id JOIN security ON s_co_id = co_id
            WHERE in_name = industry_in AND co_id BETWEEN from_company_in AND from_company_in + 5000
        );
    END IF;
    SELECT (10000 * (sum(s_num_out * lt_price) / sum(s_num_out * dm_close) - 1))::bigint INTO change
    FROM security
    JOIN last_trade ON lt_s_symb = s_symb
    JOIN daily_market ON dm_s_symb = s_symb AND dm_date = day_in::date
    WHERE s_symb = ANY (symbols);
    RETURN change;
END
$$;

-- A row for each day from a day on: its close and volume; before it everything about the security and its company is
-- read, with the texts of its news or without.
CREATE FUNCTION security_detail(symbol_in text, days_in integer, has_texts_in integer, day_in text)
RETURNS TABLE (close_cents bigint, volume bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    company_number integer;
BEGIN
    SELECT c.co_id INTO STRICT company_number
    FROM security s
    JOIN company c ON c.co_id = s.s_co_id
    JOIN address ca ON ca.ad_id = c.co_ad_id
    JOIN zip_code cz ON cz.zc_code = ca.ad_zc_code
    JOIN exchange e ON e.ex_id = s.s_ex_id
    JOIN address ea ON ea.ad_id = e.ex_ad_id
    JOIN zip_code ez ON ez.zc_code = ea.ad_zc_code
    WHERE s.s_symb = symbol_in;
    PERFORM o.co_name, i.in_name FROM company_competitor
        JOIN company o ON o.co_id = cp_comp_co_id JOIN industry i ON i.in_id = cp_in_id
    WHERE cp_co_id = company_number LIMIT 3;
    PERFORM * FROM financial WHERE fi_co_id = company_number ORDER BY fi_year, fi_qtr LIMIT 20;
    PERFORM lt_price, lt_open_price, lt_vol FROM last_trade WHERE lt_s_symb = symbol_in;
    IF has_texts_in = 1 THEN
        PERFORM ni_item, ni_dts, ni_source, ni_author FROM news_xref JOIN news_item ON ni_id = nx_ni_id
        WHERE nx_co_id = company_number LIMIT 2;
    ELSE
        PERFORM ni_dts, ni_source, ni_author, ni_headline, ni_summary FROM news_xref JOIN news_item ON ni_id = nx_ni_id
        WHERE nx_co_id = company_number LIMIT 2;
    END IF;
    RETURN QUERY
        SELECT (dm_close * 100)::bigint, dm_vol FROM daily_market
        WHERE dm_s_symb = symbol_in AND dm_date >= day_in::date
        ORDER BY dm_date LIMIT days_in;
END
$$;

-- The trades of a lookup or an update: by their numbers (frame 1), of an account (2) or of a security (3) in a span of
-- time. Twenty at most.
CREATE FUNCTION chosen_trades(
    frame_in integer, numbers_in integer[], ca_id_in integer, symbol_in text, from_in text, to_in text
) RETURNS SETOF integer
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF frame_in = 1 THEN
        RETURN QUERY SELECT t_id FROM trade WHERE t_id = ANY (numbers_in);
    ELSIF frame_in = 2 THEN
        RETURN QUERY SELECT t_id FROM trade
        WHERE t_ca_id = ca_id_in AND t_dts BETWEEN from_in::timestamp AND to_in::timestamp ORDER BY t_dts LIMIT 20;
    ELSE
        RETURN QUERY SELECT t_id FROM trade
        WHERE t_s_symb = symbol_in AND t_dts BETWEEN from_in::timestamp AND to_in::timestamp ORDER BY t_dts LIMIT 20;
    END IF;
END
$$;

-- A row for each change of a chosen trade's state: number, bid, settlement, cash. Frame 4 gives the history of the
-- holding that the account's first trade from a moment on made.
CREATE FUNCTION trade_lookup(
    frame_in integer, numbers_in integer[], ca_id_in integer, symbol_in text, from_in text, to_in text
) RETURNS TABLE (t_id integer, bid_cents bigint, settled_cents bigint, cash_cents bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    chosen integer[];
    first_trade integer;
BEGIN
    IF frame_in < 4 THEN
        chosen := ARRAY(SELECT chosen_trades(frame_in, numbers_in, ca_id_in, symbol_in, from_in, to_in));
        RETURN QUERY
            SELECT t.t_id, (t.t_bid_price * 100)::bigint, (se_amt * 100)::bigint, (ct_amt * 100)::bigint
            FROM trade t
            JOIN trade_type tt ON tt.tt_id = t.t_tt_id
            LEFT JOIN settlement ON se_t_id = t.t_id
            LEFT JOIN cash_transaction ON ct_t_id = t.t_id
            JOIN trade_history ON th_t_id = t.t_id
            WHERE t.t_id = ANY (chosen)
            ORDER BY t.t_id, th_dts;
        RETURN;
    END IF;
    SELECT n.t_id INTO first_trade FROM trade n WHERE n.t_ca_id = ca_id_in AND n.t_dts >= from_in::timestamp
    ORDER BY n.t_dts LIMIT 1;
    RETURN QUERY
        SELECT hh_t_id, hh_before_qty::bigint, hh_after_qty::bigint, NULL::bigint FROM holding_history
        WHERE hh_h_t_id IN (SELECT hh_h_t_id FROM holding_history WHERE hh_t_id = first_trade) LIMIT 20;
END
$$;

-- The 50 newest trades of an account: number, state and quantity.
CREATE FUNCTION trade_status(ca_id_in integer) RETURNS TABLE (t_id integer, state text, quantity integer)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    PERFORM c_l_name, c_f_name, b_name FROM customer_account
        JOIN customer ON c_id = ca_c_id JOIN broker ON b_id = ca_b_id
    WHERE ca_id = ca_id_in;
    RETURN QUERY
        SELECT t.t_id, st_name::text, t.t_qty
        FROM (SELECT * FROM trade n WHERE n.t_ca_id = ca_id_in ORDER BY n.t_dts DESC LIMIT 50) t
        JOIN status_type ON st_id = t.t_st_id
        JOIN trade_type ON tt_id = t.t_tt_id
        JOIN security ON s_symb = t.t_s_symb
        JOIN exchange ON ex_id = s_ex_id
        ORDER BY t.t_dts DESC;
END
$$;

-- How many of the chosen trades were changed: who executed them (frame 1), how they were settled (2), the name of the
-- cash transaction (3). A change that is made twice restores what was there.
CREATE FUNCTION trade_update(
    frame_in integer, numbers_in integer[], ca_id_in integer, symbol_in text, from_in text, to_in text
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    chosen integer[];
    changed integer;
BEGIN
    chosen := ARRAY(SELECT chosen_trades(frame_in, numbers_in, ca_id_in, symbol_in, from_in, to_in));
    PERFORM t_id FROM trade WHERE t_id = ANY (chosen) ORDER BY t_id FOR UPDATE;
    IF frame_in = 1 THEN
        UPDATE trade SET t_exec_name = CASE WHEN t_exec_name LIKE '% X'
            THEN left(t_exec_name, -2) ELSE left(t_exec_name, 47) || ' X' END
        WHERE t_id = ANY (chosen);
    ELSIF frame_in = 2 THEN
        UPDATE settlement SET se_cash_type = CASE se_cash_type
            WHEN 'Cash Account' THEN 'Cash' WHEN 'Cash' THEN 'Cash Account'
            WHEN 'Margin' THEN 'Margin Account' ELSE 'Margin' END
        WHERE se_t_id = ANY (chosen);
    ELSE
        UPDATE cash_transaction SET ct_name = CASE WHEN ct_name LIKE '% shares of %'
            THEN replace(ct_name, ' shares of ', ' Shares of ') ELSE replace(ct_name, ' Shares of ', ' shares of ') END
        WHERE ct_t_id = ANY (chosen);
    END IF;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM * FROM trade JOIN trade_history ON th_t_id = t_id
        LEFT JOIN settlement ON se_t_id = t_id LEFT JOIN cash_transaction ON ct_t_id = t_id
    WHERE t_id = ANY (chosen);
    RETURN changed;
END
$$;

-- Cancels the incomplete trades of earlier runs, and returns their number. Trades of the last ten seconds belong to
-- this run, and are left alone.
CREATE FUNCTION trade_cleanup() RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    cancelled integer;
BEGIN
    WITH ended AS (
        UPDATE trade SET t_st_id = 'CNCL', t_dts = localtimestamp
        WHERE t_id > 1000000000 AND t_dts < localtimestamp - interval '10 seconds' AND t_st_id IN ('SBMT', 'PNDG')
        RETURNING t_id
    ), removed AS (
        DELETE FROM trade_request WHERE tr_t_id IN (SELECT t_id FROM ended)
    )
    INSERT INTO trade_history (th_t_id, th_dts, th_st_id) SELECT t_id, localtimestamp, 'CNCL' FROM ended;
    GET DIAGNOSTICS cancelled = ROW_COUNT;
    RETURN cancelled;
END
$$;

-- Changes one value of a table and records what it was, so that a reset restores it.
CREATE PROCEDURE maintain(table_in text, column_in text, where_in text, value_in text, where_after_in text DEFAULT '')
LANGUAGE plpgsql
AS $$
DECLARE
    before text;
BEGIN
    EXECUTE format('SELECT %I::text FROM %I WHERE %s FOR UPDATE', column_in, table_in, where_in) INTO before;
    INSERT INTO maintained (m_table, m_column, m_where, m_before)
    VALUES (table_in, column_in, coalesce(nullif(where_after_in, ''), where_in), before);
    EXECUTE format('UPDATE %I SET %I = %s WHERE %s', table_in, column_in, value_in, where_in);
END
$$;

-- Changes one of twelve tables (0 to 11) that no other transaction changes, in a row that a random number chooses.
CREATE FUNCTION data_maintenance(table_in integer, number_in integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    account integer;
    customer_number integer;
    company_number integer;
    symbol text;
    day date;
    old text;
    new text;
BEGIN
    SELECT 1 + number_in % max(ca_id) INTO account FROM customer_account;
    SELECT 1 + number_in % max(c_id) INTO customer_number FROM customer;
    SELECT 1 + number_in % max(co_id) INTO company_number FROM company;
    SELECT s_symb INTO symbol FROM security WHERE s_co_id = company_number LIMIT 1;
    CASE table_in
        WHEN 0 THEN
            SELECT ap_tax_id INTO old FROM account_permission WHERE ap_ca_id = account LIMIT 1;
            CALL maintain('account_permission', 'ap_acl', format('ap_ca_id = %s AND ap_tax_id = %L', account, old),
                'CASE ap_acl WHEN ''1111'' THEN ''0011'' ELSE ''1111'' END');
        WHEN 1 THEN
            CALL maintain('address', 'ad_line2', format('ad_id = %s', customer_number),
                'CASE ad_line2 WHEN ''Apt. 10C'' THEN ''Apt. 22'' ELSE ''Apt. 10C'' END');
        WHEN 2 THEN
            CALL maintain('company', 'co_sp_rate', format('co_id = %s', company_number),
                'CASE co_sp_rate WHEN ''ABA'' THEN ''AAA'' ELSE ''ABA'' END');
        WHEN 3 THEN
            CALL maintain('customer', 'c_email_2', format('c_id = %s', customer_number),
                'CASE WHEN c_email_2 LIKE ''%post%'' THEN replace(c_email_2, ''post'', ''net'') ELSE c_email_2 || ''.x'' END');
        WHEN 4 THEN
            SELECT cx_tx_id INTO old FROM customer_taxrate WHERE cx_c_id = customer_number AND cx_tx_id LIKE 'R%';
            SELECT tx_id INTO new FROM taxrate WHERE tx_id > old ORDER BY tx_id LIMIT 1;
            new := coalesce(new, 'R020');
            CALL maintain('customer_taxrate', 'cx_tx_id', format('cx_c_id = %s AND cx_tx_id = %L', customer_number, old),
                quote_literal(new), format('cx_c_id = %s AND cx_tx_id = %L', customer_number, new));
        WHEN 5 THEN
            SELECT max(dm_date) - number_in % 28 INTO day FROM daily_market WHERE dm_s_symb = symbol;
            SELECT max(dm_date) INTO day FROM daily_market WHERE dm_s_symb = symbol AND dm_date <= day;
            CALL maintain('daily_market', 'dm_vol', format('dm_s_symb = %L AND dm_date = %L', symbol, day), 'dm_vol + 1');
        WHEN 6 THEN
            SELECT ex_id INTO old FROM exchange ORDER BY ex_id OFFSET number_in % 4 LIMIT 1;
            CALL maintain('exchange', 'ex_desc', format('ex_id = %L', old),
                'regexp_replace(ex_desc, '' LAST UPDATED.*'', '''') || '' LAST UPDATED '' || localtimestamp(0)::text');
        WHEN 7 THEN
            CALL maintain('financial', 'fi_qtr_start_date',
                format('fi_co_id = %s AND fi_year = 2024 AND fi_qtr = %s', company_number, 1 + number_in % 4),
                'CASE WHEN extract(day FROM fi_qtr_start_date) = 1 THEN fi_qtr_start_date + 1 ELSE fi_qtr_start_date - 1 END');
        WHEN 8 THEN
            CALL maintain('news_item', 'ni_dts', format('ni_id = %s', company_number), 'ni_dts + interval ''1 day''');
        WHEN 9 THEN
            CALL maintain('security', 's_exch_date', format('s_symb = %L', symbol), 's_exch_date + 1');
        WHEN 10 THEN
            SELECT tx_id INTO old FROM taxrate ORDER BY tx_id OFFSET number_in % 320 LIMIT 1;
            CALL maintain('taxrate', 'tx_name', format('tx_id = %L', old),
                'CASE WHEN tx_name LIKE ''%Tax%'' THEN replace(tx_name, ''Tax'', ''tax'') ELSE replace(tx_name, ''tax'', ''Tax'') END');
        ELSE
            SELECT wi_s_symb INTO old FROM watch_item WHERE wi_wl_id = customer_number ORDER BY wi_s_symb LIMIT 1;
            SELECT s_symb INTO new FROM security
            WHERE s_symb > old AND NOT EXISTS (
                SELECT 1 FROM watch_item WHERE wi_wl_id = customer_number AND wi_s_symb = s_symb
            ) ORDER BY s_symb LIMIT 1;
            CALL maintain('watch_item', 'wi_s_symb', format('wi_wl_id = %s AND wi_s_symb = %L', customer_number, old),
                quote_literal(new), format('wi_wl_id = %s AND wi_s_symb = %L', customer_number, new));
    END CASE;
    RETURN table_in;
END
$$;

-- Restores what data maintenance has changed.
CREATE PROCEDURE undo_maintenance()
LANGUAGE plpgsql
AS $$
DECLARE
    changed maintained%ROWTYPE;
BEGIN
    FOR changed IN SELECT * FROM maintained ORDER BY m_number DESC LOOP
        EXECUTE format(
            'UPDATE %I SET %I = %L WHERE %s', changed.m_table, changed.m_column, changed.m_before, changed.m_where
        );
    END LOOP;
    DELETE FROM maintained;
END
$$;
