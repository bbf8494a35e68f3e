"""Runs of dead processes get the totals of what was measured."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.conduct.interrupted import measured_phases, settle_interrupted
from engine.library.library import Library
from engine.library.owner import Owner
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from tests.doubles.samples import dvd_sample
from tests.engine.library.rows_left import rows_left

_STARTED = datetime(2026, 1, 1, tzinfo=UTC)
_RECORD = RunRecord(
    run_id="20260101-000000-abcd",
    plan=RunPlan(),
    client_labels=("ds2",),
    state=RunState.MEASURING,
    started_at=_STARTED,
    phases=Phases(warming_up_from=1, measuring_from=3, measuring_to=60),
)


def test_an_interrupted_run_has_the_totals_of_its_measured_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = Owner(2**22 + 1, 0.0)  # beyond Linux's largest process id
    monkeypatch.setattr("engine.library.library.this_process", lambda: dead)
    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        writer = library.start_run(_RECORD, notify=pytest.fail)
        for second in range(8):
            writer.write_sample(dvd_sample(client=1, second=second, orders=10))
        assert writer.close(10)

        (settled,) = settle_interrupted(library)

        assert settled.state is RunState.INTERRUPTED
        assert settled.phases.measuring_to == 8
        assert settled.totals is not None
        assert settled.totals.headline_rate == 600
        assert settled.totals.count == 50
        assert settled.totals.since_start is not None
        assert settled.totals.since_start["orders"] == 80
        assert settle_interrupted(library) == []
        assert rows_left(library.path) == 0
        assert [sample.second for sample in library.samples(_RECORD.run_id)] == list(range(8))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (2, Phases(warming_up_from=1)),
        (3, Phases(warming_up_from=1)),
        (4, Phases(warming_up_from=1, measuring_from=3, measuring_to=4)),
        (99, Phases(warming_up_from=1, measuring_from=3, measuring_to=60)),
    ],
)
def test_measuring_ends_with_the_last_sample(seconds: int, expected: Phases) -> None:
    ended = replace(_RECORD, ended_at=_STARTED + timedelta(seconds=seconds))
    assert measured_phases(ended) == expected


def test_a_run_until_stopped_was_measured_until_its_last_sample() -> None:
    endless = replace(
        _RECORD, phases=Phases(warming_up_from=1, measuring_from=3), ended_at=_STARTED + timedelta(seconds=9)
    )
    assert measured_phases(endless).measuring_to == 9
