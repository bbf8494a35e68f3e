-- Removes what runs have added and restores what they have changed.

-- A killed run may have left transactions in progress. The locks wait for their end, and let none begin.
LOCK TABLE customer_account, trade IN SHARE ROW EXCLUSIVE MODE;
UPDATE broker SET b_num_trades = b_num_trades - t.trades, b_comm_total = b_comm_total - t.commissions
    FROM (
        SELECT ca_b_id, count(*) AS trades, sum(t_comm) AS commissions
        FROM trade JOIN customer_account ON ca_id = t_ca_id
        WHERE t_id > 1000000000 AND t_st_id = 'CMPT' GROUP BY ca_b_id
    ) t
    WHERE b_id = t.ca_b_id;
UPDATE customer_account SET ca_bal = ca_bal - t.amount
    FROM (
        SELECT t_ca_id, sum(ct_amt) AS amount FROM cash_transaction JOIN trade ON t_id = ct_t_id
        WHERE ct_t_id > 1000000000 GROUP BY t_ca_id
    ) t
    WHERE ca_id = t.t_ca_id;
-- The holdings of the accounts that traded, from the history of what was bought before the first run.
DELETE FROM holding WHERE h_ca_id IN (SELECT t_ca_id FROM trade WHERE t_id > 1000000000);
DELETE FROM holding_summary WHERE hs_ca_id IN (SELECT t_ca_id FROM trade WHERE t_id > 1000000000);
INSERT INTO holding_summary (hs_ca_id, hs_s_symb, hs_qty)
    SELECT t_ca_id, t_s_symb, sum(hh_after_qty - hh_before_qty)
    FROM trade JOIN holding_history ON hh_h_t_id = t_id AND hh_t_id < 1000000000
    WHERE t_ca_id IN (SELECT t_ca_id FROM trade WHERE t_id > 1000000000)
    GROUP BY t_ca_id, t_s_symb HAVING sum(hh_after_qty - hh_before_qty) <> 0;
INSERT INTO holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
    SELECT t_id, t_ca_id, t_s_symb, t_dts, t_trade_price, sum(hh_after_qty - hh_before_qty)
    FROM trade JOIN holding_history ON hh_h_t_id = t_id AND hh_t_id < 1000000000
    WHERE t_ca_id IN (SELECT t_ca_id FROM trade WHERE t_id > 1000000000)
    GROUP BY t_id HAVING sum(hh_after_qty - hh_before_qty) <> 0;
DELETE FROM holding_history WHERE hh_t_id > 1000000000;
DELETE FROM settlement WHERE se_t_id > 1000000000;
DELETE FROM cash_transaction WHERE ct_t_id > 1000000000;
DELETE FROM trade_history WHERE th_t_id > 1000000000;
-- Emptied so that the planner still takes it for a table that was never analyzed, see tables.sql.
TRUNCATE trade_request;
DELETE FROM trade WHERE t_id > 1000000000;
UPDATE trade SET t_exec_name = left(t_exec_name, -2) WHERE t_exec_name LIKE '% X';
UPDATE settlement SET se_cash_type = CASE se_cash_type WHEN 'Cash' THEN 'Cash Account' ELSE 'Margin' END
    WHERE se_cash_type IN ('Cash', 'Margin Account');
UPDATE cash_transaction SET ct_name = replace(ct_name, ' Shares of ', ' shares of ') WHERE ct_name LIKE '% Shares of %';
UPDATE last_trade l SET lt_price = p.lt_price, lt_vol = p.lt_vol, lt_dts = p.lt_dts
    FROM last_trade_pristine p WHERE l.lt_s_symb = p.lt_s_symb AND l.lt_dts <> p.lt_dts;
CALL undo_maintenance();
ALTER SEQUENCE trade_number RESTART;
