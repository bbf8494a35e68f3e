"""The curves of a run against the plain functions of its series, second by second."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import HeadlineCurves, Reading
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.samples import CLIENTS, SECONDS, runs, sample

OPM = headline_of("dvdstore")
READINGS = st.sampled_from(Reading)
WINDOWS = st.sampled_from([1, 2, 5, 10, 60])
MOMENTS = st.one_of(st.none(), st.integers(0, SECONDS + 3))


def run_of(samples: list[Sample], phases: Phases, *, state: RunState = RunState.MEASURING) -> RunData:
    run = RunData(RunPlan(clients=CLIENTS))
    run.set_state(state, phases)
    for each in samples:
        run.add(each)
    return run


def plainly(run: RunData, reading: Reading, window_seconds: int, client: int | None) -> list[float]:
    """The curve by the functions of the series, each second by itself."""
    values, has_begun = [], False
    ends = (run.phases.warming_up_from, run.phases.measuring_from, run.phases.measuring_to)
    ramp = min((end for end in ends if end is not None), default=run.end)
    for second, orders in enumerate(run.series.by_second("order.n", client)[: run.end]):
        value: float | None = None
        if reading is Reading.RUNNING:
            begin, over = run.phases.measuring_from, run.phases.measuring_to
            if begin is not None and begin <= second and (over is None or second < over):
                value = run.series.running(OPM, begin, second + 1, client)
        else:
            window = 1 if reading is Reading.SECOND else window_seconds
            begins = (run.phases.warming_up_from, run.phases.measuring_from)
            phase_begin = max((begin for begin in begins if begin is not None and begin <= second), default=0)
            if run.phases.measuring_to is None or second < run.phases.measuring_to:
                value = run.series.window(OPM, second + 1, window, client, not_before=phase_begin)
        has_begun = has_begun or orders > 0 or second >= ramp
        values.append(math.nan if value is None or math.isnan(orders) or not has_begun else value)
    return values


def assert_equal_to_the_plain(curves: HeadlineCurves, run: RunData) -> None:
    for client in (None, *range(1, CLIENTS + 1)):
        drawn = curves.total() if client is None else curves.client(client)
        np.testing.assert_allclose(
            drawn, plainly(run, curves.reading, curves.window_seconds, client), rtol=1e-12, equal_nan=True
        )


@given(runs(), READINGS, WINDOWS, MOMENTS, MOMENTS)
def test_readings_equal_those_of_the_series(
    samples: list[Sample], reading: Reading, window_seconds: int, begin: int | None, over: int | None
) -> None:
    run = run_of(samples, Phases(measuring_from=begin, measuring_to=over), state=RunState.COMPLETED)
    curves = HeadlineCurves(run, reading, window_seconds)
    curves.update()

    assert curves.end == run.series.seconds
    assert_equal_to_the_plain(curves, run)


@given(st.data(), runs(), READINGS, WINDOWS, MOMENTS)
def test_incremental_updates_equal_one_update(
    data: st.DataObject, samples: list[Sample], reading: Reading, window_seconds: int, begin: int | None
) -> None:
    """Samples come in any order, and the measuring phase begins somewhere on the way."""
    run = run_of([], Phases())
    curves = HeadlineCurves(run, reading, window_seconds)
    while samples:
        count = data.draw(st.integers(1, len(samples)))
        news, samples = samples[:count], samples[count:]
        for each in news:
            run.add(each)
        if data.draw(st.booleans()):
            run.set_state(RunState.MEASURING, Phases(measuring_from=begin))
        curves.update(min(max(0, each.second + 1 - each.covers) for each in news))
        assert_equal_to_the_plain(curves, run)


@given(runs(), st.lists(st.tuples(READINGS, WINDOWS), min_size=1, max_size=4))
def test_set_reading_recomputes_the_curves(samples: list[Sample], readings: list[tuple[Reading, int]]) -> None:
    run = run_of(samples, Phases(measuring_from=2), state=RunState.COMPLETED)
    curves = HeadlineCurves(run)
    curves.update()
    for reading, window_seconds in readings:
        curves.set_reading(reading, window_seconds)
        assert_equal_to_the_plain(curves, run)


@given(
    st.integers(0, 6),
    st.integers(0, 15),
    st.integers(1, 25),
    st.integers(1, 50),
    WINDOWS,
    st.integers(0, 20),
    st.sampled_from([Reading.WINDOW, Reading.SECOND]),
)
def test_an_even_load_is_a_level_curve_without_climb_or_dip(
    ramp: int, warmup: int, measured: int, orders: int, window_seconds: int, in_the_last: int, reading: Reading
) -> None:
    """Nothing is ordered in the ramp, and the second in which the load is stopped has only a part of its orders."""
    phases = Phases(warming_up_from=ramp, measuring_from=ramp + warmup, measuring_to=ramp + warmup + measured)
    taken = [*[0] * ramp, *[orders] * (warmup + measured), min(in_the_last, orders)]
    samples = [
        dvd_sample(client=client, second=at, orders=count) for client in (1, 2) for at, count in enumerate(taken)
    ]
    run = run_of(samples, phases, state=RunState.COMPLETED)
    curves = HeadlineCurves(run, reading, window_seconds)
    curves.update()
    assert np.isnan(curves.total()[:ramp]).all()
    assert curves.total()[ramp:-1].tolist() == [120 * orders] * (warmup + measured)
    assert curves.client(1)[ramp:-1].tolist() == [60 * orders] * (warmup + measured)
    assert np.isnan(curves.total()[-1])
    assert run.figures(window_seconds=window_seconds).headline_rate_window == 120 * orders


@given(runs(), st.integers(0, 8), st.integers(0, 8), st.integers(0, SECONDS), WINDOWS)
def test_a_window_is_the_orders_of_the_seconds_that_it_covers(
    samples: list[Sample], ramp: int, warmup: int, measured: int, window_seconds: int
) -> None:
    phases = Phases(warming_up_from=ramp, measuring_from=ramp + warmup, measuring_to=ramp + warmup + measured)
    run = run_of(samples, phases, state=RunState.COMPLETED)
    curves = HeadlineCurves(run, Reading.WINDOW, window_seconds)
    curves.update()
    orders = run.series.by_second("order.n")
    for second, value in enumerate(curves.total()):
        if second >= phases.measuring_to or math.isnan(orders[second]):
            assert math.isnan(value)
            continue
        begin = max(edge for edge in (0, ramp, ramp + warmup) if edge <= second)
        if second < ramp and not np.nansum(orders[: second + 1]):
            assert math.isnan(value)
            continue
        covered = orders[max(begin, second + 1 - window_seconds) : second + 1]
        known = covered[~np.isnan(covered)]
        assert value * len(known) / 60 == pytest.approx(known.sum())


def test_a_run_that_was_stopped_in_the_warm_up_ends_with_its_last_whole_second() -> None:
    samples = [sample(client, second, [5000]) for client in (1, 2) for second in range(4)]
    run = run_of(samples, Phases(warming_up_from=1), state=RunState.STOPPED)
    curves = HeadlineCurves(run, Reading.SECOND)
    curves.update()
    assert curves.total().tolist() == [120] * 4

    run.put_event(
        RunEvent(
            number=1,
            at_seconds=3.0,
            kind=EventKind.PHASE,
            code=EventCode.PHASE_BEGAN,
            data={"state": "stopping"},
            label="stopping",
        )
    )
    curves.update(None)
    np.testing.assert_array_equal(curves.total(), [120, 120, 120, np.nan])


def test_missing_second_is_a_gap_and_zero_is_drawn() -> None:
    run = run_of([sample(1, second, []) for second in (0, 1, 3)], Phases(measuring_from=0))
    curves = HeadlineCurves(run, Reading.WINDOW, 10)
    curves.update()

    np.testing.assert_array_equal(curves.client(1), [0, 0, np.nan, 0])
    np.testing.assert_array_equal(curves.client(2), [np.nan] * 4)


def test_the_newest_second_waits_for_the_clients_that_are_late() -> None:
    run = run_of([sample(client, 0, [5000]) for client in (1, 2)], Phases())
    run.add(sample(1, 1, [5000]))
    curves = HeadlineCurves(run, Reading.SECOND)
    curves.update()
    assert curves.total().tolist() == [120]

    run.add(sample(2, 1, [5000]))
    curves.update(1)
    assert curves.total().tolist() == [120, 120]


def test_update_without_change_computes_nothing() -> None:
    run = run_of([sample(client, 0, [5000]) for client in (1, 2)], Phases())
    curves = HeadlineCurves(run, Reading.SECOND)
    curves.update()
    curves.update(None)

    assert curves.total().tolist() == [120]


def test_clients_are_numbered_from_one() -> None:
    curves = HeadlineCurves(run_of([], Phases()))

    with pytest.raises(IndexError, match="from 1"):
        curves.client(0)


@pytest.mark.parametrize(
    ("reading", "drawn"), [(Reading.SECOND, [6, 2]), (Reading.WINDOW, [6, 4]), (Reading.RUNNING, [6, 4])]
)
def test_a_metric_by_the_second_is_drawn_by_the_second(reading: Reading, drawn: list[float]) -> None:
    run = RunData(RunPlan(workload="brokerage"))
    run.set_state(RunState.MEASURING, Phases(measuring_from=0))
    for second, count in enumerate((6, 2)):
        run.add(Sample(client=1, second=second, transactions={"trade_result": Count(count, 1_000 * count, 1_000)}))
    curves = HeadlineCurves(run, reading, 10)
    curves.update()

    assert curves.total().tolist() == drawn
