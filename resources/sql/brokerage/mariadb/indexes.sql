-- Indexes and references, made when the rows are in: one statement for each table, which reads its rows once. A
-- reference without an index of the columns that refer makes one, which has the reference's name.

INSERT INTO last_trade_pristine SELECT * FROM last_trade;
INSERT INTO trade_number VALUES (1000000000);
-- The rows come from one generator and refer to each other as they should; a check would copy the tables once more.
SET SESSION foreign_key_checks = 0;
ALTER TABLE address
    ADD CONSTRAINT fk_address_zip FOREIGN KEY (ad_zc_code) REFERENCES zip_code (zc_code);
ALTER TABLE exchange
    ADD CONSTRAINT fk_exchange_address FOREIGN KEY (ex_ad_id) REFERENCES address (ad_id);
ALTER TABLE industry
    ADD CONSTRAINT fk_industry_sector FOREIGN KEY (in_sc_id) REFERENCES sector (sc_id);
ALTER TABLE charge
    ADD CONSTRAINT fk_charge_type FOREIGN KEY (ch_tt_id) REFERENCES trade_type (tt_id);
ALTER TABLE commission_rate
    ADD CONSTRAINT fk_commission_type FOREIGN KEY (cr_tt_id) REFERENCES trade_type (tt_id),
    ADD CONSTRAINT fk_commission_exchange FOREIGN KEY (cr_ex_id) REFERENCES exchange (ex_id);
ALTER TABLE company
    ADD UNIQUE INDEX ix_company_name (co_name),
    ADD INDEX ix_company_industry (co_in_id, co_id),
    ADD CONSTRAINT fk_company_industry FOREIGN KEY (co_in_id) REFERENCES industry (in_id),
    ADD CONSTRAINT fk_company_address FOREIGN KEY (co_ad_id) REFERENCES address (ad_id),
    ADD CONSTRAINT fk_company_status FOREIGN KEY (co_st_id) REFERENCES status_type (st_id);
ALTER TABLE company_competitor
    ADD CONSTRAINT fk_competitor_company FOREIGN KEY (cp_co_id) REFERENCES company (co_id),
    ADD CONSTRAINT fk_competitor_other FOREIGN KEY (cp_comp_co_id) REFERENCES company (co_id),
    ADD CONSTRAINT fk_competitor_industry FOREIGN KEY (cp_in_id) REFERENCES industry (in_id);
ALTER TABLE security
    ADD UNIQUE INDEX ix_security_company (s_co_id, s_issue),
    ADD CONSTRAINT fk_security_company FOREIGN KEY (s_co_id) REFERENCES company (co_id),
    ADD CONSTRAINT fk_security_exchange FOREIGN KEY (s_ex_id) REFERENCES exchange (ex_id),
    ADD CONSTRAINT fk_security_status FOREIGN KEY (s_st_id) REFERENCES status_type (st_id);
ALTER TABLE last_trade
    ADD CONSTRAINT fk_last_trade_security FOREIGN KEY (lt_s_symb) REFERENCES security (s_symb);
ALTER TABLE daily_market
    ADD CONSTRAINT fk_daily_security FOREIGN KEY (dm_s_symb) REFERENCES security (s_symb);
ALTER TABLE financial
    ADD CONSTRAINT fk_financial_company FOREIGN KEY (fi_co_id) REFERENCES company (co_id);
ALTER TABLE news_xref
    ADD CONSTRAINT fk_news_item FOREIGN KEY (nx_ni_id) REFERENCES news_item (ni_id),
    ADD CONSTRAINT fk_news_company FOREIGN KEY (nx_co_id) REFERENCES company (co_id);
ALTER TABLE customer
    ADD UNIQUE INDEX ix_customer_tax_id (c_tax_id),
    ADD CONSTRAINT fk_customer_address FOREIGN KEY (c_ad_id) REFERENCES address (ad_id),
    ADD CONSTRAINT fk_customer_status FOREIGN KEY (c_st_id) REFERENCES status_type (st_id);
ALTER TABLE customer_taxrate
    ADD CONSTRAINT fk_customer_tax FOREIGN KEY (cx_tx_id) REFERENCES taxrate (tx_id),
    ADD CONSTRAINT fk_tax_customer FOREIGN KEY (cx_c_id) REFERENCES customer (c_id);
ALTER TABLE broker
    ADD UNIQUE INDEX ix_broker_name (b_name),
    ADD CONSTRAINT fk_broker_status FOREIGN KEY (b_st_id) REFERENCES status_type (st_id);
ALTER TABLE customer_account
    ADD INDEX ix_account_customer (ca_c_id, ca_id),
    ADD INDEX ix_account_broker (ca_b_id),
    ADD CONSTRAINT fk_account_broker FOREIGN KEY (ca_b_id) REFERENCES broker (b_id),
    ADD CONSTRAINT fk_account_customer FOREIGN KEY (ca_c_id) REFERENCES customer (c_id);
ALTER TABLE account_permission
    ADD CONSTRAINT fk_permission_account FOREIGN KEY (ap_ca_id) REFERENCES customer_account (ca_id);
ALTER TABLE watch_list
    ADD INDEX ix_watch_list_customer (wl_c_id),
    ADD CONSTRAINT fk_watch_list_customer FOREIGN KEY (wl_c_id) REFERENCES customer (c_id);
ALTER TABLE watch_item
    ADD CONSTRAINT fk_watch_item_list FOREIGN KEY (wi_wl_id) REFERENCES watch_list (wl_id),
    ADD CONSTRAINT fk_watch_item_security FOREIGN KEY (wi_s_symb) REFERENCES security (s_symb);
ALTER TABLE trade
    ADD INDEX ix_trade_account (t_ca_id, t_dts),
    ADD INDEX ix_trade_symbol (t_s_symb, t_dts),
    ADD CONSTRAINT fk_trade_status FOREIGN KEY (t_st_id) REFERENCES status_type (st_id),
    ADD CONSTRAINT fk_trade_type FOREIGN KEY (t_tt_id) REFERENCES trade_type (tt_id),
    ADD CONSTRAINT fk_trade_security FOREIGN KEY (t_s_symb) REFERENCES security (s_symb),
    ADD CONSTRAINT fk_trade_account FOREIGN KEY (t_ca_id) REFERENCES customer_account (ca_id);
ALTER TABLE trade_history
    ADD CONSTRAINT fk_history_trade FOREIGN KEY (th_t_id) REFERENCES trade (t_id),
    ADD CONSTRAINT fk_history_status FOREIGN KEY (th_st_id) REFERENCES status_type (st_id);
ALTER TABLE trade_request
    ADD INDEX ix_request_symbol (tr_s_symb),
    ADD INDEX ix_request_broker (tr_b_id),
    ADD CONSTRAINT fk_request_trade FOREIGN KEY (tr_t_id) REFERENCES trade (t_id),
    ADD CONSTRAINT fk_request_type FOREIGN KEY (tr_tt_id) REFERENCES trade_type (tt_id),
    ADD CONSTRAINT fk_request_security FOREIGN KEY (tr_s_symb) REFERENCES security (s_symb),
    ADD CONSTRAINT fk_request_broker FOREIGN KEY (tr_b_id) REFERENCES broker (b_id);
ALTER TABLE settlement
    ADD CONSTRAINT fk_settlement_trade FOREIGN KEY (se_t_id) REFERENCES trade (t_id);
ALTER TABLE cash_transaction
    ADD CONSTRAINT fk_cash_trade FOREIGN KEY (ct_t_id) REFERENCES trade (t_id);
ALTER TABLE holding
    ADD INDEX ix_holding_account (h_ca_id, h_s_symb, h_dts),
    ADD CONSTRAINT fk_holding_trade FOREIGN KEY (h_t_id) REFERENCES trade (t_id),
    ADD CONSTRAINT fk_holding_summary FOREIGN KEY (h_ca_id, h_s_symb) REFERENCES holding_summary (hs_ca_id, hs_s_symb);
ALTER TABLE holding_history
    ADD INDEX ix_change_holding (hh_h_t_id),
    ADD CONSTRAINT fk_change_trade FOREIGN KEY (hh_t_id) REFERENCES trade (t_id),
    ADD CONSTRAINT fk_change_holding FOREIGN KEY (hh_h_t_id) REFERENCES trade (t_id);
ALTER TABLE holding_summary
    ADD CONSTRAINT fk_summary_account FOREIGN KEY (hs_ca_id) REFERENCES customer_account (ca_id),
    ADD CONSTRAINT fk_summary_security FOREIGN KEY (hs_s_symb) REFERENCES security (s_symb);
SET SESSION foreign_key_checks = 1;
