-- Removes what runs have added and restores what they have changed, in one transaction.

-- A killed run may have left transactions in progress. The locks wait for their end, and let none begin that changes an
-- account.
SELECT count(*) FROM customer_account FORCE INDEX (PRIMARY) FOR UPDATE;
UPDATE broker JOIN (
        SELECT ca_b_id, count(*) AS trades, sum(t_comm) AS commissions
        FROM trade JOIN customer_account ON ca_id = t_ca_id
        WHERE t_id > 1000000000 AND t_st_id = 'CMPT' GROUP BY ca_b_id
    ) t ON t.ca_b_id = b_id
    SET b_num_trades = b_num_trades - t.trades, b_comm_total = b_comm_total - t.commissions;
UPDATE customer_account JOIN (
        SELECT t_ca_id, sum(ct_amt) AS amount FROM trade JOIN cash_transaction ON ct_t_id = t_id
        WHERE t_id > 1000000000 GROUP BY t_ca_id
    ) t ON t.t_ca_id = ca_id
    SET ca_bal = ca_bal - t.amount;
-- The holdings of the accounts that traded, from the history of what was bought before the first run.
DELETE h FROM (SELECT DISTINCT t_ca_id FROM trade WHERE t_id > 1000000000) a JOIN holding h ON h.h_ca_id = a.t_ca_id;
DELETE s FROM (SELECT DISTINCT t_ca_id FROM trade WHERE t_id > 1000000000) a
    JOIN holding_summary s ON s.hs_ca_id = a.t_ca_id;
INSERT INTO holding_summary (hs_ca_id, hs_s_symb, hs_qty)
    SELECT t.t_ca_id, t.t_s_symb, sum(hh_after_qty - hh_before_qty)
    FROM (SELECT DISTINCT t_ca_id FROM trade WHERE t_id > 1000000000) a JOIN trade t ON t.t_ca_id = a.t_ca_id
    JOIN holding_history ON hh_h_t_id = t.t_id AND hh_t_id < 1000000000
    GROUP BY t.t_ca_id, t.t_s_symb HAVING sum(hh_after_qty - hh_before_qty) <> 0;
INSERT INTO holding (h_t_id, h_ca_id, h_s_symb, h_dts, h_price, h_qty)
    SELECT t.t_id, t.t_ca_id, t.t_s_symb, t.t_dts, t.t_trade_price, sum(hh_after_qty - hh_before_qty)
    FROM (SELECT DISTINCT t_ca_id FROM trade WHERE t_id > 1000000000) a JOIN trade t ON t.t_ca_id = a.t_ca_id
    JOIN holding_history ON hh_h_t_id = t.t_id AND hh_t_id < 1000000000
    GROUP BY t.t_id, t.t_ca_id, t.t_s_symb, t.t_dts, t.t_trade_price HAVING sum(hh_after_qty - hh_before_qty) <> 0;
DELETE FROM holding_history WHERE hh_t_id > 1000000000;
DELETE FROM settlement WHERE se_t_id > 1000000000;
DELETE FROM cash_transaction WHERE ct_t_id > 1000000000;
DELETE FROM trade_history WHERE th_t_id > 1000000000;
DELETE FROM trade_request;
DELETE FROM trade WHERE t_id > 1000000000;
DELETE FROM trade_number WHERE tn_number > 1000000000;
UPDATE trade SET t_exec_name = left(t_exec_name, char_length(t_exec_name) - 2) WHERE t_exec_name LIKE '% X';
UPDATE settlement SET se_cash_type = CASE se_cash_type WHEN 'Cash' THEN 'Cash Account' ELSE 'Margin' END
    WHERE se_cash_type IN ('Cash', 'Margin Account');
UPDATE cash_transaction SET ct_name = replace(ct_name, ' Shares of ', ' shares of ') WHERE ct_name LIKE '% Shares of %';
UPDATE last_trade l JOIN last_trade_pristine p ON p.lt_s_symb = l.lt_s_symb
    SET l.lt_price = p.lt_price, l.lt_vol = p.lt_vol, l.lt_dts = p.lt_dts WHERE l.lt_dts <> p.lt_dts;
CALL undo_maintenance();
