-- Brokerage's tables, bare: keys and indexes come after the rows (indexes.sql).

CREATE TABLE status_type (
    st_id varchar(4) NOT NULL,
    st_name varchar(10) NOT NULL
);

CREATE TABLE trade_type (
    tt_id varchar(3) NOT NULL,
    tt_name varchar(12) NOT NULL,
    tt_is_sell smallint NOT NULL,
    tt_is_mrkt smallint NOT NULL
);

CREATE TABLE zip_code (
    zc_code varchar(12) NOT NULL,
    zc_town varchar(80) NOT NULL,
    zc_div varchar(80) NOT NULL
);

CREATE TABLE address (
    ad_id integer NOT NULL,
    ad_line1 varchar(80) NOT NULL,
    ad_line2 varchar(80),
    ad_zc_code varchar(12) NOT NULL,
    ad_ctry varchar(80) NOT NULL
);

CREATE TABLE exchange (
    ex_id varchar(6) NOT NULL,
    ex_name varchar(100) NOT NULL,
    ex_num_symb integer NOT NULL,
    ex_open integer NOT NULL,
    ex_close integer NOT NULL,
    ex_desc varchar(150) NOT NULL,
    ex_ad_id integer NOT NULL
);

CREATE TABLE sector (
    sc_id varchar(2) NOT NULL,
    sc_name varchar(30) NOT NULL
);

CREATE TABLE industry (
    in_id varchar(2) NOT NULL,
    in_name varchar(50) NOT NULL,
    in_sc_id varchar(2) NOT NULL
);

CREATE TABLE taxrate (
    tx_id varchar(4) NOT NULL,
    tx_name varchar(50) NOT NULL,
    tx_rate numeric(5, 4) NOT NULL
);

CREATE TABLE charge (
    ch_tt_id varchar(3) NOT NULL,
    ch_c_tier smallint NOT NULL,
    ch_chrg numeric(12, 2) NOT NULL
);

CREATE TABLE commission_rate (
    cr_c_tier smallint NOT NULL,
    cr_tt_id varchar(3) NOT NULL,
    cr_ex_id varchar(6) NOT NULL,
    cr_from_qty integer NOT NULL,
    cr_to_qty integer NOT NULL,
    cr_rate numeric(12, 2) NOT NULL
);

CREATE TABLE company (
    co_id integer NOT NULL,
    co_st_id varchar(4) NOT NULL,
    co_name varchar(60) NOT NULL,
    co_in_id varchar(2) NOT NULL,
    co_sp_rate varchar(4) NOT NULL,
    co_ceo varchar(46) NOT NULL,
    co_ad_id integer NOT NULL,
    co_desc varchar(150) NOT NULL,
    co_open_date date NOT NULL
);

CREATE TABLE company_competitor (
    cp_co_id integer NOT NULL,
    cp_comp_co_id integer NOT NULL,
    cp_in_id varchar(2) NOT NULL
);

CREATE TABLE security (
    s_symb varchar(7) NOT NULL,
    s_issue varchar(6) NOT NULL,
    s_st_id varchar(4) NOT NULL,
    s_name varchar(70) NOT NULL,
    s_ex_id varchar(6) NOT NULL,
    s_co_id integer NOT NULL,
    s_num_out bigint NOT NULL,
    s_start_date date NOT NULL,
    s_exch_date date NOT NULL,
    s_pe numeric(12, 2) NOT NULL,
    s_52wk_high numeric(12, 2) NOT NULL,
    s_52wk_high_date date NOT NULL,
    s_52wk_low numeric(12, 2) NOT NULL,
    s_52wk_low_date date NOT NULL,
    s_dividend numeric(12, 2) NOT NULL,
    s_yield numeric(12, 2) NOT NULL
);

CREATE TABLE last_trade (
    lt_s_symb varchar(7) NOT NULL,
    lt_dts timestamp NOT NULL,
    lt_price numeric(12, 2) NOT NULL,
    lt_open_price numeric(12, 2) NOT NULL,
    lt_vol bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE daily_market (
    dm_date date NOT NULL,
    dm_s_symb varchar(7) NOT NULL,
    dm_close numeric(12, 2) NOT NULL,
    dm_high numeric(12, 2) NOT NULL,
    dm_low numeric(12, 2) NOT NULL,
    dm_vol bigint NOT NULL
);

CREATE TABLE financial (
    fi_co_id integer NOT NULL,
    fi_year integer NOT NULL,
    fi_qtr smallint NOT NULL,
    fi_qtr_start_date date NOT NULL,
    fi_revenue numeric(15, 2) NOT NULL,
    fi_net_earn numeric(15, 2) NOT NULL,
    fi_basic_eps numeric(15, 2) NOT NULL,
    fi_dilut_eps numeric(15, 2) NOT NULL,
    fi_margin numeric(15, 2) NOT NULL,
    fi_inventory numeric(15, 2) NOT NULL,
    fi_assets numeric(15, 2) NOT NULL,
    fi_liability numeric(15, 2) NOT NULL,
    fi_out_basic bigint NOT NULL,
    fi_out_dilut bigint NOT NULL
);

CREATE TABLE news_item (
    ni_id integer NOT NULL,
    ni_headline varchar(80) NOT NULL,
    ni_summary varchar(255) NOT NULL,
    ni_item text NOT NULL,
    ni_dts timestamp NOT NULL,
    ni_source varchar(30) NOT NULL,
    ni_author varchar(30) NOT NULL
);

CREATE TABLE news_xref (
    nx_ni_id integer NOT NULL,
    nx_co_id integer NOT NULL
);

CREATE TABLE customer (
    c_id integer NOT NULL,
    c_tax_id varchar(20) NOT NULL,
    c_st_id varchar(4) NOT NULL,
    c_l_name varchar(25) NOT NULL,
    c_f_name varchar(20) NOT NULL,
    c_m_name varchar(1) NOT NULL,
    c_gndr varchar(1) NOT NULL,
    c_tier smallint NOT NULL,
    c_dob date NOT NULL,
    c_ad_id integer NOT NULL,
    c_ctry_1 varchar(3) NOT NULL,
    c_area_1 varchar(3) NOT NULL,
    c_local_1 varchar(10) NOT NULL,
    c_ext_1 varchar(5) NOT NULL,
    c_ctry_2 varchar(3) NOT NULL,
    c_area_2 varchar(3) NOT NULL,
    c_local_2 varchar(10) NOT NULL,
    c_ext_2 varchar(5) NOT NULL,
    c_ctry_3 varchar(3) NOT NULL,
    c_area_3 varchar(3) NOT NULL,
    c_local_3 varchar(10) NOT NULL,
    c_ext_3 varchar(5) NOT NULL,
    c_email_1 varchar(50) NOT NULL,
    c_email_2 varchar(50) NOT NULL
);

CREATE TABLE customer_taxrate (
    cx_tx_id varchar(4) NOT NULL,
    cx_c_id integer NOT NULL
);

CREATE TABLE broker (
    b_id integer NOT NULL,
    b_st_id varchar(4) NOT NULL,
    b_name varchar(49) NOT NULL,
    b_num_trades integer NOT NULL,
    b_comm_total numeric(12, 2) NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE customer_account (
    ca_id integer NOT NULL,
    ca_b_id integer NOT NULL,
    ca_c_id integer NOT NULL,
    ca_name varchar(50) NOT NULL,
    ca_tax_st smallint NOT NULL,
    ca_bal numeric(12, 2) NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE account_permission (
    ap_ca_id integer NOT NULL,
    ap_acl varchar(4) NOT NULL,
    ap_tax_id varchar(20) NOT NULL,
    ap_l_name varchar(25) NOT NULL,
    ap_f_name varchar(20) NOT NULL
);

CREATE TABLE watch_list (
    wl_id integer NOT NULL,
    wl_c_id integer NOT NULL
);

CREATE TABLE watch_item (
    wi_wl_id integer NOT NULL,
    wi_s_symb varchar(7) NOT NULL
);

CREATE TABLE trade (
    t_id integer NOT NULL,
    t_dts timestamp NOT NULL,
    t_st_id varchar(4) NOT NULL,
    t_tt_id varchar(3) NOT NULL,
    t_is_cash smallint NOT NULL,
    t_s_symb varchar(7) NOT NULL,
    t_qty integer NOT NULL,
    t_bid_price numeric(12, 2) NOT NULL,
    t_ca_id integer NOT NULL,
    t_exec_name varchar(49) NOT NULL,
    t_trade_price numeric(12, 2),
    t_chrg numeric(12, 2) NOT NULL,
    t_comm numeric(12, 2) NOT NULL,
    t_tax numeric(12, 2) NOT NULL,
    t_lifo smallint NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE trade_history (
    th_t_id integer NOT NULL,
    th_dts timestamp NOT NULL,
    th_st_id varchar(4) NOT NULL
);

-- The table is empty when a run begins, and a plan for an empty table would scan all of it for each security of a feed.
-- So its statistics are not gathered, and the planner assumes a larger table.
CREATE TABLE trade_request (
    tr_t_id integer NOT NULL,
    tr_tt_id varchar(3) NOT NULL,
    tr_s_symb varchar(7) NOT NULL,
    tr_qty integer NOT NULL,
    tr_bid_price numeric(12, 2) NOT NULL,
    tr_b_id integer NOT NULL
) WITH (autovacuum_analyze_threshold = 2147483647);

CREATE TABLE settlement (
    se_t_id integer NOT NULL,
    se_cash_type varchar(40) NOT NULL,
    se_cash_due_date date NOT NULL,
    se_amt numeric(12, 2) NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE cash_transaction (
    ct_t_id integer NOT NULL,
    ct_dts timestamp NOT NULL,
    ct_amt numeric(12, 2) NOT NULL,
    ct_name varchar(100) NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE holding (
    h_t_id integer NOT NULL,
    h_ca_id integer NOT NULL,
    h_s_symb varchar(7) NOT NULL,
    h_dts timestamp NOT NULL,
    h_price numeric(12, 2) NOT NULL,
    h_qty integer NOT NULL
);

CREATE TABLE holding_history (
    hh_h_t_id integer NOT NULL,
    hh_t_id integer NOT NULL,
    hh_before_qty integer NOT NULL,
    hh_after_qty integer NOT NULL
);

CREATE TABLE holding_summary (
    hs_ca_id integer NOT NULL,
    hs_s_symb varchar(7) NOT NULL,
    hs_qty integer NOT NULL
) WITH (fillfactor = 90);

-- The numbers of the trades of runs; those of the trades before the first run are smaller in every store. The sequence
-- belongs to a table, so that it takes the place of an earlier store's with it.
CREATE SEQUENCE trade_number AS integer START WITH 1000000001 OWNED BY trade.t_id;

-- What data maintenance has changed, so that a reset restores it.
CREATE TABLE maintained (
    m_number integer GENERATED ALWAYS AS IDENTITY,
    m_table varchar(30) NOT NULL,
    m_column varchar(30) NOT NULL,
    m_where varchar(200) NOT NULL,
    m_before text
);
