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


def test_run_killed_in_a_stage_has_the_figures_of_its_stages_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.library.library.this_process", lambda: Owner(2**22 + 1, 0.0))
    plan = RunPlan().changed({"stages": "1 user 4s settle 1s, 2 users 60s settle 1s, 3 users 60s"})
    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        writer = library.start_run(replace(_RECORD, plan=plan), notify=pytest.fail)
        for second in range(11):
            writer.write_sample(dvd_sample(client=1, second=second, orders=second, inactive=2, queue=0))
        assert writer.close(10)

        (settled,) = settle_interrupted(library)

        assert settled.totals is not None
        first, second = settled.totals.stages
        assert (first.users, first.first_second, first.seconds, first.count) == (1, 4, 3, 4 + 5 + 6)
        assert (second.users, second.first_second, second.seconds, second.count) == (2, 8, 3, 8 + 9 + 10)
        assert [sample.inactive for sample in library.samples(_RECORD.run_id)] == [2] * 11
