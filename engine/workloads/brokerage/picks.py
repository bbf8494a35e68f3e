"""What an emulated user of Brokerage chooses at random: the inputs of its transactions.

Called in client processes, which load no numpy. Every function draws from the ``random.Random`` it is given. Shares are
those of the TPC-E specification, clause 6.4.1; customers are chosen uniformly, while the specification prefers some.
"""

from bisect import bisect
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from engine.workload.actions import Call
from engine.workloads.brokerage import names
from engine.workloads.brokerage.sizing import ACCOUNTS, HELD, Size
from engine.workloads.brokerage.words import SECTORS

LEAST_BROKERS, MOST_BROKERS = 20, 40
"""The number of brokers in a Broker-Volume."""
MOST_TRADES = 20
"""The number of trades in a Trade-Lookup or a Trade-Update by trade numbers."""

MARKET_KINDS = {"TMB", "TMS"}
KINDS = (("TMB", 30), ("TMS", 60), ("TLB", 80), ("TLS", 90), ("TSL", 100))
_KIND_LIMITS = [limit for _, limit in KINDS]
_QUANTITIES = (100, 200, 400, 800)
DAY_SECONDS, OPENS = 8 * 3_600, datetime(2025, 1, 6, 9)  # noqa: DTZ001 - the store's moments have no zone
LEAST_DAYS_BACK, PRICE_DAYS = 30, 1_275
_WEEKEND_DAYS = 2
_PRICE_DAYS = [
    (OPENS - timedelta(days=back // 5 * 7 + back % 5 + (_WEEKEND_DAYS if back % 5 else 0))).date().isoformat()
    for back in range(LEAST_DAYS_BACK, LEAST_DAYS_BACK + PRICE_DAYS)
]
"""The working days of the five years of prices that are followed by at least a month of prices."""
_NO_TRADES: list[int] = []


class Picks:
    """Draws the inputs of one user's transactions from a store of a size.

    ``calls`` has the function that draws a call for each type of transaction; ``traded`` is the security of the last
    Trade-Order.
    """

    def __init__(self, size: Size, random: Random) -> None:
        self._size = size
        self._random = random
        self._trades = size.trades
        self._accounts = size.accounts
        self._brokers = [names.broker_name(each) for each in range(size.brokers)]
        self.traded = 0
        self.calls: dict[str, Callable[[], Call]] = {
            "trade_status": lambda: Call("trade_status", (1 + self._account(),)),
            "market_watch": self._market_watch,
            "security_detail": self._security_detail,
            "customer_position": self._customer_position,
            "trade_order": self._trade_order,
            "trade_lookup": lambda: self._trades_call("trade_lookup", [30, 60, 90]),
            "broker_volume": self._broker_volume,
            "trade_update": lambda: self._trades_call("trade_update", [33, 66, 100]),
        }

    def _trade_order(self) -> Call:
        account = self._account()
        security = names.held_security(account, self._below(HELD), self._size.securities)
        kind = KINDS[bisect(_KIND_LIMITS, self._below(100))][0]
        if self._below(100) < 40:
            company, issue = names.company_of(security)
            security_named = ("", names.company_name(company), issue)
        else:
            security_named = (names.symbol(security), "", "")
        arguments = (
            1 + account,
            self._executor(account),
            *security_named,
            kind,
            _QUANTITIES[self._below(len(_QUANTITIES))],
            100 if kind in MARKET_KINDS else 99 + self._below(3),
            int(self._below(100) < 35),
            int(self._below(100) < 8),
            int(self._below(100) < 1),
        )
        self.traded = security
        return Call("trade_order", arguments)

    def maintenance(self, table: int) -> Call:
        return Call("data_maintenance", (table, self._below(2**30)))

    def _below(self, limit: int) -> int:
        return int(self._random.random() * limit)

    def _account(self) -> int:
        return self._below(self._accounts)

    def _executor(self, account: int) -> str:
        """The executor of an order: for one order in ten another person with a permission, if the account has any (two
        of five do)."""
        customer = account // ACCOUNTS
        place = account % 50
        if place >= 30 and self._below(100) < 25:
            others = 2 if place == 49 else 1
            customer = (customer + 7 * (1 + self._below(others))) % self._size.customers
        return names.tax_id(customer + 1)

    def _customer_position(self) -> Call:
        customer, by_tax_id = self._below(self._size.customers) + 1, self._below(2)
        history_of = (1 + self._below(ACCOUNTS)) * self._below(2)
        return Call(
            "customer_position",
            (0 if by_tax_id else customer, names.tax_id(customer) if by_tax_id else "", history_of),
        )

    def _market_watch(self) -> Call:
        chance, day = self._below(100), self._price_day()
        if chance < 60:
            return Call("market_watch", (1 + self._below(self._size.customers), 0, "", 0, day))
        if chance < 95:
            return Call("market_watch", (0, 1 + self._account(), "", 0, day))
        industry = names.industry_name(1 + self._below(names.INDUSTRIES))
        first = 1 + self._below(max(1, self._size.companies - 5_000))
        return Call("market_watch", (0, 0, industry, first, day))

    def _security_detail(self) -> Call:
        security, days = self._below(self._size.securities), 5 + self._below(16)
        return Call("security_detail", (names.symbol(security), days, int(self._below(100) < 1), self._price_day()))

    def _broker_volume(self) -> Call:
        """A partial Fisher-Yates shuffle of the list of brokers, which stays as earlier draws have left it."""
        brokers = self._brokers
        count = len(brokers)
        wanted = min(count, LEAST_BROKERS + self._below(MOST_BROKERS - LEAST_BROKERS + 1))
        for place in range(wanted):
            other = place + self._below(count - place)
            brokers[place], brokers[other] = brokers[other], brokers[place]
        return Call("broker_volume", ("|".join(brokers[:wanted]), SECTORS[self._below(len(SECTORS))]))

    def _trades_call(self, name: str, limits: list[int]) -> Call:
        """A call for trades by number, of an account, or of a security from a moment on, or (lookups only) for the
        holding of a trade."""
        frame = 1 + bisect(limits, self._below(100))
        begins = self._moment()
        numbers = sorted({1 + self._below(self._trades) for _ in range(MOST_TRADES)}) if frame == 1 else _NO_TRADES
        account = 1 + self._account() if frame in (2, 4) else 0
        symbol = names.symbol(self._below(self._size.securities)) if frame == 3 else ""
        return Call(name, (frame, numbers, account, symbol, begins.isoformat(" "), "2100-01-01 00:00:00"))

    def _moment(self) -> datetime:
        """A moment in the first half of the trading time before the first run."""
        day, second = divmod(self._below(max(1, self._size.days * DAY_SECONDS // 2)), DAY_SECONDS)
        return OPENS + timedelta(days=day // 5 * 7 + day % 5, seconds=second)

    def _price_day(self) -> str:
        return _PRICE_DAYS[self._below(PRICE_DAYS)]
