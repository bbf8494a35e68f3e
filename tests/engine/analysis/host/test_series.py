"""Series of hosts: how long a value holds, and gaps that stay gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.series import HostSeries
from engine.telemetry.host_figure import HostFigure

TIMES = st.lists(st.integers(0, 10_000), unique=True, max_size=40).map(sorted)


def a_series(times: list[float], values: list[float] | None = None, device: str = "") -> HostSeries:
    return HostSeries(
        source="meter",
        device=device,
        name=HostFigure.POWER.value,
        unit=HostFigure.POWER.unit,
        utc_seconds=np.array(times, dtype=np.float64),
        values=np.array(times if values is None else values, dtype=np.float64),
    )


def test_a_value_holds_since_the_one_before_and_after_a_gap_for_one_interval() -> None:
    series = a_series([10, 11, 12, 20, 21])
    assert series.interval_seconds == 1
    assert series.begins.tolist() == [9, 10, 11, 19, 20]
    assert series.after_gap.tolist() == [True, False, False, True, False]


def test_a_gap_is_drawn_as_one_on_the_axis_of_the_run() -> None:
    seconds, values = a_series([10, 11, 12, 20, 21]).drawn(5, shift_seconds=-2)
    assert seconds.tolist() == [3, 4, 5, 12, 13, 14]
    assert np.isnan(values).tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("times", [[], [7.0]])
def test_few_samples_have_no_interval(times: list[float]) -> None:
    series = a_series(times)
    assert series.interval_seconds is None
    assert series.begins.tolist() == [time - 1 for time in times]
    assert series.drawn(0)[0].tolist() == times


def test_the_label_names_figure_and_device() -> None:
    assert a_series([1], device="server").label == "Power server"
    assert a_series([1]).label == "Power"
    assert all(figure.unit for figure in HostFigure)


@pytest.mark.parametrize(("times", "values"), [([2, 1], [0, 0]), ([1, 1], [0, 0]), ([1], [])])
def test_times_must_ascend_and_each_has_a_value(times: list[float], values: list[float]) -> None:
    with pytest.raises(ValueError, match="times"):
        a_series(times, values)


@given(TIMES)
def test_what_is_drawn_holds_every_sample_and_ascends(times: list[float]) -> None:
    seconds, values = a_series(times).drawn(0)
    assert values[~np.isnan(values)].tolist() == times
    assert (np.diff(seconds) > 0).all()
