"""Which counters share a chart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.groups import HostGroup, host_groups
from engine.analysis.host.series import HostSeries
from engine.telemetry.host_figure import HostFigure


def a_series(unit: str, *values: float, name: str = "n") -> HostSeries:
    times = np.arange(len(values), dtype=np.float64)
    return HostSeries(source="", device="", name=name, unit=unit, utc_seconds=times, values=np.array(values))


def groups_of(*series: HostSeries) -> list[HostGroup[HostSeries]]:
    return host_groups(series, lambda each: each)


def test_counters_of_a_unit_share_a_chart_in_their_order() -> None:
    reads, memory, writes = a_series("ms", 3, 5), a_series("MB", 20_480), a_series("ms", 0.5, 0.4)
    groups = groups_of(reads, memory, writes)
    assert [(group.unit, group.rank, group.members) for group in groups] == [
        ("ms", 0, (reads, writes)),
        ("MB", 0, (memory,)),
    ]
    assert [group.axis_title for group in groups] == ["latency, ms", "memory, MB"]


def test_counters_with_different_scale_get_separate_charts() -> None:
    low, high, nothing = a_series("count", 2, 1), a_series("count", 1_500), a_series("count", 0, np.nan)
    assert [group.members for group in groups_of(low, high, nothing)] == [(high,), (low, nothing)]


def test_common_figures_come_first_in_their_order_each_on_its_own_chart() -> None:
    figures = [a_series(figure.unit, 5, name=figure.value) for figure in HostFigure]
    groups = groups_of(a_series("rpm", 3), *reversed(figures))
    assert [group.name for group in groups[:9]] == [
        "CPU",
        "disk utilisation",
        "disk operations",
        "network",
        "memory used",
        "power",
        "replication lag",
        "log written",
        "buffer hits",
    ]
    assert {each.name for each in groups[2].members} == {"Disk transfers", "Disk reads", "Disk writes"}
    assert groups[1].axis_title == "disk utilisation, %"


def test_a_running_run_does_not_split_charts() -> None:
    low, high = a_series("count", 2, 1), a_series("count", 1_500)
    (group,) = host_groups([low, high], lambda each: each, by_scale=False)
    assert group.members == (low, high)


def test_unknown_unit_is_the_groups_name() -> None:
    assert groups_of(a_series("rpm", 3))[0].axis_title == "rpm"
    assert groups_of(a_series("", 3))[0].axis_title == "without a unit"
    assert groups_of(a_series("count", 3))[0].axis_title == "counts"


@given(st.lists(st.tuples(st.sampled_from(["ms", "%", ""]), st.floats(0, 1e6)), max_size=12))
def test_each_counter_is_in_one_chart_with_a_readable_scale(values: list[tuple[str, float]]) -> None:
    series = [a_series(unit, value) for unit, value in values]
    groups = groups_of(*series)
    assert sorted(map(id, series)) == sorted(id(each) for group in groups for each in group.members)
    for group in groups:
        tops = [float(each.values.max()) for each in group.members]
        assert all(not top or 15.001 * top >= max(tops) for top in tops)
        assert {each.unit for each in group.members} == {group.unit}
