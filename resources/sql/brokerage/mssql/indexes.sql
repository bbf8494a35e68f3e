-- Indexes and references, made when the rows are in: one batch each, so that progress can be shown.

CREATE NONCLUSTERED INDEX ix_trade_account ON $(schema).trade (t_ca_id, t_dts) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_trade_symbol ON $(schema).trade (t_s_symb, t_dts) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_change_holding ON $(schema).holding_history (hh_h_t_id) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_holding_account ON $(schema).holding (h_ca_id, h_s_symb, h_dts) ON $(indexes)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix_company_name ON $(schema).company (co_name) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_company_industry ON $(schema).company (co_in_id, co_id) ON $(indexes)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix_security_company ON $(schema).security (s_co_id, s_issue) ON $(indexes)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix_customer_tax_id ON $(schema).customer (c_tax_id) ON $(indexes)
GO
CREATE UNIQUE NONCLUSTERED INDEX ix_broker_name ON $(schema).broker (b_name) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_account_customer ON $(schema).customer_account (ca_c_id, ca_id) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_account_broker ON $(schema).customer_account (ca_b_id) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_watch_list_customer ON $(schema).watch_list (wl_c_id) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_request_symbol ON $(schema).trade_request (tr_s_symb) ON $(indexes)
GO
CREATE NONCLUSTERED INDEX ix_request_broker ON $(schema).trade_request (tr_b_id) ON $(indexes)
GO
ALTER TABLE $(schema).industry WITH CHECK ADD CONSTRAINT fk_industry_sector
    FOREIGN KEY (in_sc_id) REFERENCES $(schema).sector (sc_id)
GO
ALTER TABLE $(schema).address WITH CHECK ADD CONSTRAINT fk_address_zip
    FOREIGN KEY (ad_zc_code) REFERENCES $(schema).zip_code (zc_code)
GO
ALTER TABLE $(schema).exchange WITH CHECK ADD CONSTRAINT fk_exchange_address
    FOREIGN KEY (ex_ad_id) REFERENCES $(schema).address (ad_id)
GO
ALTER TABLE $(schema).charge WITH CHECK ADD CONSTRAINT fk_charge_type
    FOREIGN KEY (ch_tt_id) REFERENCES $(schema).trade_type (tt_id)
GO
ALTER TABLE $(schema).commission_rate WITH CHECK ADD CONSTRAINT fk_commission_type
    FOREIGN KEY (cr_tt_id) REFERENCES $(schema).trade_type (tt_id)
GO
ALTER TABLE $(schema).commission_rate WITH CHECK ADD CONSTRAINT fk_commission_exchange
    FOREIGN KEY (cr_ex_id) REFERENCES $(schema).exchange (ex_id)
GO
ALTER TABLE $(schema).company WITH CHECK ADD CONSTRAINT fk_company_industry
    FOREIGN KEY (co_in_id) REFERENCES $(schema).industry (in_id)
GO
ALTER TABLE $(schema).company WITH CHECK ADD CONSTRAINT fk_company_address
    FOREIGN KEY (co_ad_id) REFERENCES $(schema).address (ad_id)
GO
ALTER TABLE $(schema).company WITH CHECK ADD CONSTRAINT fk_company_status
    FOREIGN KEY (co_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).company_competitor WITH CHECK ADD CONSTRAINT fk_competitor_company
    FOREIGN KEY (cp_co_id) REFERENCES $(schema).company (co_id)
GO
ALTER TABLE $(schema).company_competitor WITH CHECK ADD CONSTRAINT fk_competitor_other
    FOREIGN KEY (cp_comp_co_id) REFERENCES $(schema).company (co_id)
GO
ALTER TABLE $(schema).company_competitor WITH CHECK ADD CONSTRAINT fk_competitor_industry
    FOREIGN KEY (cp_in_id) REFERENCES $(schema).industry (in_id)
GO
ALTER TABLE $(schema).security WITH CHECK ADD CONSTRAINT fk_security_company
    FOREIGN KEY (s_co_id) REFERENCES $(schema).company (co_id)
GO
ALTER TABLE $(schema).security WITH CHECK ADD CONSTRAINT fk_security_exchange
    FOREIGN KEY (s_ex_id) REFERENCES $(schema).exchange (ex_id)
GO
ALTER TABLE $(schema).security WITH CHECK ADD CONSTRAINT fk_security_status
    FOREIGN KEY (s_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).last_trade WITH CHECK ADD CONSTRAINT fk_last_trade_security
    FOREIGN KEY (lt_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).daily_market WITH CHECK ADD CONSTRAINT fk_daily_security
    FOREIGN KEY (dm_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).financial WITH CHECK ADD CONSTRAINT fk_financial_company
    FOREIGN KEY (fi_co_id) REFERENCES $(schema).company (co_id)
GO
ALTER TABLE $(schema).news_xref WITH CHECK ADD CONSTRAINT fk_news_item
    FOREIGN KEY (nx_ni_id) REFERENCES $(schema).news_item (ni_id)
GO
ALTER TABLE $(schema).news_xref WITH CHECK ADD CONSTRAINT fk_news_company
    FOREIGN KEY (nx_co_id) REFERENCES $(schema).company (co_id)
GO
ALTER TABLE $(schema).customer WITH CHECK ADD CONSTRAINT fk_customer_address
    FOREIGN KEY (c_ad_id) REFERENCES $(schema).address (ad_id)
GO
ALTER TABLE $(schema).customer WITH CHECK ADD CONSTRAINT fk_customer_status
    FOREIGN KEY (c_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).customer_taxrate WITH CHECK ADD CONSTRAINT fk_customer_tax
    FOREIGN KEY (cx_tx_id) REFERENCES $(schema).taxrate (tx_id)
GO
ALTER TABLE $(schema).customer_taxrate WITH CHECK ADD CONSTRAINT fk_tax_customer
    FOREIGN KEY (cx_c_id) REFERENCES $(schema).customer (c_id)
GO
ALTER TABLE $(schema).broker WITH CHECK ADD CONSTRAINT fk_broker_status
    FOREIGN KEY (b_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).customer_account WITH CHECK ADD CONSTRAINT fk_account_broker
    FOREIGN KEY (ca_b_id) REFERENCES $(schema).broker (b_id)
GO
ALTER TABLE $(schema).customer_account WITH CHECK ADD CONSTRAINT fk_account_customer
    FOREIGN KEY (ca_c_id) REFERENCES $(schema).customer (c_id)
GO
ALTER TABLE $(schema).account_permission WITH CHECK ADD CONSTRAINT fk_permission_account
    FOREIGN KEY (ap_ca_id) REFERENCES $(schema).customer_account (ca_id)
GO
ALTER TABLE $(schema).watch_list WITH CHECK ADD CONSTRAINT fk_watch_list_customer
    FOREIGN KEY (wl_c_id) REFERENCES $(schema).customer (c_id)
GO
ALTER TABLE $(schema).watch_item WITH CHECK ADD CONSTRAINT fk_watch_item_list
    FOREIGN KEY (wi_wl_id) REFERENCES $(schema).watch_list (wl_id)
GO
ALTER TABLE $(schema).watch_item WITH CHECK ADD CONSTRAINT fk_watch_item_security
    FOREIGN KEY (wi_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).trade WITH CHECK ADD CONSTRAINT fk_trade_status
    FOREIGN KEY (t_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).trade WITH CHECK ADD CONSTRAINT fk_trade_type
    FOREIGN KEY (t_tt_id) REFERENCES $(schema).trade_type (tt_id)
GO
ALTER TABLE $(schema).trade WITH CHECK ADD CONSTRAINT fk_trade_security
    FOREIGN KEY (t_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).trade WITH CHECK ADD CONSTRAINT fk_trade_account
    FOREIGN KEY (t_ca_id) REFERENCES $(schema).customer_account (ca_id)
GO
ALTER TABLE $(schema).trade_history WITH CHECK ADD CONSTRAINT fk_history_trade
    FOREIGN KEY (th_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).trade_history WITH CHECK ADD CONSTRAINT fk_history_status
    FOREIGN KEY (th_st_id) REFERENCES $(schema).status_type (st_id)
GO
ALTER TABLE $(schema).trade_request WITH CHECK ADD CONSTRAINT fk_request_trade
    FOREIGN KEY (tr_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).trade_request WITH CHECK ADD CONSTRAINT fk_request_type
    FOREIGN KEY (tr_tt_id) REFERENCES $(schema).trade_type (tt_id)
GO
ALTER TABLE $(schema).trade_request WITH CHECK ADD CONSTRAINT fk_request_security
    FOREIGN KEY (tr_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).trade_request WITH CHECK ADD CONSTRAINT fk_request_broker
    FOREIGN KEY (tr_b_id) REFERENCES $(schema).broker (b_id)
GO
ALTER TABLE $(schema).settlement WITH CHECK ADD CONSTRAINT fk_settlement_trade
    FOREIGN KEY (se_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).cash_transaction WITH CHECK ADD CONSTRAINT fk_cash_trade
    FOREIGN KEY (ct_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).holding_summary WITH CHECK ADD CONSTRAINT fk_summary_account
    FOREIGN KEY (hs_ca_id) REFERENCES $(schema).customer_account (ca_id)
GO
ALTER TABLE $(schema).holding_summary WITH CHECK ADD CONSTRAINT fk_summary_security
    FOREIGN KEY (hs_s_symb) REFERENCES $(schema).security (s_symb)
GO
ALTER TABLE $(schema).holding WITH CHECK ADD CONSTRAINT fk_holding_trade
    FOREIGN KEY (h_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).holding_history WITH CHECK ADD CONSTRAINT fk_change_trade
    FOREIGN KEY (hh_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).holding_history WITH CHECK ADD CONSTRAINT fk_change_holding
    FOREIGN KEY (hh_h_t_id) REFERENCES $(schema).trade (t_id)
GO
ALTER TABLE $(schema).holding WITH CHECK ADD CONSTRAINT fk_holding_summary
    FOREIGN KEY (h_ca_id, h_s_symb) REFERENCES $(schema).holding_summary (hs_ca_id, hs_s_symb)
GO
INSERT INTO $(schema).last_trade_pristine WITH (TABLOCK) (lt_s_symb, lt_dts, lt_price, lt_open_price, lt_vol)
SELECT l.lt_s_symb, l.lt_dts, l.lt_price, l.lt_open_price, l.lt_vol FROM $(schema).last_trade AS l
GO
