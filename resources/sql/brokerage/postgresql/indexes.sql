-- Keys and indexes, made when the rows are in. Each paragraph is one table's, and is executed on one connection.

ALTER TABLE trade_history ADD CONSTRAINT trade_history_pkey PRIMARY KEY (th_t_id, th_st_id);

ALTER TABLE trade ADD CONSTRAINT trade_pkey PRIMARY KEY (t_id);
CREATE INDEX ix_trade_account ON trade (t_ca_id, t_dts);
CREATE INDEX ix_trade_symbol ON trade (t_s_symb, t_dts);

ALTER TABLE daily_market ADD CONSTRAINT daily_market_pkey PRIMARY KEY (dm_s_symb, dm_date);

ALTER TABLE holding_history ADD CONSTRAINT holding_history_pkey PRIMARY KEY (hh_t_id, hh_h_t_id);
CREATE INDEX ix_change_holding ON holding_history (hh_h_t_id);

ALTER TABLE cash_transaction ADD CONSTRAINT cash_transaction_pkey PRIMARY KEY (ct_t_id);

ALTER TABLE settlement ADD CONSTRAINT settlement_pkey PRIMARY KEY (se_t_id);

ALTER TABLE holding ADD CONSTRAINT holding_pkey PRIMARY KEY (h_t_id);
CREATE INDEX ix_holding_account ON holding (h_ca_id, h_s_symb, h_dts);

ALTER TABLE holding_summary ADD CONSTRAINT holding_summary_pkey PRIMARY KEY (hs_ca_id, hs_s_symb);

ALTER TABLE news_item ADD CONSTRAINT news_item_pkey PRIMARY KEY (ni_id);

ALTER TABLE watch_item ADD CONSTRAINT watch_item_pkey PRIMARY KEY (wi_wl_id, wi_s_symb);

ALTER TABLE account_permission ADD CONSTRAINT account_permission_pkey PRIMARY KEY (ap_ca_id, ap_tax_id);

ALTER TABLE status_type ADD CONSTRAINT status_type_pkey PRIMARY KEY (st_id);

ALTER TABLE trade_type ADD CONSTRAINT trade_type_pkey PRIMARY KEY (tt_id);

ALTER TABLE zip_code ADD CONSTRAINT zip_code_pkey PRIMARY KEY (zc_code);

ALTER TABLE address ADD CONSTRAINT address_pkey PRIMARY KEY (ad_id);

ALTER TABLE exchange ADD CONSTRAINT exchange_pkey PRIMARY KEY (ex_id);

ALTER TABLE sector ADD CONSTRAINT sector_pkey PRIMARY KEY (sc_id);

ALTER TABLE industry ADD CONSTRAINT industry_pkey PRIMARY KEY (in_id);

ALTER TABLE taxrate ADD CONSTRAINT taxrate_pkey PRIMARY KEY (tx_id);

ALTER TABLE charge ADD CONSTRAINT charge_pkey PRIMARY KEY (ch_tt_id, ch_c_tier);

ALTER TABLE commission_rate ADD CONSTRAINT commission_rate_pkey PRIMARY KEY (cr_c_tier, cr_tt_id, cr_ex_id, cr_from_qty);

ALTER TABLE company ADD CONSTRAINT company_pkey PRIMARY KEY (co_id);
CREATE UNIQUE INDEX ix_company_name ON company (co_name);
CREATE INDEX ix_company_industry ON company (co_in_id, co_id);

ALTER TABLE company_competitor ADD CONSTRAINT company_competitor_pkey PRIMARY KEY (cp_co_id, cp_comp_co_id, cp_in_id);

ALTER TABLE security ADD CONSTRAINT security_pkey PRIMARY KEY (s_symb);
CREATE UNIQUE INDEX ix_security_company ON security (s_co_id, s_issue);

ALTER TABLE last_trade ADD CONSTRAINT last_trade_pkey PRIMARY KEY (lt_s_symb);
-- The last trades as they were built, for a reset that needs no generator.
CREATE TABLE last_trade_pristine AS SELECT * FROM last_trade;
ALTER TABLE last_trade_pristine ADD CONSTRAINT last_trade_pristine_pkey PRIMARY KEY (lt_s_symb);

ALTER TABLE financial ADD CONSTRAINT financial_pkey PRIMARY KEY (fi_co_id, fi_year, fi_qtr);

ALTER TABLE news_xref ADD CONSTRAINT news_xref_pkey PRIMARY KEY (nx_co_id, nx_ni_id);

ALTER TABLE customer ADD CONSTRAINT customer_pkey PRIMARY KEY (c_id);
CREATE UNIQUE INDEX ix_customer_tax_id ON customer (c_tax_id);

ALTER TABLE customer_taxrate ADD CONSTRAINT customer_taxrate_pkey PRIMARY KEY (cx_c_id, cx_tx_id);

ALTER TABLE broker ADD CONSTRAINT broker_pkey PRIMARY KEY (b_id);
CREATE UNIQUE INDEX ix_broker_name ON broker (b_name);

ALTER TABLE customer_account ADD CONSTRAINT customer_account_pkey PRIMARY KEY (ca_id);
CREATE INDEX ix_account_customer ON customer_account (ca_c_id, ca_id);
CREATE INDEX ix_account_broker ON customer_account (ca_b_id);

ALTER TABLE watch_list ADD CONSTRAINT watch_list_pkey PRIMARY KEY (wl_id);
CREATE INDEX ix_watch_list_customer ON watch_list (wl_c_id);

ALTER TABLE trade_request ADD CONSTRAINT trade_request_pkey PRIMARY KEY (tr_t_id);
CREATE INDEX ix_request_symbol ON trade_request (tr_s_symb);
CREATE INDEX ix_request_broker ON trade_request (tr_b_id);

ALTER TABLE maintained ADD CONSTRAINT maintained_pkey PRIMARY KEY (m_number);
