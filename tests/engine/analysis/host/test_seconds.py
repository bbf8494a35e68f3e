"""A host's series second by second of a run."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.series import HostSeries, by_second

EPOCH = 1_800_000_000.0


def a_series(times: list[float], values: list[float]) -> HostSeries:
    return HostSeries(
        source="", device="", name="Power", unit="W", utc_seconds=EPOCH + np.array(times), values=np.array(values)
    )


def test_each_second_has_the_value_of_its_interval() -> None:
    got = by_second(a_series([1, 2, 3], [10, 20, 30]), EPOCH, 5)
    np.testing.assert_array_equal(got, [10, 20, 30, np.nan, np.nan])


def test_a_slow_counter_holds_for_its_interval_and_a_gap_is_not_bridged() -> None:
    got = by_second(a_series([2, 4, 6, 16, 18], [1, 2, 3, 4, 5]), EPOCH, 18)
    np.testing.assert_array_equal(got, [1, 1, 2, 2, 3, 3, *[np.nan] * 8, 4, 4, 5, 5])


def test_a_missing_value_is_a_gap() -> None:
    got = by_second(a_series([1, 2, 3], [10, np.nan, 30]), EPOCH, 3)
    np.testing.assert_array_equal(got, [10, np.nan, 30])


def test_a_clock_that_was_behind_is_shifted() -> None:
    late = a_series([-89, -88, -87], [10, 20, 30])
    assert np.isnan(by_second(late, EPOCH, 5)).all()
    np.testing.assert_array_equal(by_second(late, EPOCH, 5, 90.0), [10, 20, 30, np.nan, np.nan])


def test_a_series_without_samples_is_unknown() -> None:
    assert np.isnan(by_second(a_series([], []), EPOCH, 3)).all()


@given(
    gaps=st.lists(st.floats(0.5, 20), min_size=2, max_size=30), shift=st.floats(-100, 100), seconds=st.integers(0, 200)
)
def test_seconds_contain_only_values_of_the_series(gaps: list[float], shift: float, seconds: int) -> None:
    times = np.cumsum(gaps)
    series = a_series(list(times), list(range(len(times))))
    got = by_second(series, EPOCH, seconds, shift)
    assert len(got) == seconds
    for second, value in enumerate(got):
        if not np.isnan(value):
            place = int(value)
            end, begin = times[place] + shift, series.begins[place] - EPOCH + shift
            assert begin - 1e-6 <= second + 0.5 <= end + 1e-6
