-- Everything that a build makes, and nothing else.

DROP PROCEDURE IF EXISTS trade_order(
    integer, text, text, text, text, text, integer, integer, integer, integer, integer, integer, bigint
);
DROP PROCEDURE IF EXISTS undo_maintenance();
DROP PROCEDURE IF EXISTS maintain(text, text, text, text, text);
DROP FUNCTION IF EXISTS trade_result(integer, integer);
DROP FUNCTION IF EXISTS cash_name(text, integer, text);
DROP FUNCTION IF EXISTS market_feed(text, integer[], integer[]);
DROP FUNCTION IF EXISTS broker_volume(text, text);
DROP FUNCTION IF EXISTS customer_position(integer, text, integer);
DROP FUNCTION IF EXISTS market_watch(integer, integer, text, integer, text);
DROP FUNCTION IF EXISTS security_detail(text, integer, integer, text);
DROP FUNCTION IF EXISTS trade_lookup(integer, integer[], integer, text, text, text);
DROP FUNCTION IF EXISTS trade_update(integer, integer[], integer, text, text, text);
DROP FUNCTION IF EXISTS chosen_trades(integer, integer[], integer, text, text, text);
DROP FUNCTION IF EXISTS trade_status(integer);
DROP FUNCTION IF EXISTS trade_cleanup();
DROP FUNCTION IF EXISTS data_maintenance(integer, integer);
DROP TABLE IF EXISTS maintained, last_trade_pristine, holding_summary, holding_history, holding, cash_transaction, settlement, trade_request, trade_history, trade,
    watch_item, watch_list, account_permission, customer_account, broker, customer_taxrate, customer, news_xref,
    news_item, financial, daily_market, last_trade, security, company_competitor, company, commission_rate,
    charge, taxrate, industry, sector, exchange, address, zip_code, trade_type, status_type;
DROP SEQUENCE IF EXISTS trade_number;
