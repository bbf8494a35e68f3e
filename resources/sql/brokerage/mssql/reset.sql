-- Removes what runs have added and restores what they have changed, or what is left of it, all in one transaction. The
-- sequence is put back after everything that could fail.

-- A killed run may have left transactions in progress. The locks wait for their end, and let none begin; they are taken
-- in the same order as by a Trade-Result.
SELECT TOP (1) ca_id FROM dbo.customer_account WITH (TABLOCKX, HOLDLOCK)
GO
SELECT TOP (1) t_id FROM dbo.trade WITH (TABLOCKX, HOLDLOCK)
GO
EXECUTE dbo.restore_holdings 0, 2147483647
GO
EXECUTE dbo.remove_trades 1000000000, 2147483647
GO
UPDATE dbo.trade WITH (TABLOCKX) SET t_exec_name = LEFT(t_exec_name, LEN(t_exec_name) - 2) WHERE t_exec_name LIKE '% X'
GO
UPDATE dbo.settlement WITH (TABLOCKX) SET
    se_cash_type = CASE se_cash_type WHEN 'Cash' THEN 'Cash Account' ELSE 'Margin' END
WHERE se_cash_type IN ('Cash', 'Margin Account')
GO
UPDATE dbo.cash_transaction WITH (TABLOCKX) SET ct_name = REPLACE(ct_name, ' Shares of ', ' shares of ')
WHERE ct_name LIKE '% Shares of %'
GO
UPDATE l SET l.lt_price = p.lt_price, l.lt_vol = p.lt_vol, l.lt_dts = p.lt_dts
FROM dbo.last_trade AS l
INNER JOIN dbo.last_trade_pristine AS p ON p.lt_s_symb = l.lt_s_symb
WHERE l.lt_dts <> p.lt_dts
GO
EXECUTE dbo.undo_maintenance
GO
ALTER SEQUENCE dbo.trade_number RESTART
GO
