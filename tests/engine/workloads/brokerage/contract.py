"""What Brokerage fulfils on every DBMS: built, driven by a user of its own, verified and reset on a real server."""

import itertools
from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.target.target import MARIADB, MYSQL
from engine.workloads.brokerage import names
from engine.workloads.brokerage.schema import TABLES
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE, Size
from engine.workloads.brokerage.user import ORDER_KEY, RESULT_KEY, BrokerageUser
from tests.engine.workloads.contract import WorkloadStore
from tests.engine.workloads.tallies import StrictTally

SIZE = Size(1_000, 1)
_TRANSACTIONS = 1_500
_LARGE_AND_UNCHANGED = ("zip_code", "address", "news_item", "news_xref")


class BrokerageStore(WorkloadStore):
    """A store of 1,000 customers and one day of trades."""

    workload = "brokerage"
    scale = str(SIZE)

    def drive(self, transactions: int, seed: int = 1) -> StrictTally:
        """Run the first user's script for so many transactions, a tenth of a second each by its own clock."""
        tally, seconds = StrictTally(), itertools.count()
        user = BrokerageUser(SIZE, 0.0, 0, Random(seed), tally, clock=lambda: next(seconds) / 10)
        self.drive_script(user.script(), lambda _action: tally.transactions.total() < transactions)
        return tally

    def contents(self) -> dict[str, Any]:
        """The rows of all tables but large ones that change in a few rows; of the days' prices the volumes.

        Where the server makes a checksum of all rows, that of every table.
        """
        if self.target.kind in (MARIADB, MYSQL):
            return dict(self.run(f"CHECKSUM TABLE {', '.join(TABLES)} EXTENDED"))
        return {
            table: Counter(
                self.run("SELECT dm_s_symb, sum(dm_vol) FROM daily_market GROUP BY dm_s_symb")
                if table == "daily_market"
                else self.run(f"SELECT * FROM {table}")
            )
            for table in TABLES
            if table not in _LARGE_AND_UNCHANGED
        }


class BrokerageContract:
    """The tests of a module share one store, and leave it as it was built."""

    def test_a_built_store_is_complete_and_pristine(self, brokerage: BrokerageStore) -> None:
        state = brokerage.store.state()
        assert state is not None
        assert state.is_pristine
        checks = brokerage.verify()
        assert [each.what for each in checks if not each.ok] == []
        assert sum(each.what.startswith("condition ") for each in checks) == 3

    def test_transactions_keep_the_conditions_and_a_reset_restores_every_row(self, brokerage: BrokerageStore) -> None:
        before = brokerage.contents()
        tally = brokerage.drive(_TRANSACTIONS)

        assert all(tally.transactions[each] for each in brokerage.calls.calls)
        run_trades = f"FROM trade WHERE t_id >= {FIRST_RUN_TRADE}"
        orders = set(brokerage.run(f"SELECT t_id, t_ca_id {run_trades}"))
        completed = set(brokerage.run(f"SELECT t_id, t_ca_id {run_trades} AND t_st_id = 'CMPT'"))
        by_key = {
            key: {(number, check) for number, its_key, check in tally.acknowledgements if its_key == key}
            for key in (ORDER_KEY, RESULT_KEY)
        }
        assert by_key == {ORDER_KEY: orders, RESULT_KEY: completed}
        assert tally.transactions["trade_order"] == len(orders)
        assert tally.transactions["trade_result"] == len(completed)
        assert brokerage.failed() == []
        state = brokerage.store.state()
        assert state is not None
        assert state.beyond == {"trades": len(orders), "completed trades": len(completed)}
        assert state.needs_reset

        brokerage.reset()
        after = brokerage.contents()
        assert [table for table in before if after[table] != before[table]] == []
        assert brokerage.failed() == []
        state = brokerage.store.state()
        assert state is not None
        assert state.is_pristine

    def test_a_sale_closes_the_oldest_or_the_newest_purchases(self, brokerage: BrokerageStore) -> None:
        security = names.held_security(0, 0, SIZE.securities)
        symbol = names.symbol(security)
        holdings = f"SELECT h_qty FROM holding WHERE h_ca_id = 1 AND h_s_symb = '{symbol}' ORDER BY h_dts"
        ((built,),) = brokerage.run(holdings)
        session = brokerage.open()
        try:
            for kind, quantity, is_lifo, left in (
                ("TMB", 200, 0, [built, 200]),
                ("TMS", 50, 1, [built, 150]),
                ("TMS", built, 0, [150]),
                ("TMS", 400, 0, [-250]),
                ("TMB", 250, 0, []),
            ):
                arguments = (1, names.tax_id(1), symbol, "", "", kind, quantity, 100, is_lifo, 0, 0)
                ((trade, _),) = session.call("trade_order", arguments).decoded()
                assert session.call("trade_result", (trade, 25_00)) == 1
                assert session.call("trade_result", (trade, 25_00)) is None
                assert [each for (each,) in brokerage.run(holdings)] == left
        finally:
            session.close()
        assert brokerage.failed() == []
        brokerage.reset()

    def test_an_order_without_permission_or_meant_to_be_rolled_back_leaves_nothing(
        self, brokerage: BrokerageStore
    ) -> None:
        session = brokerage.open()
        by_name = (names.company_name(3), names.COMMON)
        try:
            for executor, rolls_back in ((names.tax_id(1), 1), (names.tax_id(900), 0)):
                arguments = (1, executor, "", *by_name, "TLB", 100, 99, 0, 1, rolls_back)
                assert session.call("trade_order", arguments).decoded()[0][0] is None
        finally:
            session.close()
        assert brokerage.run(f"SELECT count(*) FROM trade WHERE t_id >= {FIRST_RUN_TRADE}") == [(0,)]
        assert brokerage.run("SELECT count(*) FROM trade_request") == [(0,)]

    def test_a_limit_order_is_submitted_when_the_market_has_its_price(self, brokerage: BrokerageStore) -> None:
        session, symbol = brokerage.open(), names.symbol(5)
        try:
            order = (8, names.tax_id(2), symbol, "", "", "TLB", 100, 99, 0, 0, 0)
            ((trade, asked_cents),) = session.call("trade_order", order).decoded()
            assert session.call("trade_result", (trade, asked_cents)) is None
            assert session.call("market_feed", (symbol, [asked_cents + 1], [100])).decoded() == []
            fed = session.call("market_feed", (symbol, [asked_cents], [100])).decoded()
            assert fed == [(trade, 8, symbol, 100, asked_cents)]
            assert session.call("trade_result", (trade, asked_cents)) == 8
            assert session.call("trade_status", (8,)).decoded()[0] == (trade, "Completed", 100)
        finally:
            session.close()
        brokerage.reset()

    @pytest.mark.parametrize(
        ("damage", "repair", "broken"),
        [
            ("b_num_trades = b_num_trades + 1", "b_num_trades = b_num_trades - 1", 1),
            ("b_comm_total = b_comm_total + 1", "b_comm_total = b_comm_total - 1", 2),
        ],
    )
    def test_a_broker_that_counts_wrongly_is_found(
        self, brokerage: BrokerageStore, damage: str, repair: str, broken: int
    ) -> None:
        brokerage.run(f"UPDATE broker SET {damage} WHERE b_id = 2")
        try:
            failed = brokerage.failed()
        finally:
            brokerage.run(f"UPDATE broker SET {repair} WHERE b_id = 2")
        assert [what.split(":")[0] for what in failed] == [f"condition {broken}"]
