-- Wholesale's tables with their keys, since the rows are loaded in the keys' order; other indexes come after the rows
-- (indexes.sql). $(schema) is the schema of the tables, $(customers), $(orders) and $(misc) are filegroups. Last names
-- are compared letter by letter, whatever the server's own collation is.

CREATE TABLE $(schema).item (
    i_id int NOT NULL,
    i_im_id int NOT NULL,
    i_name varchar(24) NOT NULL,
    i_price numeric(5, 2) NOT NULL,
    i_data varchar(50) NOT NULL,
    CONSTRAINT item_pkey PRIMARY KEY CLUSTERED (i_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).warehouse (
    w_id int NOT NULL,
    w_name varchar(10) NOT NULL,
    w_street_1 varchar(20) NOT NULL,
    w_street_2 varchar(20) NOT NULL,
    w_city varchar(20) NOT NULL,
    w_state char(2) NOT NULL,
    w_zip char(9) NOT NULL,
    w_tax numeric(4, 4) NOT NULL,
    w_ytd numeric(12, 2) NOT NULL,
    CONSTRAINT warehouse_pkey PRIMARY KEY CLUSTERED (w_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).district (
    d_w_id int NOT NULL,
    d_id smallint NOT NULL,
    d_name varchar(10) NOT NULL,
    d_street_1 varchar(20) NOT NULL,
    d_street_2 varchar(20) NOT NULL,
    d_city varchar(20) NOT NULL,
    d_state char(2) NOT NULL,
    d_zip char(9) NOT NULL,
    d_tax numeric(4, 4) NOT NULL,
    d_ytd numeric(12, 2) NOT NULL,
    d_next_o_id int NOT NULL,
    CONSTRAINT district_pkey PRIMARY KEY CLUSTERED (d_w_id, d_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).stock (
    s_w_id int NOT NULL,
    s_i_id int NOT NULL,
    s_quantity int NOT NULL,
    s_dist_01 char(24) NOT NULL,
    s_dist_02 char(24) NOT NULL,
    s_dist_03 char(24) NOT NULL,
    s_dist_04 char(24) NOT NULL,
    s_dist_05 char(24) NOT NULL,
    s_dist_06 char(24) NOT NULL,
    s_dist_07 char(24) NOT NULL,
    s_dist_08 char(24) NOT NULL,
    s_dist_09 char(24) NOT NULL,
    s_dist_10 char(24) NOT NULL,
    s_ytd int NOT NULL,
    s_order_cnt int NOT NULL,
    s_remote_cnt int NOT NULL,
    s_data varchar(50) NOT NULL,
    CONSTRAINT stock_pkey PRIMARY KEY CLUSTERED (s_w_id, s_i_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).customer (
    c_w_id int NOT NULL,
    c_d_id smallint NOT NULL,
    c_id int NOT NULL,
    c_first varchar(16) NOT NULL,
    c_middle char(2) NOT NULL,
    c_last varchar(16) COLLATE Latin1_General_100_BIN2 NOT NULL,
    c_street_1 varchar(20) NOT NULL,
    c_street_2 varchar(20) NOT NULL,
    c_city varchar(20) NOT NULL,
    c_state char(2) NOT NULL,
    c_zip char(9) NOT NULL,
    c_phone char(16) NOT NULL,
    c_since datetime2(0) NOT NULL,
    c_credit char(2) NOT NULL,
    c_credit_lim numeric(12, 2) NOT NULL,
    c_discount numeric(4, 4) NOT NULL,
    c_balance numeric(12, 2) NOT NULL,
    c_ytd_payment numeric(12, 2) NOT NULL,
    c_payment_cnt int NOT NULL,
    c_delivery_cnt int NOT NULL,
    c_data varchar(500) NOT NULL,
    CONSTRAINT customer_pkey PRIMARY KEY CLUSTERED (c_w_id, c_d_id, c_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).history (
    h_id bigint IDENTITY(1, 1) NOT NULL,
    h_c_id int NOT NULL,
    h_c_d_id smallint NOT NULL,
    h_c_w_id int NOT NULL,
    h_d_id smallint NOT NULL,
    h_w_id int NOT NULL,
    h_date datetime2(0) NOT NULL,
    h_amount numeric(6, 2) NOT NULL,
    h_data varchar(24) NOT NULL,
    CONSTRAINT history_pkey PRIMARY KEY CLUSTERED (h_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).orders (
    o_w_id int NOT NULL,
    o_d_id smallint NOT NULL,
    o_id int NOT NULL,
    o_c_id int NOT NULL,
    o_entry_d datetime2(0) NOT NULL,
    o_carrier_id smallint NULL,
    o_ol_cnt smallint NOT NULL,
    o_all_local smallint NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY CLUSTERED (o_w_id, o_d_id, o_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).new_order (
    no_w_id int NOT NULL,
    no_d_id smallint NOT NULL,
    no_o_id int NOT NULL,
    CONSTRAINT new_order_pkey PRIMARY KEY CLUSTERED (no_w_id, no_d_id, no_o_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).order_line (
    ol_w_id int NOT NULL,
    ol_d_id smallint NOT NULL,
    ol_o_id int NOT NULL,
    ol_number smallint NOT NULL,
    ol_i_id int NOT NULL,
    ol_supply_w_id int NOT NULL,
    ol_delivery_d datetime2(0) NULL,
    ol_quantity smallint NOT NULL,
    ol_amount numeric(6, 2) NOT NULL,
    ol_dist_info char(24) NOT NULL,
    CONSTRAINT order_line_pkey PRIMARY KEY CLUSTERED (ol_w_id, ol_d_id, ol_o_id, ol_number) ON $(orders)
) ON $(orders);

-- The quantities as they were built, and the data of customers with bad credit, for a reset that needs no generator.
CREATE TABLE $(schema).stock_pristine (
    s_w_id int NOT NULL,
    s_i_id int NOT NULL,
    s_quantity int NOT NULL,
    CONSTRAINT stock_pristine_pkey PRIMARY KEY CLUSTERED (s_w_id, s_i_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).customer_pristine (
    c_w_id int NOT NULL,
    c_d_id smallint NOT NULL,
    c_id int NOT NULL,
    c_data varchar(500) NOT NULL,
    CONSTRAINT customer_pristine_pkey PRIMARY KEY CLUSTERED (c_w_id, c_d_id, c_id) ON $(customers)
) ON $(customers);
GO
