"""What Wholesale fulfils on every DBMS: built, driven by a user of its own, verified and reset on a real server."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.audit.comparing import EarlyEnd
from engine.audit.keyed_audit import compare_by_key
from engine.audit.ledger import End
from engine.audit.ledger_reading import RECORD_TYPE, LedgerContent
from engine.audit.report import OrderCounts
from engine.audit.store_audit import StoreBefore, StoreFindings, counts_of, examples_of
from engine.databases import database_of
from engine.databases.database import Timeouts
from engine.errors import UserError
from engine.target.target import MARIADB, MYSQL, POSTGRESQL
from engine.workload.actions import Pause
from engine.workloads.bindings import store_of
from engine.workloads.wholesale.conditions import CONDITIONS
from engine.workloads.wholesale.picks import UNUSED_ITEM
from engine.workloads.wholesale.sizing import ORDERS
from engine.workloads.wholesale.user import Terminal, WholesaleUser, district_key, district_of
from tests.engine.databases.contract.places import never, silent
from tests.engine.workloads.contract import WorkloadStore
from tests.engine.workloads.tallies import StrictTally

_TRANSACTIONS = 400
Record = tuple[int, int, int, int]
"""The moment in milliseconds, the order, the district's key and the customer."""
_CHECKSUM = "CHECKSUM TABLE {table} EXTENDED"
_SUMMARIES = {
    POSTGRESQL: "SELECT count(*), sum(hashtextextended(whole::text, 0)::numeric) FROM {table} whole",
    MARIADB: _CHECKSUM,
    MYSQL: _CHECKSUM,
}
_CHANGED = ("warehouse", "district", "customer", "history", "orders", "new_order", "order_line", "stock")


class Damage(NamedTuple):
    """A statement that violates conditions, the one that takes it back, and the numbers of these conditions."""

    done: str
    undone: str
    broken: frozenset[int]


DAMAGES = (
    Damage("UPDATE warehouse SET w_ytd = w_ytd + 1", "UPDATE warehouse SET w_ytd = w_ytd - 1", frozenset({1, 8})),
    Damage(
        "UPDATE district SET d_next_o_id = 3002 WHERE d_id = 3",
        "UPDATE district SET d_next_o_id = 3001 WHERE d_id = 3",
        frozenset({2}),
    ),
    Damage(
        "UPDATE orders SET o_carrier_id = 1 WHERE o_d_id = 2 AND o_id = 2999",
        "UPDATE orders SET o_carrier_id = NULL WHERE o_d_id = 2 AND o_id = 2999",
        frozenset({5, 7}),
    ),
    Damage(
        "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_d_id = 5 AND o_id = 1",
        "UPDATE orders SET o_ol_cnt = o_ol_cnt - 1 WHERE o_d_id = 5 AND o_id = 1",
        frozenset({4, 6}),
    ),
    Damage(
        "UPDATE customer SET c_balance = c_balance + 1 WHERE c_d_id = 7 AND c_id = 7",
        "UPDATE customer SET c_balance = c_balance - 1 WHERE c_d_id = 7 AND c_id = 7",
        frozenset({10, 12}),
    ),
    Damage(
        "UPDATE customer SET c_delivery_cnt = 1 WHERE c_d_id = 8 AND c_id = 8",
        "UPDATE customer SET c_delivery_cnt = 0 WHERE c_d_id = 8 AND c_id = 8",
        frozenset({11}),
    ),
)


class WholesaleStore(WorkloadStore):
    """A store of one warehouse."""

    workload = "wholesale"
    scale = "1W"

    def broken_conditions(self) -> set[int]:
        """The numbers of the conditions that do not hold."""
        return {int(what.split()[1].rstrip(":")) for what in self.failed() if what.startswith("condition")}

    @contextmanager
    def damaged(self, damage: Damage) -> Iterator[None]:
        """The store with a damage, which is taken back after the block."""
        self.run(damage.done)
        try:
            yield
        finally:
            self.run(damage.undone)

    def drive(self, transactions: int, seed: int = 1) -> StrictTally:
        """Run a user's script for so many transactions, and to the end of the last."""
        tally = StrictTally()
        user = WholesaleUser(Terminal(warehouses=1, mix="specified", think_time_ms=0), Random(seed), tally)
        self.drive_script(
            user.script(),
            lambda action: tally.transactions.total() < transactions or not isinstance(action, Pause),
        )
        return tally

    def before(self) -> StoreBefore:
        """What a run that begins now records of the store."""
        state = self.store.state()
        assert state is not None
        return StoreBefore(
            as_built_at=state.as_built_at, high_water=state.high_water, is_pristine=not any(state.beyond.values())
        )

    def order(self, district: int, customer: int, orders: int = 1) -> list[int]:
        """Place orders without the driver, as another client would; returns their numbers."""
        session = self.open()
        try:
            return [session.call("new_order", (1, district, customer, [(1, 17, 3)])) for _ in range(orders)]
        finally:
            session.close()

    def audit(
        self,
        acknowledged: Sequence[Record],
        in_doubt: Sequence[Record],
        before: StoreBefore,
        *,
        later: int | None = None,
        ends: Sequence[EarlyEnd] = (),
    ) -> StoreFindings:
        """The findings of the audit for the ledgers of two clients, which have these records by turns."""
        definition = self.definition
        assert definition.recorded is not None
        ledgers = [
            LedgerContent(
                client,
                np.array(list(acknowledged)[client - 1 :: 2], RECORD_TYPE),
                np.array(list(in_doubt)[client - 1 :: 2], RECORD_TYPE),
                End.COMPLETE,
            )
            for client in (1, 2)
        ]
        database = database_of(self.target.kind)
        with database.snapshot(self.target, self._dbms.secret, Timeouts(), definition, never) as snapshot:
            return compare_by_key(
                snapshot,
                definition,
                definition.recorded,
                before,
                ledgers,
                ends=ends,
                later=later,
                report_progress=silent,
                cancelled=never,
            )

    def contents(self) -> dict[str, list[tuple[Any, ...]]]:
        """What the server makes of all rows of each table; a table with other rows gives something else."""
        summary = _SUMMARIES[self.target.kind]
        return {table: self.run(summary.format(table=table)) for table in _CHANGED}


class WholesaleContract:
    """The tests of a module share one store, and leave it as it was built."""

    def test_a_built_store_is_complete_pristine_and_fulfils_all_conditions(self, wholesale: WholesaleStore) -> None:
        state = wholesale.store.state()
        assert state is not None
        assert state.is_pristine
        checks = wholesale.verify()
        assert [each.what for each in checks if not each.ok] == []
        assert sum(each.what.startswith("condition ") for each in checks) == len(CONDITIONS) == 12

    def test_transactions_keep_the_conditions_and_the_server_holds_each_acknowledged_order(
        self, wholesale: WholesaleStore
    ) -> None:
        before = wholesale.contents()
        tally = wholesale.drive(_TRANSACTIONS)

        assert all(tally.transactions[each] for each in wholesale.calls.calls)
        assert tally.transactions["new_order"] == len(tally.acknowledgements)
        assert tally.transactions["rolled_back"] == tally.rolled_back
        stored = set(wholesale.run(f"SELECT o_w_id, o_d_id, o_id, o_c_id FROM orders WHERE o_id > {ORDERS}"))
        assert stored == {(*district_of(key), number, check) for number, key, check in tally.acknowledgements}
        assert wholesale.failed() == []
        state = wholesale.store.state()
        assert state is not None
        assert state.beyond["orders"] == len(tally.acknowledgements)
        assert state.beyond["payments"] == tally.transactions["payment"]
        assert 0 < state.beyond["deliveries"] <= 10 * tally.transactions["delivery"]
        assert state.needs_reset

        wholesale.reset()
        assert wholesale.contents() == before
        assert wholesale.failed() == []
        state = wholesale.store.state()
        assert state is not None
        assert state.is_pristine

    def test_the_audit_tells_what_became_of_each_order(self, wholesale: WholesaleStore) -> None:
        before = wholesale.before()
        tally = wholesale.drive(150)
        records = [(1_000 + at, *each) for at, each in enumerate(tally.acknowledgements)]
        found = wholesale.audit(records, [], before)
        assert counts_of(found.findings) == OrderCounts(present=len(records))
        assert [each.wrong for each in found.consistency] == 12 * [0]

        (moment, number, key, customer), unknown, (_, _, doubtful_key, doubtful_customer), *others = records
        replaced = (moment, number, key, customer + 1)
        lost = (moment, 9_999, key, customer)
        in_doubt = [(moment, 0, doubtful_key, doubtful_customer), (moment, 0, doubtful_key, 3_001)]
        found = wholesale.audit([replaced, lost, *others], in_doubt, before)
        assert counts_of(found.findings) == OrderCounts(
            present=len(others), lost=1, replaced=1, in_doubt_present=1, in_doubt_absent=1, unknown=1
        )
        (example,) = examples_of(found.findings, found.place_of)["lost"]
        warehouse, district = district_of(key)
        assert (example.order, example.customer) == (9_999, customer)
        assert example.place == f"warehouse {warehouse}, district {district}"
        assert found.findings.unknown["number"].tolist() == [unknown[1]]
        wholesale.reset()

    def test_the_audit_of_a_store_that_other_runs_used_counts_what_strangers_ordered(
        self, wholesale: WholesaleStore
    ) -> None:
        wholesale.order(1, 7, 3)
        wholesale.order(2, 7, 2)
        before = wholesale.before()
        assert not before.is_pristine
        earlier = wholesale.order(1, 8)  # before the first acknowledged one of the district
        (number,), beside = wholesale.order(1, 9), wholesale.order(1, 8)  # beside the acknowledged ones
        (last,) = wholesale.order(1, 9)
        elsewhere = wholesale.order(3, 8, 2)  # in a district without acknowledged ones
        records = [(1_000, number, district_key(1, 1), 9), (2_000, last, district_key(1, 1), 9)]
        found = wholesale.audit(records, [], before)
        strangers = len(earlier) + len(beside) + len(elsewhere)
        assert counts_of(found.findings) == OrderCounts(present=2, unknown=strangers)
        assert beside[0] in found.findings.unknown["number"].tolist()

        (later,) = wholesale.order(1, 8)  # behind the last acknowledged one
        found = wholesale.audit(records, [], before)
        assert counts_of(found.findings) == OrderCounts(present=2, unknown=strangers + 1)
        assert later in found.findings.unknown["number"].tolist()

        found = wholesale.audit(records, [], before, ends=[EarlyEnd("the end of client 1", 2_000, strangers)])
        assert counts_of(found.findings) == OrderCounts(present=2, cut_off=strangers, unknown=1)
        assert found.findings.cut_off_by == {"the end of client 1": strangers}
        wholesale.reset()

    def test_the_orders_of_other_runs_are_neither_unknown_nor_taken_for_those_in_doubt(
        self, wholesale: WholesaleStore
    ) -> None:
        wholesale.order(1, 7, 3)
        wholesale.order(1, 6)
        before = wholesale.before()
        numbers = wholesale.order(1, 9, 2)
        records = [(1_000 + at, number, district_key(1, 1), 9) for at, number in enumerate(numbers)]
        in_doubt = [(900, 0, district_key(1, 1), 7), (1_100, 0, district_key(1, 2), 8)]
        (arrived,) = wholesale.order(1, 8)
        later = wholesale.before()
        wholesale.order(1, 7, 4)
        wholesale.order(2, 7, 4)
        found = wholesale.audit(records, [*in_doubt, (1_100, 0, district_key(1, 1), 8)], before, later=later.high_water)
        assert found.findings.in_doubt_present["number"].tolist() == [arrived]
        assert counts_of(found.findings) == OrderCounts(present=2, in_doubt_present=1, in_doubt_absent=2)
        wholesale.reset()

    def test_an_order_of_an_unused_item_leaves_nothing_behind(self, wholesale: WholesaleStore) -> None:
        before = wholesale.contents()
        session = wholesale.open()
        try:
            assert session.call("new_order", (1, 1, 1, [(1, 17, 3), (1, UNUSED_ITEM, 1)])) is None
        finally:
            session.close()
        assert wholesale.contents() == before

    def test_the_numbers_of_orders_and_payments_begin_behind_the_built_ones(self, wholesale: WholesaleStore) -> None:
        session = wholesale.open()
        try:
            assert session.call("new_order", (1, 4, 9, [(1, 5, 10)])) == ORDERS + 1
            assert session.call("payment", (1, 4, 1, 4, 9, "", 12_34)) == 9
            assert session.call("stock_level", (1, 4, 0)) == 0
            assert session.call("order_status", (1, 4, 9, "")).decoded()[0][0] == ORDERS + 1
        finally:
            session.close()
        ((number, amount),) = wholesale.run("SELECT h_id, h_amount FROM history WHERE h_id > 30000")
        assert (number, float(amount)) == (30_001, 12.34)
        wholesale.reset()

    def test_violations_are_found_by_their_conditions(self, wholesale: WholesaleStore) -> None:
        with ExitStack() as damages:
            for damage in DAMAGES:
                damages.enter_context(wholesale.damaged(damage))
            assert wholesale.broken_conditions() == set().union(*(damage.broken for damage in DAMAGES))

    def test_a_store_of_another_workload_is_refused_by_name(self, wholesale: WholesaleStore) -> None:
        other = store_of("dvdstore", wholesale.target.kind)
        with pytest.raises(UserError, match="wholesale"):
            wholesale.store_of(other).state()
