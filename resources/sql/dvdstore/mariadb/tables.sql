-- The DVD Store's tables with their clustered keys; indexes and references come after the rows (indexes.sql).
-- Texts are compared byte by byte, as on every other database, but for titles and actors: those are searched in.
-- cust_hist and reorder have a key of their own beside their columns, for clusters refuse tables without one.

CREATE TABLE customers (
    customerid integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
    firstname varchar(50) NOT NULL,
    lastname varchar(50) NOT NULL,
    address1 varchar(50) NOT NULL,
    address2 varchar(50),
    city varchar(50) NOT NULL,
    state varchar(50),
    zip integer,
    country varchar(50) NOT NULL,
    region smallint NOT NULL,
    email varchar(50),
    phone varchar(50),
    creditcardtype smallint NOT NULL,
    creditcard varchar(50) NOT NULL,
    creditcardexpiration varchar(50) NOT NULL,
    username varchar(50) NOT NULL,
    password varchar(50) NOT NULL,
    age smallint,
    income integer,
    gender varchar(1)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE orders (
    orderid integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
    orderdate date NOT NULL,
    customerid integer,
    netamount decimal(12, 2) NOT NULL,
    tax decimal(12, 2) NOT NULL,
    totalamount decimal(12, 2) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE orderlines (
    orderlineid integer NOT NULL,
    orderid integer NOT NULL,
    prod_id integer NOT NULL,
    quantity smallint NOT NULL,
    orderdate date NOT NULL,
    PRIMARY KEY (orderid, orderlineid)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE cust_hist (
    historyid bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    customerid integer NOT NULL,
    orderid integer NOT NULL,
    prod_id integer NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE products (
    prod_id integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
    category smallint NOT NULL,
    title varchar(50) COLLATE utf8mb4_general_ci NOT NULL,
    actor varchar(50) COLLATE utf8mb4_general_ci NOT NULL,
    price decimal(12, 2) NOT NULL,
    special smallint,
    common_prod_id integer NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE inventory (
    prod_id integer NOT NULL PRIMARY KEY,
    quan_in_stock integer NOT NULL,
    sales integer NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE inventory_pristine (
    prod_id integer NOT NULL PRIMARY KEY,
    quan_in_stock integer NOT NULL,
    sales integer NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE categories (
    category smallint NOT NULL PRIMARY KEY,
    categoryname varchar(50) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE reorder (
    reorderid bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    prod_id integer NOT NULL,
    date_low date NOT NULL,
    quan_low integer NOT NULL,
    date_reordered date,
    quan_reordered integer,
    date_expected date
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
