"""The curves of a run against the plain functions of its series, second by second."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.opm_curves import OpmCurves, Reading
from engine.analysis.run_data import RunData
from engine.plan import RunPlan
from engine.record import Phases, RunState
from engine.sample import Sample
from tests.engine.analysis.samples import CLIENTS, SECONDS, runs, sample

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
    values = []
    for second, orders in enumerate(run.series.by_second("orders", client)[: run.end]):
        value: float | None = None
        if reading is Reading.RUNNING:
            begin, over = run.phases.measuring_from, run.phases.measuring_to
            if begin is not None and begin <= second and (over is None or second < over):
                value = run.series.opm_running(begin, second + 1, client)
        else:
            window = 1 if reading is Reading.SECOND else window_seconds
            value = run.series.opm_window(second + 1, window, client)
        values.append(math.nan if value is None or math.isnan(orders) else value)
    return values


def assert_equal_to_the_plain(curves: OpmCurves, run: RunData) -> None:
    for client in (None, *range(1, CLIENTS + 1)):
        drawn = curves.total() if client is None else curves.client(client)
        np.testing.assert_allclose(
            drawn, plainly(run, curves.reading, curves.window_seconds, client), rtol=1e-12, equal_nan=True
        )


@given(runs(), READINGS, WINDOWS, MOMENTS, MOMENTS)
def test_each_reading_is_that_of_the_series(
    samples: list[Sample], reading: Reading, window_seconds: int, begin: int | None, over: int | None
) -> None:
    run = run_of(samples, Phases(measuring_from=begin, measuring_to=over), state=RunState.COMPLETED)
    curves = OpmCurves(run, reading, window_seconds)
    curves.update()

    assert curves.end == run.series.seconds
    assert_equal_to_the_plain(curves, run)


@given(st.data(), runs(), READINGS, WINDOWS, MOMENTS)
def test_brought_up_to_date_piece_by_piece_it_is_the_same(
    data: st.DataObject, samples: list[Sample], reading: Reading, window_seconds: int, begin: int | None
) -> None:
    """Samples come in any order, and the measuring phase begins somewhere on the way."""
    run = run_of([], Phases())
    curves = OpmCurves(run, reading, window_seconds)
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
def test_another_reading_of_the_same_orders(samples: list[Sample], readings: list[tuple[Reading, int]]) -> None:
    run = run_of(samples, Phases(measuring_from=2), state=RunState.COMPLETED)
    curves = OpmCurves(run)
    curves.update()
    for reading, window_seconds in readings:
        curves.set_reading(reading, window_seconds)
        assert_equal_to_the_plain(curves, run)


def test_zeros_are_zeros_and_a_missing_second_is_a_gap() -> None:
    run = run_of([sample(1, second, []) for second in (0, 1, 3)], Phases())
    curves = OpmCurves(run, Reading.WINDOW, 10)
    curves.update()

    np.testing.assert_array_equal(curves.client(1), [0, 0, np.nan, 0])
    np.testing.assert_array_equal(curves.client(2), [np.nan] * 4)


def test_the_newest_second_waits_for_the_clients_that_are_late() -> None:
    run = run_of([sample(client, 0, [5000]) for client in (1, 2)], Phases())
    run.add(sample(1, 1, [5000]))
    curves = OpmCurves(run, Reading.SECOND)
    curves.update()
    assert curves.total().tolist() == [120]

    run.add(sample(2, 1, [5000]))
    curves.update(1)
    assert curves.total().tolist() == [120, 120]


def test_nothing_changed_is_nothing_computed() -> None:
    run = run_of([sample(client, 0, [5000]) for client in (1, 2)], Phases())
    curves = OpmCurves(run, Reading.SECOND)
    curves.update()
    curves.update(None)

    assert curves.total().tolist() == [120]


def test_clients_are_numbered_from_one() -> None:
    curves = OpmCurves(run_of([], Phases()))

    with pytest.raises(IndexError, match="from 1"):
        curves.client(0)
