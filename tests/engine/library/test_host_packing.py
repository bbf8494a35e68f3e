from types import MappingProxyType
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.analysis.host.series import HostSeries
from engine.library.host_packing import packed_series, unpacked_series
from tests.engine.library.same_series import same_series

TIMES = st.lists(st.floats(0, 4e9), max_size=20, unique=True).map(lambda each: np.array(sorted(each)))


def series_of(times: Any, values: Any, name: str = "CPU") -> HostSeries:
    return HostSeries(source="r630", device="_Total", name=name, unit="%", utc_seconds=times, values=values)


@given(TIMES, TIMES, st.data())
def test_series_round_trip_bit_by_bit(times: Any, others: Any, data: st.DataObject) -> None:
    series = [
        series_of(each, data.draw(arrays(np.float64, len(each))), name)
        for each, name in ((times, "CPU"), (times, "Disk reads"), (others, "Power"))
    ]
    rows = [MappingProxyType(row) for row in packed_series(series)]
    again = unpacked_series(cast("Any", rows))
    assert len(again) == 3
    assert all(same_series(one, other) for one, other in zip(series, again, strict=True))


def test_times_that_series_share_are_kept_once() -> None:
    times, later = np.arange(5.0), np.arange(5.0) + 0.5
    series = [series_of(each, np.zeros(5)) for each in (times, times.copy(), later, times)]
    assert [row["times"] is None for row in packed_series(series)] == [False, True, False, False]


def test_constant_counters_pack_small() -> None:
    times = 1.7e9 + np.arange(3600.0)
    series = [series_of(times, np.full(3600, 12.5), f"counter {number}") for number in range(20)]
    size = sum(len(row["values"]) + len(row["times"] or b"") for row in packed_series(series))
    assert size < 20_000
