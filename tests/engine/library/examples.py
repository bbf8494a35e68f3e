"""Runs, samples and events to put into a library, shared by the tests of this package."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from engine.errors import ErrorClass
from engine.histogram import BUCKETS, pack
from engine.library.run_id import new_run_id
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import COUNTS, Count, Sample
from tests.doubles.samples import dvd_sample
from tests.totals import totals_with

STARTED_AT = datetime(2026, 11, 21, 4, 30, 17, 250_000, tzinfo=UTC)
COUNT = st.integers(0, 2**63 - 1)
HISTOGRAMS = st.dictionaries(st.integers(0, BUCKETS - 1), st.integers(1, 100_000), max_size=20).map(pack)
SAMPLES = st.builds(
    Sample,
    transactions=st.fixed_dictionaries(
        {"order": st.builds(Count, COUNT, COUNT, COUNT, HISTOGRAMS)}
        | {name: st.builds(Count, COUNT, COUNT, st.just(0), HISTOGRAMS) for name in ("login", "browse", "é")}
    ),
    client=st.integers(1, 3),
    second=st.integers(0, 1_000_000),
    **dict.fromkeys(COUNTS, COUNT),
    errors=st.dictionaries(st.sampled_from([each.value for each in ErrorClass]), st.integers(1, 10_000)),
    overdue=HISTOGRAMS,
)


def a_record(*, after_seconds: float = 0, clients: int = 3, **changed: Any) -> RunRecord:
    """A run that began ``after_seconds`` after the examples' time, with an id of that time."""
    started_at = STARTED_AT + timedelta(seconds=after_seconds)
    plan = RunPlan(name="evening load", clients=clients, threads=32)
    values: dict[str, Any] = {
        "run_id": _new_id(started_at),
        "plan": plan,
        "client_labels": tuple(each.label for each in plan.client_plans()),
        "state": RunState.PREPARING,
        "started_at": started_at,
        "environment": {"application": {"version": "0.1.0"}, "servers": [{"version": "18.1"}]},
    }
    return RunRecord(**{**values, **changed})


_ids: set[str] = set()


def _new_id(started_at: datetime) -> str:
    """One that no other example has: of a second's ids, two may be the same by chance."""
    while (run_id := new_run_id(started_at)) in _ids:
        pass
    _ids.add(run_id)
    return run_id


def a_finished_record(**changed: Any) -> RunRecord:
    values: dict[str, Any] = {
        "state": RunState.COMPLETED,
        "ended_at": STARTED_AT + timedelta(minutes=2),
        "phases": Phases(warming_up_from=4, measuring_from=64, measuring_to=124),
        "totals": totals_with(opm=12_345, rt_ms={"mean": 8.25}),
        "name": "before the patch",
        "note": "two lines\nof text",
        "tags": ("nightly", "patched"),
    }
    return a_record(**{**values, **changed})


def some_samples(*, clients: int = 3, seconds: int = 5, first: int = 0) -> list[Sample]:
    """A sample for every client and second, all different, by client and then by second."""
    return [
        dvd_sample(
            client=client,
            second=second,
            working=3,
            orders=100 * client + second,
            order_us=1_000_000 + second,
            errors={"timeout": second} if second % 4 == 3 else {},
            histogram=pack({client: 1, 100 + second: 2}),
            overdue=pack({3_000 + second: client}) if second % 3 == 2 else b"",
            steps={"browse": pack({90 + second: client}), "login": pack({7: 1})} if second % 4 else {},
        )
        for client in range(1, clients + 1)
        for second in range(first, first + seconds)
    ]


def some_events() -> list[RunEvent]:
    return [
        RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping", number=1),
        RunEvent(at_seconds=7.25, kind=EventKind.MARK, label="switch-over", detail="node 2", by_hand=True, number=2),
        RunEvent(at_seconds=7.25, kind=EventKind.CONNECTION_LOST, label="connection lost", client=2, number=3),
    ]
