-- The DVD Store's tables with their keys, for the rows come in the keys' order; other indexes come after the rows
-- (indexes.sql). Columns stand in the order of engine.workloads.dvdstore.schema, which BULK INSERT goes by. $(schema) is
-- where they are made, $(customers), $(orders) and $(misc) are filegroups. Names and passwords of customers are compared
-- letter by letter, whatever the server's own collation is.

CREATE TABLE $(schema).customers (
    customerid int IDENTITY(1, 1) NOT NULL,
    firstname varchar(50) NOT NULL,
    lastname varchar(50) NOT NULL,
    address1 varchar(50) NOT NULL,
    address2 varchar(50) NULL,
    city varchar(50) NOT NULL,
    state varchar(50) NULL,
    zip int NULL,
    country varchar(50) NOT NULL,
    region smallint NOT NULL,
    email varchar(50) NULL,
    phone varchar(50) NULL,
    creditcardtype smallint NOT NULL,
    creditcard varchar(50) NOT NULL,
    creditcardexpiration varchar(50) NOT NULL,
    username varchar(50) COLLATE Latin1_General_100_BIN2 NOT NULL,
    password varchar(50) COLLATE Latin1_General_100_BIN2 NOT NULL,
    age smallint NULL,
    income int NULL,
    gender varchar(1) NULL,
    CONSTRAINT customers_pkey PRIMARY KEY CLUSTERED (customerid) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).orders (
    orderid int IDENTITY(1, 1) NOT NULL,
    orderdate date NOT NULL,
    customerid int NULL,
    netamount numeric(12, 2) NOT NULL,
    tax numeric(12, 2) NOT NULL,
    totalamount numeric(12, 2) NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY CLUSTERED (orderid) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).orderlines (
    orderid int NOT NULL,
    orderlineid int NOT NULL,
    prod_id int NOT NULL,
    quantity smallint NOT NULL,
    orderdate date NOT NULL,
    CONSTRAINT orderlines_pkey PRIMARY KEY CLUSTERED (orderid, orderlineid) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).cust_hist (
    customerid int NOT NULL,
    orderid int NOT NULL,
    prod_id int NOT NULL
) ON $(customers);

CREATE TABLE $(schema).products (
    prod_id int IDENTITY(1, 1) NOT NULL,
    category smallint NOT NULL,
    title varchar(50) NOT NULL,
    actor varchar(50) NOT NULL,
    price numeric(12, 2) NOT NULL,
    special smallint NULL,
    common_prod_id int NOT NULL,
    CONSTRAINT products_pkey PRIMARY KEY CLUSTERED (prod_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).inventory (
    prod_id int NOT NULL,
    quan_in_stock int NOT NULL,
    sales int NOT NULL,
    CONSTRAINT inventory_pkey PRIMARY KEY CLUSTERED (prod_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).inventory_pristine (
    prod_id int NOT NULL,
    quan_in_stock int NOT NULL,
    sales int NOT NULL,
    CONSTRAINT inventory_pristine_pkey PRIMARY KEY CLUSTERED (prod_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).categories (
    category smallint NOT NULL,
    categoryname varchar(50) NOT NULL,
    CONSTRAINT categories_pkey PRIMARY KEY CLUSTERED (category) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).reorder (
    prod_id int NOT NULL,
    date_low date NOT NULL,
    quan_low int NOT NULL,
    date_reordered date NULL,
    quan_reordered int NULL,
    date_expected date NULL
) ON $(misc);
GO
