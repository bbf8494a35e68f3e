-- After a build and after a reset: what the optimizer uses.
ANALYZE TABLE status_type, trade_type, zip_code, address, exchange, sector, industry, taxrate, charge, commission_rate,
    company, company_competitor, security, last_trade, daily_market, financial, news_item, news_xref, customer,
    customer_taxrate, broker, customer_account, account_permission, watch_list, watch_item, trade, trade_history,
    trade_request, settlement, cash_transaction, holding, holding_history, holding_summary
