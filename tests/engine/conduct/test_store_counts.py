"""The headline by the stores' numbers; the connections to the servers are scripted."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.conduct.preflight import CheckedStore
from engine.conduct.store_counts import StoreCounts
from engine.databases.database import Timeouts
from engine.databases.lease import LeaseSql, LeaseTable
from engine.errors import ErrorClass, TargetError
from engine.record.record import Phases, RunState
from engine.target.target import POSTGRESQL, Host, Target

TARGET = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), database="wholesale", user="me")
NAME = "NOPM by the store's numbers"
LOST = TargetError(ErrorClass.CONNECTION_LOST, "the server is gone", usable=False)


class ScriptedStore:
    """A store whose connections answer with these high waters, ``None`` for no store, or raise these errors.

    Its server is down for as many attempts to connect as ``refused`` says. ``open`` counts its connections.
    """

    def __init__(self, *answers: int | TargetError | None, refused: int = 0) -> None:
        self.answers: Iterator[int | TargetError | None] = iter(answers)
        self.refused = refused
        self.open = 0
        self.connected = 0
        self.readings = 0

    def open_lease(self) -> LeaseTable:
        if self.refused:
            self.refused -= 1
            raise LOST
        self.open += 1
        self.connected += 1
        return LeaseTable(self, cast(LeaseSql, SimpleNamespace(identity="identity")))

    def query(self, _statement: str, *_values: object) -> list[Any]:
        self.readings += 1
        answer = next(self.answers)
        if isinstance(answer, TargetError):
            raise answer
        return [] if answer is None else [("built", answer)]

    def execute(self, _statement: str, *_values: object) -> None:
        raise AssertionError("reading changes nothing")

    def cut(self) -> None:
        raise AssertionError("an answer came in time")

    def close(self) -> None:
        self.open -= 1


def _counts(store: ScriptedStore) -> StoreCounts:
    endpoint = SimpleNamespace(store=lambda _timeouts, _workload: store)
    checked = SimpleNamespace(endpoint=endpoint, state=SimpleNamespace(workload="wholesale"))
    return StoreCounts({TARGET: cast(CheckedStore, checked)}, Timeouts())


def _go(counts: StoreCounts, *states: RunState) -> None:
    for state in states:
        counts.set_state(state, Phases())


RUN = (RunState.PREPARING, RunState.RAMPING, RunState.WARMING_UP, RunState.MEASURING, RunState.STOPPING)


def test_rate_is_that_between_the_middles_of_the_two_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter((10.0, 10.5, 130.0, 130.5))
    monkeypatch.setattr("engine.conduct.store_counts.time", SimpleNamespace(monotonic=lambda: next(moments)))
    store = ScriptedStore(1_000, 4_000)
    counts = _counts(store)
    _go(counts, *RUN, RunState.COMPLETED)
    assert counts.measures() == {TARGET.url: {NAME: "1500"}}
    assert (store.connected, store.open) == (1, 0)


def test_phases_that_change_while_measuring_are_no_further_readings() -> None:
    store = ScriptedStore(1_000, 4_000)
    counts = _counts(store)
    _go(counts, *RUN[:4], RunState.MEASURING, RunState.STOPPING, RunState.STOPPING, RunState.COMPLETED)
    assert list(counts.measures()[TARGET.url]) == [NAME]
    assert store.readings == 2


def test_a_connection_that_was_lost_is_opened_again() -> None:
    store = ScriptedStore(1_000, LOST, 4_000)
    counts = _counts(store)
    _go(counts, *RUN)
    assert list(counts.measures()[TARGET.url]) == [NAME]
    assert (store.connected, store.open) == (2, 0)


def test_a_server_that_was_down_while_users_connected_is_asked_when_measuring_begins() -> None:
    store = ScriptedStore(1_000, 4_000, refused=1)
    counts = _counts(store)
    _go(counts, *RUN)
    assert list(counts.measures()[TARGET.url]) == [NAME]


@pytest.mark.parametrize(
    ("answers", "refused"),
    [((1_000, LOST, LOST), 0), ((LOST, LOST, 4_000), 0), ((None, None), 0), ((), 3)],
    ids=["lost at the end", "lost at the beginning", "no store", "down"],
)
def test_a_store_that_does_not_answer_twice_has_no_rate(
    answers: tuple[int | TargetError | None, ...], refused: int
) -> None:
    store = ScriptedStore(*answers, refused=refused)
    counts = _counts(store)
    _go(counts, *RUN)
    assert counts.measures() == {}
    assert store.open == 0


@pytest.mark.parametrize("end", [RunState.STOPPED, RunState.FAILED])
def test_a_run_that_was_never_measured_has_no_rate_and_leaves_no_connection(end: RunState) -> None:
    store = ScriptedStore()
    counts = _counts(store)
    _go(counts, *RUN[:2], end)
    assert counts.measures() == {}
    assert (store.connected, store.open) == (1, 0)
