"""The rows of ``trade`` and of the tables that depend on it: history, settlement, cash, holdings, commissions."""

import numpy as np

from engine.workload.rows.texts import four_digits, joined_columns, table_of
from engine.workloads.brokerage.account_trades import AccountTrades, TradeChances
from engine.workloads.brokerage.customer_names import Names
from engine.workloads.brokerage.moments import TRADING_SECONDS, trading_moments, working_days
from engine.workloads.brokerage.sizing import HELD, Size
from engine.workloads.brokerage.words import TRADE_TYPES

_KINDS = table_of([each[0] for each in TRADE_TYPES])
_CASH_TYPES = table_of(["Margin", "Cash Account"])
_PENDING, _SUBMITTED, _COMPLETED = b"PNDG", b"SBMT", b"CMPT"
_SETTLED_DAYS = np.timedelta64(2, "D")


class Trades:
    """The rows of each table by ranges of accounts, which count from 0."""

    def __init__(self, size: Size, seed: int, names: Names) -> None:
        self._size = size
        self._chances = TradeChances(size, seed, names)

    def trades(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        return {
            "t_id": made.number + 1,
            "t_dts": trading_moments(made.second),
            "t_st_id": np.full(len(made), _COMPLETED, "S4"),
            "t_tt_id": _KINDS[made.kind],
            "t_is_cash": made.is_cash.astype(np.int64),
            "t_s_symb": made.symbol,
            "t_qty": made.quantity,
            "t_bid_price": made.price,
            "t_ca_id": made.account + 1,
            "t_exec_name": made.holder,
            "t_trade_price": made.price,
            "t_chrg": made.charge,
            "t_comm": made.commission,
            "t_tax": np.zeros(len(made), np.int64),
            "t_lifo": made.is_lifo.astype(np.int64),
        }

    def history(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """The states of each trade: submitted and completed, and pending before for limit orders."""
        made = self._of(first, accounts)
        limit = np.flatnonzero(made.is_limit)
        completed = 2 * np.arange(len(made)) + np.cumsum(made.is_limit) + 1  # the index of its first row
        rows = 2 * len(made) + len(limit)
        seconds, state = np.empty(rows, np.int64), np.empty(rows, "S4")
        for status, at, moments in (
            (_PENDING, completed[limit] - 2, made.pending[limit]),
            (_SUBMITTED, completed - 1, made.submitted),
            (_COMPLETED, completed, made.second),
        ):
            seconds[at], state[at] = moments, status
        return {
            "th_t_id": np.repeat(made.number + 1, 2 + made.is_limit),
            "th_dts": trading_moments(np.maximum(seconds, 0)),
            "th_st_id": state,
        }

    def settlements(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        made = self._of(first, accounts)
        return {
            "se_t_id": made.number + 1,
            "se_cash_type": _CASH_TYPES[made.is_cash.astype(np.int64)],
            "se_cash_due_date": working_days(made.second // TRADING_SECONDS) + _SETTLED_DAYS,
            "se_amt": made.amount,
        }

    def cash(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """Cash transactions of all trades except those on margin."""
        made = self._of(first, accounts)
        paid = np.flatnonzero(made.is_cash)
        return {
            "ct_t_id": made.number[paid] + 1,
            "ct_dts": trading_moments(made.second[paid]),
            "ct_amt": made.amount[paid],
            "ct_name": joined_columns(
                _KINDS[made.kind[paid]], b" ", four_digits(made.quantity[paid]), b" shares of ", made.symbol[paid],
                rows=len(paid),
            ),
        }  # fmt: skip

    def holdings(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        kept = self._of(first, accounts, only_open=True)
        return {
            "h_t_id": kept.number + 1,
            "h_ca_id": kept.account + 1,
            "h_s_symb": kept.symbol,
            "h_dts": trading_moments(kept.second),
            "h_price": kept.price,
            "h_qty": kept.quantity,
        }

    def summaries(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        kept = self._of(first, accounts, only_open=True)
        by_purchase = (accounts, self._size.open_of_security, HELD)
        return {
            "hs_ca_id": np.repeat(np.arange(first + 1, first + accounts + 1), HELD),
            "hs_s_symb": kept.symbol.reshape(by_purchase)[:, 0].ravel(),
            "hs_qty": kept.quantity.reshape(by_purchase).sum(axis=1).ravel(),
        }

    def changes(self, first: int, accounts: int) -> dict[str, np.ndarray]:
        """The history of holdings: a purchase adds a holding; the first sale of a group removes one and halves another,
        which the second sale removes.
        """
        made = self._of(first, accounts)
        number, quantity, step = made.number, made.quantity, made.step
        at = np.arange(len(made)) + np.cumsum(step == 2) - (step == 2)  # the trade's row, or the first of two
        buys, sale, rest = np.flatnonzero(step < 2), np.flatnonzero(step == 2), np.flatnonzero(step == 3)
        rows = len(made) + len(sale)
        holding = np.empty(rows, np.int64)
        before, after = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        one, two = sale - 2, sale - 1  # the purchases of a sale's group
        holding[at[buys]], after[at[buys]] = number[buys], quantity[buys]
        holding[at[sale]], before[at[sale]] = number[one], quantity[one]
        holding[at[sale] + 1], before[at[sale] + 1], after[at[sale] + 1] = number[two], quantity[two], quantity[rest]
        holding[at[rest]], before[at[rest]] = number[two], quantity[rest]
        return {
            "hh_h_t_id": holding + 1,
            "hh_t_id": np.repeat(number + 1, 1 + (step == 2)),
            "hh_before_qty": before,
            "hh_after_qty": after,
        }

    def commissions_of(self, first: int, accounts: int) -> tuple[int, int]:
        """How many trades a range of accounts has, and their commissions in cents."""
        made = self._of(first, accounts)
        return len(made), int(made.commission.sum())

    def _of(self, first: int, accounts: int, *, only_open: bool = False) -> AccountTrades:
        return AccountTrades(self._chances, first, accounts, only_open=only_open)
