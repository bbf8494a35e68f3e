"""How large a Brokerage store is: its customers, the days of trades before the first run, and the rows of each table.

Numbers of rows are those of the TPC-E specification, clause 2.6.1, with five accounts for each customer, ten securities
in each account, and 500 as the scale factor of the trades.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from engine.errors import BadInput
from engine.figure_text import whole

CUSTOMERS_OF_UNIT = 1_000
COMPANIES_OF_UNIT = 500
SECURITIES_OF_UNIT = 685
ACCOUNTS = 5
"""Accounts of a customer."""
ACCOUNTS_OF_BROKER = 500
HELD = 10
"""Securities that an account holds."""
WATCHED = 100
DAILY_PRICES = 1_305
QUARTERS = 20
COMPETITORS = 3
NEWS = 2
GROUP = 4
"""Trades of a group: two purchases, and two sales of all that was bought."""
GROUP_CHANGES = 5
"""Rows of the holdings' history of a group."""
TRADES_OF_CUSTOMER_DAY = 57.6
FIRST_RUN_TRADE = 1_000_000_001
"""The number of the first trade of the first run, in a store of any scale."""
USUAL_DAYS = 10
MOST_CUSTOMERS, MOST_DAYS = 1_000_000, 300
_OPEN_SHARE = 0.051
_MARGIN_PERIOD, _MARGINS = 25, 2
_LIMIT_PERIOD, _LIMITS = 5, 2


@dataclass(frozen=True)
class Size:
    """The scale of a store: customers, in whole thousands, and the days of trades that it is built with."""

    customers: int
    days: int = USUAL_DAYS

    def __post_init__(self) -> None:
        is_known = 1 <= self.customers <= MOST_CUSTOMERS and 1 <= self.days <= MOST_DAYS
        if self.customers % CUSTOMERS_OF_UNIT or not is_known:
            raise _wrong("customers", str(self))
        if self.trades >= FIRST_RUN_TRADE:
            raise BadInput(
                f"customers is {self}, which makes {whole(self.trades)} trades before the first run"
                f"; give fewer customers or days, so that there are fewer than {whole(FIRST_RUN_TRADE)}."
            )

    @classmethod
    def parse(cls, text: str, name: str = "customers") -> Self:
        """Read ``5000``, ``5000x10`` or ``5000C10D``; raises ``BadInput``, which begins with ``name``, for others."""
        match = re.fullmatch(r"(\d{1,7})c?(?:\s*[x×]?\s*(\d{1,3})\s*d?(?:ays)?)?", text.strip(), re.IGNORECASE)
        if match is None:
            raise _wrong(name, f"'{text}'")
        try:
            return cls(int(match[1]), int(match[2] or USUAL_DAYS))
        except BadInput as error:
            raise BadInput(str(error).replace("customers is", f"{name} is", 1)) from None

    def __str__(self) -> str:
        return f"{self.customers}C{self.days}D"

    @property
    def units(self) -> int:
        return self.customers // CUSTOMERS_OF_UNIT

    @property
    def accounts(self) -> int:
        return ACCOUNTS * self.customers

    @property
    def brokers(self) -> int:
        return self.accounts // ACCOUNTS_OF_BROKER

    @property
    def companies(self) -> int:
        return COMPANIES_OF_UNIT * self.units

    @property
    def securities(self) -> int:
        return SECURITIES_OF_UNIT * self.units

    @property
    def open_of_security(self) -> int:
        """The number of unsold purchases of each security that an account holds."""
        return max(1, round(_OPEN_SHARE * self._trades_of_account / HELD))

    @property
    def _trades_of_account(self) -> float:
        return TRADES_OF_CUSTOMER_DAY * self.days / ACCOUNTS

    def groups_before(self, account: int) -> int:
        """How many groups of trades the accounts before this one have, which counts from 0."""
        open_trades = HELD * self.open_of_security
        hundredths = max(0, round(100 * (self._trades_of_account - open_trades) / GROUP))
        return account * hundredths // 100

    def trades_before(self, account: int) -> int:
        """How many trades the accounts before this one have, which counts from 0."""
        return GROUP * self.groups_before(account) + HELD * self.open_of_security * account

    def changes_before(self, account: int) -> int:
        """How many rows of the holdings' history the accounts before this one have."""
        return GROUP_CHANGES * self.groups_before(account) + HELD * self.open_of_security * account

    @property
    def trades(self) -> int:
        return self.trades_before(self.accounts)

    def rows(self) -> Mapping[str, int]:
        """The initial rows of each table."""
        trades, accounts = self.trades, self.accounts
        return {
            "status_type": 5,
            "trade_type": 5,
            "exchange": 4,
            "sector": 12,
            "industry": 102,
            "taxrate": 320,
            "zip_code": 14_741,
            "charge": 15,
            "commission_rate": 240,
            "address": self.customers + self.companies + 4,
            "company": self.companies,
            "company_competitor": COMPETITORS * self.companies,
            "security": self.securities,
            "last_trade": self.securities,
            "daily_market": DAILY_PRICES * self.securities,
            "financial": QUARTERS * self.companies,
            "news_item": NEWS * self.companies,
            "news_xref": NEWS * self.companies,
            "customer": self.customers,
            "customer_taxrate": 2 * self.customers,
            "broker": self.brokers,
            "customer_account": accounts,
            "account_permission": 71 * accounts // 50,
            "watch_list": self.customers,
            "watch_item": WATCHED * self.customers,
            "trade": trades,
            "trade_history": 2 * trades + limit_orders(trades),
            "settlement": trades,
            "cash_transaction": trades - margin_trades(trades),
            "holding": HELD * self.open_of_security * accounts,
            "holding_history": self.changes_before(accounts),
            "holding_summary": HELD * accounts,
            "trade_request": 0,
        }


def limit_orders(trades: int) -> int:
    """How many of the first ``trades`` trades were limit orders: the second and the fourth of every five."""
    return trades // _LIMIT_PERIOD * _LIMITS + min(_LIMITS, trades % _LIMIT_PERIOD // 2)


def margin_trades(trades: int) -> int:
    """How many of the first ``trades`` trades were paid on margin: the eighth and the twentieth of every 25."""
    rest = trades % _MARGIN_PERIOD
    return trades // _MARGIN_PERIOD * _MARGINS + (rest >= 8) + (rest >= 20)


def _wrong(name: str, value: str) -> BadInput:
    return BadInput(
        f"{name} is {value}; give thousands of customers from {CUSTOMERS_OF_UNIT} to"
        f" {MOST_CUSTOMERS}, and 1 to {MOST_DAYS} days, such as 5000 and 10."
    )
