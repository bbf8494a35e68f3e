-- After a build and after a reset: the pages marked as visible to all, and what the planner uses; without the trade
-- requests, see tables.sql.

VACUUM (ANALYZE) status_type, trade_type, zip_code, address, exchange, sector, industry, taxrate, charge, commission_rate,
    company, company_competitor, security, last_trade, financial, news_xref, customer, customer_taxrate, broker,
    customer_account, watch_list, holding, holding_summary, news_item, watch_item,
    account_permission;

VACUUM (ANALYZE) trade_history, trade, daily_market, holding_history, cash_transaction, settlement;
