-- What an emulated user calls, and the trigger; each statement ends with a line of its own that holds only //.
-- Parameters are compared with columns, and so have their collations. Amounts come and go as whole cents.

CREATE PROCEDURE login(
    username_in varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    password_in varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
)
READS SQL DATA
BEGIN
    SELECT c.customerid, bought.title, bought.actor, related.title
    FROM customers c
    LEFT JOIN cust_hist h ON h.customerid = c.customerid
    LEFT JOIN products bought ON bought.prod_id = h.prod_id
    LEFT JOIN products related ON related.prod_id = bought.common_prod_id
    WHERE c.username = username_in AND c.password = password_in;
END
//

CREATE PROCEDURE new_customer(
    firstname_in varchar(50) CHARACTER SET utf8mb4, lastname_in varchar(50) CHARACTER SET utf8mb4,
    address1_in varchar(50) CHARACTER SET utf8mb4, address2_in varchar(50) CHARACTER SET utf8mb4,
    city_in varchar(50) CHARACTER SET utf8mb4, state_in varchar(50) CHARACTER SET utf8mb4, zip_in integer,
    country_in varchar(50) CHARACTER SET utf8mb4, region_in integer, email_in varchar(50) CHARACTER SET utf8mb4,
    phone_in varchar(50) CHARACTER SET utf8mb4, creditcardtype_in integer,
    creditcard_in varchar(50) CHARACTER SET utf8mb4, creditcardexpiration_in varchar(50) CHARACTER SET utf8mb4,
    username_in varchar(50) CHARACTER SET utf8mb4, password_in varchar(50) CHARACTER SET utf8mb4,
    age_in integer, income_in integer, gender_in varchar(1) CHARACTER SET utf8mb4
)
MODIFIES SQL DATA
BEGIN
    DECLARE EXIT HANDLER FOR 1062 SELECT NULL;  -- the name is taken
    INSERT INTO customers (
        firstname, lastname, address1, address2, city, state, zip, country, region, email, phone,
        creditcardtype, creditcard, creditcardexpiration, username, password, age, income, gender
    ) VALUES (
        firstname_in, lastname_in, address1_in, nullif(address2_in, ''), city_in, nullif(state_in, ''), zip_in,
        country_in, region_in, email_in, phone_in, creditcardtype_in, creditcard_in, creditcardexpiration_in,
        username_in, password_in, age_in, income_in, gender_in
    );
    SELECT last_insert_id();
END
//

CREATE PROCEDURE browse_by_category(category_in integer, batch_size_in integer)
READS SQL DATA
BEGIN
    SELECT prod_id, category, title, actor, CAST(price * 100 AS SIGNED), special, common_prod_id
    FROM products FORCE INDEX (ix_prod_category_special)
    WHERE category = category_in AND special = 1 LIMIT batch_size_in;
END
//

-- words_in is a search in boolean mode, such as '+FIRST +SECOND'.
CREATE PROCEDURE browse_by_actor(
    words_in varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, batch_size_in integer
)
READS SQL DATA
BEGIN
    SELECT prod_id, category, title, actor, CAST(price * 100 AS SIGNED), special, common_prod_id
    FROM products WHERE MATCH (actor) AGAINST (words_in IN BOOLEAN MODE) LIMIT batch_size_in;
END
//

CREATE PROCEDURE browse_by_title(
    words_in varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, batch_size_in integer
)
READS SQL DATA
BEGIN
    SELECT prod_id, category, title, actor, CAST(price * 100 AS SIGNED), special, common_prod_id
    FROM products WHERE MATCH (title) AGAINST (words_in IN BOOLEAN MODE) LIMIT batch_size_in;
END
//

-- A cart has at most ten lines; 0 stands for no product.
CREATE PROCEDURE product_prices(
    prod1_in integer, prod2_in integer, prod3_in integer, prod4_in integer, prod5_in integer,
    prod6_in integer, prod7_in integer, prod8_in integer, prod9_in integer, prod10_in integer
)
READS SQL DATA
BEGIN
    SELECT prod_id, CAST(price * 100 AS SIGNED) FROM products
    WHERE prod_id IN (
        prod1_in, prod2_in, prod3_in, prod4_in, prod5_in, prod6_in, prod7_in, prod8_in,
        prod9_in, prod10_in
    );
END
//

-- A whole order in one transaction; its id, or null when it was rolled back because there is too little stock.
-- Only the first lines_in of the ten products are bought. A call that the server interrupts leaves its handlers out, and
-- its transaction open; @spindle_commits then tells whether it had come as far as the commit.
CREATE PROCEDURE purchase(
    customerid_in integer, net_cents_in bigint, tax_cents_in bigint, total_cents_in bigint, lines_in integer,
    prod1_in integer, quantity1_in integer,
    prod2_in integer, quantity2_in integer,
    prod3_in integer, quantity3_in integer,
    prod4_in integer, quantity4_in integer,
    prod5_in integer, quantity5_in integer,
    prod6_in integer, quantity6_in integer,
    prod7_in integer, quantity7_in integer,
    prod8_in integer, quantity8_in integer,
    prod9_in integer, quantity9_in integer,
    prod10_in integer, quantity10_in integer
)
MODIFIES SQL DATA
BEGIN
    DECLARE today date DEFAULT current_date;
    DECLARE line integer DEFAULT 0;
    DECLARE made, prod, amount integer;
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
    INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount)
    VALUES (today, customerid_in, net_cents_in / 100, tax_cents_in / 100, total_cents_in / 100);
    SET made = last_insert_id();
    WHILE line < lines_in DO
        SET line = line + 1;
        SET prod = CASE line
            WHEN 1 THEN prod1_in WHEN 2 THEN prod2_in WHEN 3 THEN prod3_in WHEN 4 THEN prod4_in WHEN 5 THEN prod5_in
            WHEN 6 THEN prod6_in WHEN 7 THEN prod7_in WHEN 8 THEN prod8_in WHEN 9 THEN prod9_in WHEN 10 THEN prod10_in
        END;
        SET amount = CASE line
            WHEN 1 THEN quantity1_in WHEN 2 THEN quantity2_in WHEN 3 THEN quantity3_in WHEN 4 THEN quantity4_in WHEN 5 THEN quantity5_in
            WHEN 6 THEN quantity6_in WHEN 7 THEN quantity7_in WHEN 8 THEN quantity8_in WHEN 9 THEN quantity9_in WHEN 10 THEN quantity10_in
        END;
        UPDATE inventory SET quan_in_stock = quan_in_stock - amount, sales = sales + amount
        WHERE prod_id = prod AND quan_in_stock >= amount;
        -- A row that keeps its values counts as none: whoever takes nothing has to look for the product.
        IF row_count() = 0 AND (amount <> 0 OR NOT EXISTS (SELECT 1 FROM inventory WHERE prod_id = prod)) THEN
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'too little stock';
        END IF;
        INSERT INTO orderlines (orderlineid, orderid, prod_id, quantity, orderdate)
        VALUES (line, made, prod, amount, today);
        INSERT INTO cust_hist (customerid, orderid, prod_id) VALUES (customerid_in, made, prod);
    END WHILE;
    SET @spindle_commits = made;
    COMMIT;
    SELECT made;
END
//

-- Tops the stock up, so that the rollback rate stays what it was. Without its definer, MariaDB's driver would take the
-- trigger for several statements.
CREATE DEFINER = CURRENT_USER TRIGGER restock BEFORE UPDATE ON inventory
FOR EACH ROW
BEGIN
    DECLARE delivered integer DEFAULT CASE WHEN NEW.prod_id % 10000 = 0 THEN 2500 ELSE 250 END;
    IF NEW.quan_in_stock < 3 THEN
        INSERT INTO reorder (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected)
        VALUES (NEW.prod_id, current_date, NEW.quan_in_stock, current_date, delivered, current_date);
        SET NEW.quan_in_stock = delivered;
    END IF;
END
//
