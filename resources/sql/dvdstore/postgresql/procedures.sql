-- What an emulated user calls. The searches are plain SQL functions, which the planner takes into the caller's
-- statement; each keeps one plan however much the store grows under the run.

CREATE FUNCTION login(username_in text, password_in text)
RETURNS TABLE (customerid integer, title varchar, actor varchar, related_title varchar)
LANGUAGE sql STABLE
AS $$
    -- The two look-ups stand behind OFFSET 0 because a join would become a hash over all products
    -- as soon as the statistics say that customers have long histories.
    SELECT c.customerid, bought.title, bought.actor, related.title
    FROM customers c
    LEFT JOIN cust_hist h ON h.customerid = c.customerid
    LEFT JOIN LATERAL (
        SELECT p.title, p.actor, p.common_prod_id FROM products p WHERE p.prod_id = h.prod_id OFFSET 0
    ) bought ON true
    LEFT JOIN LATERAL (
        SELECT r.title FROM products r WHERE r.prod_id = bought.common_prod_id OFFSET 0
    ) related ON true
    WHERE c.username = username_in AND c.password = password_in
$$;

CREATE FUNCTION new_customer(
    firstname_in text, lastname_in text, address1_in text, address2_in text, city_in text, state_in text,
    zip_in integer, country_in text, region_in integer, email_in text, phone_in text, creditcardtype_in integer,
    creditcard_in text, creditcardexpiration_in text, username_in text, password_in text, age_in integer,
    income_in integer, gender_in text
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    made integer;
BEGIN
    INSERT INTO customers (
        firstname, lastname, address1, address2, city, state, zip, country, region, email, phone,
        creditcardtype, creditcard, creditcardexpiration, username, password, age, income, gender
    ) VALUES (
        firstname_in, lastname_in, address1_in, nullif(address2_in, ''), city_in, nullif(state_in, ''), zip_in,
        country_in, region_in, email_in, phone_in, creditcardtype_in, creditcard_in, creditcardexpiration_in,
        username_in, password_in, age_in, income_in, gender_in
    )
    ON CONFLICT (username) DO NOTHING
    RETURNING customerid INTO made;
    RETURN made;  -- null: the name is taken
END
$$;

CREATE FUNCTION browse_by_category(category_in integer, batch_size_in integer)
RETURNS SETOF products
LANGUAGE sql STABLE
AS $$
    SELECT * FROM products WHERE category = category_in AND special = 1 LIMIT batch_size_in
$$;

-- The matches are found in a step of their own: with the LIMIT in sight the planner may read the whole table instead
-- of the full-text index, for it believes that one row in a thousand matches.
CREATE FUNCTION browse_by_actor(words_in text, batch_size_in integer)
RETURNS SETOF products
LANGUAGE sql STABLE
AS $$
    WITH found AS MATERIALIZED (
        SELECT * FROM products WHERE to_tsvector('simple', actor) @@ plainto_tsquery('simple', words_in)
    )
    SELECT * FROM found LIMIT batch_size_in
$$;

CREATE FUNCTION browse_by_title(words_in text, batch_size_in integer)
RETURNS SETOF products
LANGUAGE sql STABLE
AS $$
    WITH found AS MATERIALIZED (
        SELECT * FROM products WHERE to_tsvector('simple', title) @@ plainto_tsquery('simple', words_in)
    )
    SELECT * FROM found LIMIT batch_size_in
$$;

CREATE FUNCTION product_prices(prod_ids_in integer[])
RETURNS TABLE (prod_id integer, price_cents integer)
LANGUAGE sql STABLE
AS $$
    SELECT p.prod_id, (p.price * 100)::integer FROM products p WHERE p.prod_id = ANY (prod_ids_in)
$$;

-- A procedure, not a function: it can roll its own transaction back, so that an order with too little stock costs
-- the server a rollback and the log nothing. orderid_out is null when it was rolled back.
CREATE PROCEDURE purchase(
    customerid_in integer, prod_ids_in integer[], quantities_in integer[],
    netamount_in numeric, tax_in numeric, totalamount_in numeric, INOUT orderid_out integer
)
LANGUAGE plpgsql
AS $$
DECLARE
    today date := current_date;
    made integer;
    prod integer;
    amount integer;
BEGIN
    INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount)
    VALUES (today, customerid_in, netamount_in, tax_in, totalamount_in)
    RETURNING orderid INTO made;
    FOR line IN 1 .. array_length(prod_ids_in, 1) LOOP
        prod := prod_ids_in[line];
        amount := quantities_in[line];
        UPDATE inventory SET quan_in_stock = quan_in_stock - amount, sales = sales + amount
        WHERE prod_id = prod AND quan_in_stock >= amount;
        IF NOT FOUND THEN
            ROLLBACK;
            orderid_out := NULL;
            RETURN;
        END IF;
        INSERT INTO orderlines (orderlineid, orderid, prod_id, quantity, orderdate)
        VALUES (line, made, prod, amount, today);
        INSERT INTO cust_hist (customerid, orderid, prod_id) VALUES (customerid_in, made, prod);
    END LOOP;
    orderid_out := made;
END
$$;

-- Tops the stock up, so that the rollback rate stays what it was.
CREATE FUNCTION restock() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    delivered integer := CASE WHEN NEW.prod_id % 10000 = 0 THEN 2500 ELSE 250 END;
BEGIN
    INSERT INTO reorder (prod_id, date_low, quan_low, date_reordered, quan_reordered, date_expected)
    VALUES (NEW.prod_id, current_date, NEW.quan_in_stock, current_date, delivered, current_date);
    NEW.quan_in_stock := delivered;
    RETURN NEW;
END
$$;

CREATE TRIGGER restock BEFORE UPDATE ON inventory
FOR EACH ROW WHEN (NEW.quan_in_stock < 3) EXECUTE FUNCTION restock();
