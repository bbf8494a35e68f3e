"""How many orders a run can have placed, beside what its store says; the store is a value here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.conduct.order_account import OrderAccount
from engine.databases.database import Timeouts
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.target.target import EMBEDDED, Target
from engine.telemetry.sample import Count, Sample
from tests.engine.workload.toy import TOY, installed

_TARGET = Target(kind=EMBEDDED, database="toy")
_TYPES = """
    transactions=(
        TransactionType(id="visit", label="Visit", plural="visits"),
        TransactionType(id="return", label="Return", plural="returns"),
    ),
    recorded=("visit", "return"),"""
_SOURCE = TOY.replace('    transactions=(TransactionType(id="visit", label="Visit", plural="visits"),),', _TYPES)


class _Store:
    """A store, its place, its state before the run and its lease in one, with what was added to it since."""

    as_built_at, high_water, workload, target = "then", 100, "toy", _TARGET

    def __init__(self, added: int) -> None:
        self.endpoint = self.state = self
        self._added = added

    def store(self, *_: Any) -> "_Store":
        return self

    def open_lease(self) -> "_Store":
        return self

    @contextmanager
    def in_time(self, _seconds: float) -> Iterator[None]:
        yield

    def identity(self) -> tuple[str, int]:
        return "then", self.high_water + self._added

    def added_above(self, _high_water: int) -> int:
        return self._added

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(("added", "foreign"), [(30, 0), (31, 0), (40, 10)])
def test_each_type_that_the_ledger_records_counts_as_placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: int, foreign: int
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    with installed(tmp_path, "toy", _SOURCE):
        account = OrderAccount(RunPlan(targets=(_TARGET,), workload="toy"), Timeouts())
        account.write_sample(Sample(client=1, second=0, transactions={"visit": Count(20), "return": Count(10)}))
        found = account.findings({_TARGET: _Store(added)}, RunState.COMPLETED)  # type: ignore[dict-item]
    assert [each.text.partition(" holds ")[2] for each in found] == (
        [f"{foreign} Visits that this run did not place"] if foreign else []
    )
