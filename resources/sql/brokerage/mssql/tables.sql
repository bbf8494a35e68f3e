-- Brokerage's tables with their keys; other indexes come after the rows (indexes.sql). $(schema) is where they are made,
-- $(customers), $(orders) and $(misc) are filegroups. Words whose capitals are changed (trade_update, data_maintenance)
-- are compared letter by letter, whatever the server's own collation is.

CREATE TABLE $(schema).status_type (
    st_id varchar(4) NOT NULL,
    st_name varchar(10) NOT NULL,
    CONSTRAINT status_type_pkey PRIMARY KEY CLUSTERED (st_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).trade_type (
    tt_id varchar(3) NOT NULL,
    tt_name varchar(12) NOT NULL,
    tt_is_sell smallint NOT NULL,
    tt_is_mrkt smallint NOT NULL,
    CONSTRAINT trade_type_pkey PRIMARY KEY CLUSTERED (tt_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).zip_code (
    zc_code varchar(12) NOT NULL,
    zc_town varchar(80) NOT NULL,
    zc_div varchar(80) NOT NULL,
    CONSTRAINT zip_code_pkey PRIMARY KEY CLUSTERED (zc_code) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).address (
    ad_id int NOT NULL,
    ad_line1 varchar(80) NOT NULL,
    ad_line2 varchar(80) NULL,
    ad_zc_code varchar(12) NOT NULL,
    ad_ctry varchar(80) NOT NULL,
    CONSTRAINT address_pkey PRIMARY KEY CLUSTERED (ad_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).exchange (
    ex_id varchar(6) NOT NULL,
    ex_name varchar(100) NOT NULL,
    ex_num_symb int NOT NULL,
    ex_open int NOT NULL,
    ex_close int NOT NULL,
    ex_desc varchar(150) NOT NULL,
    ex_ad_id int NOT NULL,
    CONSTRAINT exchange_pkey PRIMARY KEY CLUSTERED (ex_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).sector (
    sc_id varchar(2) NOT NULL,
    sc_name varchar(30) NOT NULL,
    CONSTRAINT sector_pkey PRIMARY KEY CLUSTERED (sc_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).industry (
    in_id varchar(2) NOT NULL,
    in_name varchar(50) NOT NULL,
    in_sc_id varchar(2) NOT NULL,
    CONSTRAINT industry_pkey PRIMARY KEY CLUSTERED (in_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).taxrate (
    tx_id varchar(4) NOT NULL,
    tx_name varchar(50) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tx_rate numeric(5, 4) NOT NULL,
    CONSTRAINT taxrate_pkey PRIMARY KEY CLUSTERED (tx_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).charge (
    ch_tt_id varchar(3) NOT NULL,
    ch_c_tier smallint NOT NULL,
    ch_chrg numeric(12, 2) NOT NULL,
    CONSTRAINT charge_pkey PRIMARY KEY CLUSTERED (ch_tt_id, ch_c_tier) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).commission_rate (
    cr_c_tier smallint NOT NULL,
    cr_tt_id varchar(3) NOT NULL,
    cr_ex_id varchar(6) NOT NULL,
    cr_from_qty int NOT NULL,
    cr_to_qty int NOT NULL,
    cr_rate numeric(12, 2) NOT NULL,
    CONSTRAINT commission_rate_pkey PRIMARY KEY CLUSTERED (cr_c_tier, cr_tt_id, cr_ex_id, cr_from_qty) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).company (
    co_id int NOT NULL,
    co_st_id varchar(4) NOT NULL,
    co_name varchar(60) NOT NULL,
    co_in_id varchar(2) NOT NULL,
    co_sp_rate varchar(4) NOT NULL,
    co_ceo varchar(46) NOT NULL,
    co_ad_id int NOT NULL,
    co_desc varchar(150) NOT NULL,
    co_open_date date NOT NULL,
    CONSTRAINT company_pkey PRIMARY KEY CLUSTERED (co_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).company_competitor (
    cp_co_id int NOT NULL,
    cp_comp_co_id int NOT NULL,
    cp_in_id varchar(2) NOT NULL,
    CONSTRAINT company_competitor_pkey PRIMARY KEY CLUSTERED (cp_co_id, cp_comp_co_id, cp_in_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).security (
    s_symb varchar(7) NOT NULL,
    s_issue varchar(6) NOT NULL,
    s_st_id varchar(4) NOT NULL,
    s_name varchar(70) NOT NULL,
    s_ex_id varchar(6) NOT NULL,
    s_co_id int NOT NULL,
    s_num_out bigint NOT NULL,
    s_start_date date NOT NULL,
    s_exch_date date NOT NULL,
    s_pe numeric(12, 2) NOT NULL,
    s_52wk_high numeric(12, 2) NOT NULL,
    s_52wk_high_date date NOT NULL,
    s_52wk_low numeric(12, 2) NOT NULL,
    s_52wk_low_date date NOT NULL,
    s_dividend numeric(12, 2) NOT NULL,
    s_yield numeric(12, 2) NOT NULL,
    CONSTRAINT security_pkey PRIMARY KEY CLUSTERED (s_symb) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).last_trade (
    lt_s_symb varchar(7) NOT NULL,
    lt_dts datetime2(6) NOT NULL,
    lt_price numeric(12, 2) NOT NULL,
    lt_open_price numeric(12, 2) NOT NULL,
    lt_vol bigint NOT NULL,
    CONSTRAINT last_trade_pkey PRIMARY KEY CLUSTERED (lt_s_symb) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).daily_market (
    dm_date date NOT NULL,
    dm_s_symb varchar(7) NOT NULL,
    dm_close numeric(12, 2) NOT NULL,
    dm_high numeric(12, 2) NOT NULL,
    dm_low numeric(12, 2) NOT NULL,
    dm_vol bigint NOT NULL,
    CONSTRAINT daily_market_pkey PRIMARY KEY CLUSTERED (dm_s_symb, dm_date) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).financial (
    fi_co_id int NOT NULL,
    fi_year int NOT NULL,
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
    fi_out_dilut bigint NOT NULL,
    CONSTRAINT financial_pkey PRIMARY KEY CLUSTERED (fi_co_id, fi_year, fi_qtr) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).news_item (
    ni_id int NOT NULL,
    ni_headline varchar(80) NOT NULL,
    ni_summary varchar(255) NOT NULL,
    ni_item varchar(max) NOT NULL,
    ni_dts datetime2(0) NOT NULL,
    ni_source varchar(30) NOT NULL,
    ni_author varchar(30) NOT NULL,
    CONSTRAINT news_item_pkey PRIMARY KEY CLUSTERED (ni_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).news_xref (
    nx_ni_id int NOT NULL,
    nx_co_id int NOT NULL,
    CONSTRAINT news_xref_pkey PRIMARY KEY CLUSTERED (nx_co_id, nx_ni_id) ON $(misc)
) ON $(misc);

CREATE TABLE $(schema).customer (
    c_id int NOT NULL,
    c_tax_id varchar(20) NOT NULL,
    c_st_id varchar(4) NOT NULL,
    c_l_name varchar(25) NOT NULL,
    c_f_name varchar(20) NOT NULL,
    c_m_name varchar(1) NOT NULL,
    c_gndr varchar(1) NOT NULL,
    c_tier smallint NOT NULL,
    c_dob date NOT NULL,
    c_ad_id int NOT NULL,
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
    c_email_2 varchar(50) NOT NULL,
    CONSTRAINT customer_pkey PRIMARY KEY CLUSTERED (c_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).customer_taxrate (
    cx_tx_id varchar(4) NOT NULL,
    cx_c_id int NOT NULL,
    CONSTRAINT customer_taxrate_pkey PRIMARY KEY CLUSTERED (cx_c_id, cx_tx_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).broker (
    b_id int NOT NULL,
    b_st_id varchar(4) NOT NULL,
    b_name varchar(49) NOT NULL,
    b_num_trades int NOT NULL,
    b_comm_total numeric(12, 2) NOT NULL,
    CONSTRAINT broker_pkey PRIMARY KEY CLUSTERED (b_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).customer_account (
    ca_id int NOT NULL,
    ca_b_id int NOT NULL,
    ca_c_id int NOT NULL,
    ca_name varchar(50) NOT NULL,
    ca_tax_st smallint NOT NULL,
    ca_bal numeric(12, 2) NOT NULL,
    CONSTRAINT customer_account_pkey PRIMARY KEY CLUSTERED (ca_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).account_permission (
    ap_ca_id int NOT NULL,
    ap_acl varchar(4) NOT NULL,
    ap_tax_id varchar(20) NOT NULL,
    ap_l_name varchar(25) NOT NULL,
    ap_f_name varchar(20) NOT NULL,
    CONSTRAINT account_permission_pkey PRIMARY KEY CLUSTERED (ap_ca_id, ap_tax_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).watch_list (
    wl_id int NOT NULL,
    wl_c_id int NOT NULL,
    CONSTRAINT watch_list_pkey PRIMARY KEY CLUSTERED (wl_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).watch_item (
    wi_wl_id int NOT NULL,
    wi_s_symb varchar(7) NOT NULL,
    CONSTRAINT watch_item_pkey PRIMARY KEY CLUSTERED (wi_wl_id, wi_s_symb) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).trade (
    t_id int NOT NULL,
    t_dts datetime2(6) NOT NULL,
    t_st_id varchar(4) NOT NULL,
    t_tt_id varchar(3) NOT NULL,
    t_is_cash smallint NOT NULL,
    t_s_symb varchar(7) NOT NULL,
    t_qty int NOT NULL,
    t_bid_price numeric(12, 2) NOT NULL,
    t_ca_id int NOT NULL,
    t_exec_name varchar(49) NOT NULL,
    t_trade_price numeric(12, 2) NULL,
    t_chrg numeric(12, 2) NOT NULL,
    t_comm numeric(12, 2) NOT NULL,
    t_tax numeric(12, 2) NOT NULL,
    t_lifo smallint NOT NULL,
    CONSTRAINT trade_pkey PRIMARY KEY CLUSTERED (t_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).trade_history (
    th_t_id int NOT NULL,
    th_dts datetime2(6) NOT NULL,
    th_st_id varchar(4) NOT NULL,
    CONSTRAINT trade_history_pkey PRIMARY KEY CLUSTERED (th_t_id, th_st_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).trade_request (
    tr_t_id int NOT NULL,
    tr_tt_id varchar(3) NOT NULL,
    tr_s_symb varchar(7) NOT NULL,
    tr_qty int NOT NULL,
    tr_bid_price numeric(12, 2) NOT NULL,
    tr_b_id int NOT NULL,
    CONSTRAINT trade_request_pkey PRIMARY KEY CLUSTERED (tr_t_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).settlement (
    se_t_id int NOT NULL,
    se_cash_type varchar(40) NOT NULL,
    se_cash_due_date date NOT NULL,
    se_amt numeric(12, 2) NOT NULL,
    CONSTRAINT settlement_pkey PRIMARY KEY CLUSTERED (se_t_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).cash_transaction (
    ct_t_id int NOT NULL,
    ct_dts datetime2(6) NOT NULL,
    ct_amt numeric(12, 2) NOT NULL,
    ct_name varchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    CONSTRAINT cash_transaction_pkey PRIMARY KEY CLUSTERED (ct_t_id) ON $(orders)
) ON $(orders);

CREATE TABLE $(schema).holding_summary (
    hs_ca_id int NOT NULL,
    hs_s_symb varchar(7) NOT NULL,
    hs_qty int NOT NULL,
    CONSTRAINT holding_summary_pkey PRIMARY KEY CLUSTERED (hs_ca_id, hs_s_symb) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).holding (
    h_t_id int NOT NULL,
    h_ca_id int NOT NULL,
    h_s_symb varchar(7) NOT NULL,
    h_dts datetime2(6) NOT NULL,
    h_price numeric(12, 2) NOT NULL,
    h_qty int NOT NULL,
    CONSTRAINT holding_pkey PRIMARY KEY CLUSTERED (h_t_id) ON $(customers)
) ON $(customers);

CREATE TABLE $(schema).holding_history (
    hh_h_t_id int NOT NULL,
    hh_t_id int NOT NULL,
    hh_before_qty int NOT NULL,
    hh_after_qty int NOT NULL,
    CONSTRAINT holding_history_pkey PRIMARY KEY CLUSTERED (hh_t_id, hh_h_t_id) ON $(customers)
) ON $(customers);

-- The last trades as they were built, for a reset that needs no generator.
CREATE TABLE $(schema).last_trade_pristine (
    lt_s_symb varchar(7) NOT NULL,
    lt_dts datetime2(6) NOT NULL,
    lt_price numeric(12, 2) NOT NULL,
    lt_open_price numeric(12, 2) NOT NULL,
    lt_vol bigint NOT NULL,
    CONSTRAINT last_trade_pristine_pkey PRIMARY KEY CLUSTERED (lt_s_symb) ON $(misc)
) ON $(misc);

-- What data maintenance has changed, so that a reset restores it.
CREATE TABLE $(schema).maintained (
    m_number int IDENTITY(1, 1) NOT NULL,
    m_table varchar(30) NOT NULL,
    m_column varchar(30) NOT NULL,
    m_where varchar(200) NOT NULL,
    m_before varchar(200) NULL,
    CONSTRAINT maintained_pkey PRIMARY KEY CLUSTERED (m_number) ON $(misc)
) ON $(misc);
GO
