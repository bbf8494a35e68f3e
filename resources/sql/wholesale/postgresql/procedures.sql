-- The five transactions (TPC-C specification, clause 2.4 to 2.8), each one call. Those that write are procedures, so
-- that they can roll their own transaction back.

-- The number of the order; null if it was rolled back because an item does not exist, which one order in a hundred asks
-- for on purpose. Lines come in the order of their stock rows, so that orders of the same items wait, and don't deadlock.
CREATE PROCEDURE new_order(
    w_id_in integer, d_id_in integer, c_id_in integer,
    i_ids_in integer[], supply_w_ids_in integer[], quantities_in integer[], INOUT o_id_out integer
)
LANGUAGE plpgsql
AS $$
DECLARE
    lines integer := array_length(i_ids_in, 1);
    o_id_made integer;
    price numeric;
    info text;
BEGIN
    PERFORM w_tax FROM warehouse WHERE w_id = w_id_in;
    UPDATE district SET d_next_o_id = d_next_o_id + 1
    WHERE d_w_id = w_id_in AND d_id = d_id_in
    RETURNING d_next_o_id - 1 INTO o_id_made;
    PERFORM c_discount, c_last, c_credit FROM customer WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_id = c_id_in;
    INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    VALUES (
        w_id_in, d_id_in, o_id_made, c_id_in, localtimestamp, NULL, lines,
        CASE WHEN w_id_in = ALL (supply_w_ids_in) THEN 1 ELSE 0 END
    );
    INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (w_id_in, d_id_in, o_id_made);
    FOR line IN 1 .. lines LOOP
        SELECT i_price INTO price FROM item WHERE i_id = i_ids_in[line];
        IF NOT FOUND THEN
            ROLLBACK;
            o_id_out := NULL;
            RETURN;
        END IF;
        UPDATE stock SET
            s_quantity = s_quantity - quantities_in[line]
                + CASE WHEN s_quantity >= quantities_in[line] + 10 THEN 0 ELSE 91 END,
            s_ytd = s_ytd + quantities_in[line],
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + CASE WHEN supply_w_ids_in[line] = w_id_in THEN 0 ELSE 1 END
        WHERE s_w_id = supply_w_ids_in[line] AND s_i_id = i_ids_in[line]
        RETURNING CASE d_id_in
            WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
            WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
            WHEN 9 THEN s_dist_09 ELSE s_dist_10
        END INTO info;
        INSERT INTO order_line (
            ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount,
            ol_dist_info
        ) VALUES (
            w_id_in, d_id_in, o_id_made, line, i_ids_in[line], supply_w_ids_in[line], NULL, quantities_in[line],
            quantities_in[line] * price, info
        );
    END LOOP;
    o_id_out := o_id_made;
END
$$;

-- The customer who has paid, by number, or by last name where c_id_in is 0: then the middle one by first name.
CREATE PROCEDURE payment(
    w_id_in integer, d_id_in integer, c_w_id_in integer, c_d_id_in integer, c_id_in integer, c_last_in text,
    amount_in numeric, INOUT c_id_out integer
)
LANGUAGE plpgsql
AS $$
DECLARE
    payer integer := customer_of(c_w_id_in, c_d_id_in, c_id_in, c_last_in);
    w_name_read text;
    d_name_read text;
BEGIN
    UPDATE warehouse SET w_ytd = w_ytd + amount_in WHERE w_id = w_id_in RETURNING w_name INTO w_name_read;
    UPDATE district SET d_ytd = d_ytd + amount_in
    WHERE d_w_id = w_id_in AND d_id = d_id_in
    RETURNING d_name INTO d_name_read;
    UPDATE customer SET
        c_balance = c_balance - amount_in,
        c_ytd_payment = c_ytd_payment + amount_in,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = CASE
            WHEN c_credit = 'BC' THEN left(
                concat_ws(' ', payer, c_d_id_in, c_w_id_in, d_id_in, w_id_in, amount_in) || ' ' || c_data, 500
            )
            ELSE c_data
        END
    WHERE c_w_id = c_w_id_in AND c_d_id = c_d_id_in AND c_id = payer;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (
        payer, c_d_id_in, c_w_id_in, d_id_in, w_id_in, localtimestamp, amount_in,
        w_name_read || '    ' || d_name_read
    );
    c_id_out := payer;
END
$$;

CREATE FUNCTION customer_of(w_id_in integer, d_id_in integer, c_id_in integer, c_last_in text) RETURNS integer
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found integer[];
BEGIN
    IF c_id_in <> 0 THEN
        RETURN c_id_in;
    END IF;
    found := ARRAY(
        SELECT c_id FROM customer
        WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_last = c_last_in ORDER BY c_first
    );
    RETURN found[(array_length(found, 1) + 1) / 2];
END
$$;

-- A row for each line of the customer's last order: number of the order, item, supplying warehouse, quantity, cents.
CREATE FUNCTION order_status(w_id_in integer, d_id_in integer, c_id_in integer, c_last_in text)
RETURNS TABLE (o_id integer, i_id integer, supply_w_id integer, quantity integer, amount_cents integer)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    buyer integer := customer_of(w_id_in, d_id_in, c_id_in, c_last_in);
    last_order integer;
BEGIN
    PERFORM c_balance, c_first, c_middle, c_last FROM customer
    WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_id = buyer;
    SELECT o.o_id INTO last_order FROM orders o
    WHERE o.o_w_id = w_id_in AND o.o_d_id = d_id_in AND o.o_c_id = buyer
    ORDER BY o.o_id DESC LIMIT 1;
    RETURN QUERY SELECT
        l.ol_o_id, l.ol_i_id, l.ol_supply_w_id, l.ol_quantity::integer, (l.ol_amount * 100)::integer
    FROM order_line l
    WHERE l.ol_w_id = w_id_in AND l.ol_d_id = d_id_in AND l.ol_o_id = last_order;
END
$$;

-- How many districts of the warehouse had an order to deliver: the oldest of each, all in one transaction.
CREATE PROCEDURE delivery(w_id_in integer, carrier_id_in integer, INOUT delivered_out integer)
LANGUAGE plpgsql
AS $$
DECLARE
    oldest integer;
    buyer integer;
    total numeric;
BEGIN
    delivered_out := 0;
    FOR district_number IN 1 .. 10 LOOP
        DELETE FROM new_order
        WHERE no_w_id = w_id_in AND no_d_id = district_number AND no_o_id = (
            SELECT n.no_o_id FROM new_order n
            WHERE n.no_w_id = w_id_in AND n.no_d_id = district_number
            ORDER BY n.no_o_id LIMIT 1 FOR UPDATE
        )
        RETURNING no_o_id INTO oldest;
        CONTINUE WHEN NOT FOUND;
        UPDATE orders SET o_carrier_id = carrier_id_in
        WHERE o_w_id = w_id_in AND o_d_id = district_number AND o_id = oldest
        RETURNING o_c_id INTO buyer;
        WITH delivered AS (
            UPDATE order_line SET ol_delivery_d = localtimestamp
            WHERE ol_w_id = w_id_in AND ol_d_id = district_number AND ol_o_id = oldest
            RETURNING ol_amount
        )
        SELECT sum(ol_amount) INTO total FROM delivered;
        UPDATE customer SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = w_id_in AND c_d_id = district_number AND c_id = buyer;
        delivered_out := delivered_out + 1;
    END LOOP;
END
$$;

-- How many of the items of the district's last 20 orders have a stock below the threshold.
CREATE FUNCTION stock_level(w_id_in integer, d_id_in integer, threshold_in integer) RETURNS integer
LANGUAGE sql STABLE
AS $$
    SELECT count(DISTINCT l.ol_i_id)::integer
    FROM district d
    JOIN order_line l ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id
        AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id
    JOIN stock s ON s.s_w_id = d.d_w_id AND s.s_i_id = l.ol_i_id
    WHERE d.d_w_id = w_id_in AND d.d_id = d_id_in AND s.s_quantity < threshold_in
$$;
