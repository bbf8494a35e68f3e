"""Compared runs: offsets at shared moments, curves of what there is, differences without a division by nothing."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.comparison import (
    Align,
    Direction,
    Moment,
    Place,
    differences,
    headline_curve,
    offset_seconds,
    place_of,
    shared_marks,
)
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import Reading
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.record.totals import Totals
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.samples import OPM, dvd_sample
from tests.totals import totals_with

PULLED = Moment(Align.MARK, "Enclosure pulled")
NUMBERS = st.one_of(st.none(), st.integers(0, 10**9), st.floats(0.001, 1e9))


def a_run(*marks: tuple[float, str], clients: int = 2, measuring_from: int | None = 3, seconds: int = 9) -> RunData:
    run = RunData(RunPlan(clients=clients))
    for second in range(seconds):
        for client in range(1, clients + 1):
            run.add(dvd_sample(client=client, second=second, orders=10 * client))
    for number, (at_seconds, label) in enumerate(marks, start=1):
        run.put_event(RunEvent(at_seconds=at_seconds, kind=EventKind.MARK, label=label, number=number))
    run.put_event(RunEvent(at_seconds=0, kind=EventKind.PHASE, label="Enclosure pulled", number=99))
    run.set_state(RunState.COMPLETED, Phases(measuring_from=measuring_from, measuring_to=seconds))
    return run


def totals(**figures: Any) -> Totals:
    usual = {
        "opm": 100,
        "rt_ms": {"p95": 8.0},
        "errors": {},
        "clients": [{"label": "a", "opm": 60}, {"label": "b", "opm": 40}],
    }
    return totals_with(**(usual | figures))


def test_a_run_is_aligned_at_its_start_its_measuring_or_a_mark() -> None:
    run = a_run((5.25, "Enclosure pulled"))
    assert offset_seconds(run, Moment(Align.START)) == 0
    assert offset_seconds(run, Moment(Align.MEASURING)) == 3
    assert offset_seconds(run, PULLED) == 5.25


def test_offset_of_a_missing_moment_is_none() -> None:
    run = a_run(measuring_from=None)
    assert offset_seconds(run, Moment(Align.MEASURING)) is None
    assert offset_seconds(run, PULLED) is None


def test_marks_with_one_label_are_numbered_by_time() -> None:
    run = a_run((7.0, "Failover"), (4.0, "Failover"))
    assert offset_seconds(run, Moment(Align.MARK, "Failover", 1)) == 4.0
    assert offset_seconds(run, Moment(Align.MARK, "Failover", 2)) == 7.0


def test_shared_marks_are_sorted_by_number_of_runs() -> None:
    pulled, restored, alone = (4.0, "Enclosure pulled"), (6.0, "Restored"), (1.0, "Note")
    runs = [a_run(alone, restored, pulled), a_run(pulled), a_run(pulled, restored)]
    assert shared_marks(runs) == {PULLED: 3, Moment(Align.MARK, "Restored"): 2}
    assert next(iter(shared_marks(runs))) == PULLED


def a_faulted_run(at_seconds: float, label: str) -> RunData:
    run = a_run()
    run.put_event(
        RunEvent(at_seconds=at_seconds, kind=EventKind.INJECTION, label=label, number=7, is_fault=True, by_hand=False)
    )
    return run


def test_runs_align_at_first_faults_with_different_labels() -> None:
    first, second, without = a_faulted_run(4.5, "kill primary"), a_faulted_run(6.5, "freeze"), a_run((5.0, "Note"))
    moment = Moment(Align.FAULT)
    assert [offset_seconds(run, moment) for run in (first, second, without)] == [4.5, 6.5, None]


def test_a_run_without_the_mark_is_aligned_at_its_first_fault() -> None:
    pulled, killed, without = a_run((5.25, "Enclosure pulled")), a_faulted_run(4.5, "kill primary"), a_run()
    assert place_of(pulled, PULLED) == Place(5.25)
    assert place_of(killed, PULLED) == Place(4.5, "kill primary")
    assert place_of(without, PULLED) is None
    assert shared_marks([pulled, without]) == {}
    assert shared_marks([pulled, killed])[PULLED] == 1


def test_opm_curve_of_all_clients_or_one() -> None:
    run = a_run()
    assert headline_curve(run, Reading.SECOND).tolist() == [1800] * 9
    assert headline_curve(run, Reading.SECOND, client=2).tolist() == [1200] * 9
    running = headline_curve(run, Reading.RUNNING)
    assert np.isnan(running[:3]).all()
    assert running[3:].tolist() == [1800] * 6


def test_opm_curve_of_a_missing_client_is_unknown() -> None:
    curve = headline_curve(a_run(), Reading.SECOND, client=3)
    assert len(curve) == 9
    assert np.isnan(curve).all()


def test_differences_are_against_the_baseline() -> None:
    rows = {row.figure: row for row in differences(OPM, [totals(), totals(opm=150), totals(opm=None)], baseline=1)}
    assert rows["headline running"].values == (100, 150, None)
    assert rows["headline running"].absolute == (-50, 0, None)
    assert rows["headline running"].percent == (pytest.approx(-100 / 3), 0, None)
    assert rows["headline running"].times == (pytest.approx(2 / 3), 1, None)
    assert rows["Errors"].values == (0, 0, 0)
    assert rows["Errors"].percent == (None, None, None)
    assert rows["Variability"].values == pytest.approx((100 / 3,) * 3)
    assert rows["Service time p99"].values == (None, None, None)


def test_a_response_time_is_compared_in_per_cent() -> None:
    rows = {row.figure: row for row in differences(OPM, [totals(), totals(rt_ms={"p95": 10.0, "mean": 4.0})])}
    assert rows["Service time p95"].percent == (0, 25)
    assert rows["Service time mean"].percent == (None, None)


def test_differences_of_one_client() -> None:
    rows = {
        row.figure: row for row in differences(OPM, [totals(), totals(clients=[{"label": "a", "opm": 90}])], client=2)
    }
    assert rows["headline running"].values == (40, None)
    assert rows["Variability"].values == (None, None)


def test_differences_without_totals_are_unknown() -> None:
    for row in differences(OPM, [None, totals()]):
        assert row.values[0] is None
        assert row.absolute == (None, None)
        assert row.percent == (None, None)


@given(st.lists(NUMBERS, min_size=2, max_size=8), st.data())
def test_difference_added_to_baseline_gives_the_value(opms: list[float | None], data: st.DataObject) -> None:
    baseline = data.draw(st.integers(0, len(opms) - 1))
    row = differences(OPM, [totals(opm=opm) for opm in opms], baseline=baseline)[0]
    base = opms[baseline]
    for value, absolute, percent in zip(row.values, row.absolute, row.percent, strict=True):
        assert (absolute is None) is (value is None or base is None)
        assert (percent is None) is (absolute is None or base == 0)
        if base is not None and absolute is not None and value is not None:
            assert base + absolute == pytest.approx(value, abs=1e-6 * (abs(value) + base))
        if base is not None and percent is not None and value is not None:
            assert base * (1 + percent / 100) == pytest.approx(value, abs=1e-6 * (abs(value) + base))


def test_differences_include_intended_times_if_any_run_has_them() -> None:
    assert not any(row.figure.startswith("As intended") for row in differences(OPM, [totals(), totals()]))
    rows = {row.figure: row for row in differences(OPM, [totals(rt_intended_ms={"p99": 50.0}), totals()])}
    assert rows["As intended p99"].values == (50.0, None)
    assert "As intended p95" not in rows
    repeated = differences(OPM, [totals(rt_intended_ms={"p99": 50.0}), totals()], has_two_times=False)
    assert [row.figure for row in repeated] == [name for name in rows if name != "As intended p99"]


def test_counts_of_runs_of_different_length_are_compared_per_minute() -> None:
    short = totals(measured_seconds=60, orders=600, errors={"timeout": 3}, retries=2)
    long = totals(measured_seconds=180, orders=1_800, errors={"timeout": 6}, retries=6)
    rows = {row.figure: row for row in differences(OPM, [short, long, short])}
    assert rows["count"].values == (600, 1_800, 600)
    assert rows["count"].percent == (0, None, 0)
    assert rows["Errors"].absolute == (0, None, 0)
    assert rows["Errors per minute"].values == (3, 2, 3)
    assert rows["Errors per minute"].percent == (0, pytest.approx(-100 / 3), 0)
    assert rows["headline running"].percent == (0, 0, 0)


def test_counts_of_runs_of_about_the_same_length_are_compared() -> None:
    rows = {
        row.figure: row
        for row in differences(
            OPM, [totals(measured_seconds=180, orders=100), totals(measured_seconds=181, orders=150)]
        )
    }
    assert rows["count"].percent == (0, 50)
    assert "Errors per minute" not in rows


def test_every_figure_has_a_direction() -> None:
    ways = {
        row.figure: row.direction
        for row in differences(OPM, [totals(rt_intended_ms={"p50": 1.0}, rollback_pct=2.0), totals()])
    }
    assert {name for name, way in ways.items() if way is Direction.UP} == {"headline running", "headline peak", "count"}
    assert {name for name, way in ways.items() if way is Direction.NONE} == {"Rollbacks", "Measured"}
    assert ways["Service time p95"] is ways["Errors"] is ways["Variability"] is Direction.DOWN
