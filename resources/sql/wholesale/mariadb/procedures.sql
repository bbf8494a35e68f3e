-- The five transactions (TPC-C specification, clause 2.4 to 2.8), each one call; each statement ends with a line of its
-- own that holds only //. Amounts come and go as whole cents. When the server interrupts a call, its handlers are not
-- executed and its transaction stays open; @spindle_commits then says whether it had reached the commit.

-- A procedure, since a function needs a further privilege on a server with a binary log.
CREATE PROCEDURE customer_of(
    w_id_in integer, d_id_in integer, c_id_in integer,
    c_last_in varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT found_out integer
)
READS SQL DATA
BEGIN
    DECLARE middle integer;
    SET found_out = c_id_in;
    IF c_id_in = 0 THEN
        SELECT (count(*) + 1) DIV 2 - 1 INTO middle FROM customer
        WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_last = c_last_in;
        SELECT c_id INTO found_out FROM customer
        WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_last = c_last_in ORDER BY c_first LIMIT middle, 1;
    END IF;
END
//

-- The number of the order; null if it was rolled back because an item does not exist, which one order in a hundred asks
-- for on purpose. The first lines_in of the fifteen lines are ordered; they come in the order of their stock rows, so
-- that orders of the same items wait, and don't deadlock.
CREATE PROCEDURE new_order(
    w_id_in integer, d_id_in integer, c_id_in integer, lines_in integer,
    supplier1_in integer, item1_in integer, quantity1_in integer,
    supplier2_in integer, item2_in integer, quantity2_in integer,
    supplier3_in integer, item3_in integer, quantity3_in integer,
    supplier4_in integer, item4_in integer, quantity4_in integer,
    supplier5_in integer, item5_in integer, quantity5_in integer,
    supplier6_in integer, item6_in integer, quantity6_in integer,
    supplier7_in integer, item7_in integer, quantity7_in integer,
    supplier8_in integer, item8_in integer, quantity8_in integer,
    supplier9_in integer, item9_in integer, quantity9_in integer,
    supplier10_in integer, item10_in integer, quantity10_in integer,
    supplier11_in integer, item11_in integer, quantity11_in integer,
    supplier12_in integer, item12_in integer, quantity12_in integer,
    supplier13_in integer, item13_in integer, quantity13_in integer,
    supplier14_in integer, item14_in integer, quantity14_in integer,
    supplier15_in integer, item15_in integer, quantity15_in integer
)
MODIFIES SQL DATA
BEGIN
    DECLARE line, all_local integer DEFAULT 0;
    DECLARE made, item_number, supplier, amount integer;
    DECLARE price decimal(5, 2);
    DECLARE info char(24);
    DECLARE EXIT HANDLER FOR SQLSTATE '45000'
    BEGIN
        ROLLBACK;
        SELECT NULL;
    END;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET @spindle_commits = NULL;
    START TRANSACTION;
    SELECT w_tax INTO price FROM warehouse WHERE w_id = w_id_in;
    UPDATE district SET d_next_o_id = last_insert_id(d_next_o_id) + 1 WHERE d_w_id = w_id_in AND d_id = d_id_in;
    SET made = last_insert_id();
    SELECT c_discount INTO price FROM customer WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_id = c_id_in;
    SET all_local = supplier1_in IN (w_id_in, 0) AND supplier2_in IN (w_id_in, 0) AND supplier3_in IN (w_id_in, 0)
        AND supplier4_in IN (w_id_in, 0) AND supplier5_in IN (w_id_in, 0) AND supplier6_in IN (w_id_in, 0)
        AND supplier7_in IN (w_id_in, 0) AND supplier8_in IN (w_id_in, 0) AND supplier9_in IN (w_id_in, 0)
        AND supplier10_in IN (w_id_in, 0) AND supplier11_in IN (w_id_in, 0) AND supplier12_in IN (w_id_in, 0)
        AND supplier13_in IN (w_id_in, 0) AND supplier14_in IN (w_id_in, 0) AND supplier15_in IN (w_id_in, 0);
    INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    VALUES (w_id_in, d_id_in, made, c_id_in, now(), NULL, lines_in, all_local);
    INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (w_id_in, d_id_in, made);
    WHILE line < lines_in DO
        SET line = line + 1;
        SET item_number = CASE line
            WHEN 1 THEN item1_in WHEN 2 THEN item2_in WHEN 3 THEN item3_in WHEN 4 THEN item4_in
            WHEN 5 THEN item5_in WHEN 6 THEN item6_in WHEN 7 THEN item7_in WHEN 8 THEN item8_in
            WHEN 9 THEN item9_in WHEN 10 THEN item10_in WHEN 11 THEN item11_in WHEN 12 THEN item12_in
            WHEN 13 THEN item13_in WHEN 14 THEN item14_in WHEN 15 THEN item15_in
        END;
        SET supplier = CASE line
            WHEN 1 THEN supplier1_in WHEN 2 THEN supplier2_in WHEN 3 THEN supplier3_in WHEN 4 THEN supplier4_in
            WHEN 5 THEN supplier5_in WHEN 6 THEN supplier6_in WHEN 7 THEN supplier7_in WHEN 8 THEN supplier8_in
            WHEN 9 THEN supplier9_in WHEN 10 THEN supplier10_in WHEN 11 THEN supplier11_in WHEN 12 THEN supplier12_in
            WHEN 13 THEN supplier13_in WHEN 14 THEN supplier14_in WHEN 15 THEN supplier15_in
        END;
        SET amount = CASE line
            WHEN 1 THEN quantity1_in WHEN 2 THEN quantity2_in WHEN 3 THEN quantity3_in WHEN 4 THEN quantity4_in
            WHEN 5 THEN quantity5_in WHEN 6 THEN quantity6_in WHEN 7 THEN quantity7_in WHEN 8 THEN quantity8_in
            WHEN 9 THEN quantity9_in WHEN 10 THEN quantity10_in WHEN 11 THEN quantity11_in WHEN 12 THEN quantity12_in
            WHEN 13 THEN quantity13_in WHEN 14 THEN quantity14_in WHEN 15 THEN quantity15_in
        END;
        SET price = NULL;
        SELECT i_price INTO price FROM item WHERE i_id = item_number;
        IF price IS NULL THEN
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'unused item number';
        END IF;
        SELECT CASE d_id_in
            WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
            WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
            WHEN 9 THEN s_dist_09 ELSE s_dist_10
        END INTO info FROM stock WHERE s_w_id = supplier AND s_i_id = item_number FOR UPDATE;
        UPDATE stock SET
            s_quantity = s_quantity - amount + CASE WHEN s_quantity >= amount + 10 THEN 0 ELSE 91 END,
            s_ytd = s_ytd + amount,
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + CASE WHEN supplier = w_id_in THEN 0 ELSE 1 END
        WHERE s_w_id = supplier AND s_i_id = item_number;
        INSERT INTO order_line (
            ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount,
            ol_dist_info
        ) VALUES (w_id_in, d_id_in, made, line, item_number, supplier, NULL, amount, amount * price, info);
    END WHILE;
    SET @spindle_commits = made;
    COMMIT;
    SELECT made;
END
//

-- The customer who has paid, by number, or by last name where c_id_in is 0: then the middle one by first name.
CREATE PROCEDURE payment(
    w_id_in integer, d_id_in integer, c_w_id_in integer, c_d_id_in integer, c_id_in integer,
    c_last_in varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, cents_in integer
)
MODIFIES SQL DATA
BEGIN
    DECLARE payer integer;
    DECLARE amount decimal(6, 2) DEFAULT cents_in / 100;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET @spindle_commits = NULL;
    START TRANSACTION;
    CALL customer_of(c_w_id_in, c_d_id_in, c_id_in, c_last_in, payer);
    UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = w_id_in;
    UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = w_id_in AND d_id = d_id_in;
    UPDATE customer SET
        c_balance = c_balance - amount,
        c_ytd_payment = c_ytd_payment + amount,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = CASE
            WHEN c_credit = 'BC' THEN left(
                concat_ws(' ', payer, c_d_id_in, c_w_id_in, d_id_in, w_id_in, amount, c_data), 500
            )
            ELSE c_data
        END
    WHERE c_w_id = c_w_id_in AND c_d_id = c_d_id_in AND c_id = payer;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    SELECT payer, c_d_id_in, c_w_id_in, d_id_in, w_id_in, now(), amount, concat(w_name, '    ', d_name)
    FROM warehouse JOIN district ON d_w_id = w_id WHERE w_id = w_id_in AND d_id = d_id_in;
    SET @spindle_commits = payer;
    COMMIT;
    SELECT payer;
END
//

-- A row for each line of the customer's last order: number of the order, item, supplying warehouse, quantity, cents.
CREATE PROCEDURE order_status(
    w_id_in integer, d_id_in integer, c_id_in integer,
    c_last_in varchar(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
)
READS SQL DATA
BEGIN
    DECLARE buyer, last_order integer;
    DECLARE balance decimal(12, 2);
    CALL customer_of(w_id_in, d_id_in, c_id_in, c_last_in, buyer);
    SELECT c_balance INTO balance FROM customer WHERE c_w_id = w_id_in AND c_d_id = d_id_in AND c_id = buyer;
    SELECT max(o_id) INTO last_order FROM orders WHERE o_w_id = w_id_in AND o_d_id = d_id_in AND o_c_id = buyer;
    SELECT ol_o_id, ol_i_id, ol_supply_w_id, ol_quantity, CAST(ol_amount * 100 AS SIGNED) FROM order_line
    WHERE ol_w_id = w_id_in AND ol_d_id = d_id_in AND ol_o_id = last_order;
END
//

-- How many districts of the warehouse had an order to deliver: the oldest of each, all in one transaction.
CREATE PROCEDURE delivery(w_id_in integer, carrier_id_in integer)
MODIFIES SQL DATA
BEGIN
    DECLARE district_number, delivered integer DEFAULT 0;
    DECLARE oldest, buyer integer;
    DECLARE total decimal(12, 2);
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET @spindle_commits = NULL;
    START TRANSACTION;
    WHILE district_number < 10 DO
        SET district_number = district_number + 1;
        SET oldest = NULL;
        SELECT no_o_id INTO oldest FROM new_order WHERE no_w_id = w_id_in AND no_d_id = district_number
        ORDER BY no_o_id LIMIT 1 FOR UPDATE;
        IF oldest IS NOT NULL THEN
            DELETE FROM new_order
            WHERE no_w_id = w_id_in AND no_d_id = district_number AND no_o_id = oldest;
            UPDATE orders SET o_carrier_id = carrier_id_in
            WHERE o_w_id = w_id_in AND o_d_id = district_number AND o_id = oldest;
            SET buyer = (
                SELECT o_c_id FROM orders WHERE o_w_id = w_id_in AND o_d_id = district_number AND o_id = oldest
            );
            UPDATE order_line SET ol_delivery_d = now()
            WHERE ol_w_id = w_id_in AND ol_d_id = district_number AND ol_o_id = oldest;
            SET total = (
                SELECT sum(ol_amount) FROM order_line
                WHERE ol_w_id = w_id_in AND ol_d_id = district_number AND ol_o_id = oldest
            );
            UPDATE customer SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = w_id_in AND c_d_id = district_number AND c_id = buyer;
            SET delivered = delivered + 1;
        END IF;
    END WHILE;
    SET @spindle_commits = delivered;
    COMMIT;
    SELECT delivered;
END
//

-- How many of the items of the district's last 20 orders have a stock below the threshold.
CREATE PROCEDURE stock_level(w_id_in integer, d_id_in integer, threshold_in integer)
READS SQL DATA
BEGIN
    SELECT count(DISTINCT l.ol_i_id)
    FROM district d
    JOIN order_line l ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id
        AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id
    JOIN stock s ON s.s_w_id = d.d_w_id AND s.s_i_id = l.ol_i_id
    WHERE d.d_w_id = w_id_in AND d.d_id = d_id_in AND s.s_quantity < threshold_in;
END
//
