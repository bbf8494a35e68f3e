"""Host figures on a run's page: on its time axis, shifted by hand, gaps left as gaps."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.host.measurement import HostMeasurement
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_measurement, a_series
from tests.widgets.library.runs import a_stored_run
from tests.widgets.parts.charts import drawn_points
from widgets.library.host_lines import first_choice, host_lines, missing_text
from widgets.library.host_tab import HostTab
from widgets.library.host_table import HostModel
from widgets.parts.look import Look

RECORD, RUN = a_stored_run((30.0, "Enclosure pulled"))
GAP = range(20, 30)
KEY = (1, 0)


@pytest.fixture
def tab(look: Look, qtbot: QtBot) -> HostTab:
    tab = HostTab(look)
    qtbot.addWidget(tab)
    tab.resize(1_000, 700)
    with qtbot.waitExposed(tab):
        tab.show()
    tab.show_run(RUN)
    return tab


def show(tab: HostTab, *measurements: HostMeasurement) -> None:
    tab.show_measurements(measurements)
    QApplication.processEvents()


def cells(tab: HostTab, row: int = 0) -> list[str]:
    model = tab.table.model()
    return [str(model.index(row, column).data()) for column in range(model.columnCount())]


def known_seconds(tab: HostTab) -> list[int]:
    seconds, values = drawn_points(tab.charts.by_group["power", 0], KEY)
    return [int(second) for second, value in zip(seconds, values, strict=True) if not np.isnan(value)]


def test_run_without_measurements_explains_imports(tab: HostTab, qtbot: QtBot) -> None:
    assert not tab.charts.isVisible()
    assert not tab.shift.isEnabled()
    with qtbot.waitSignal(tab.import_requested) as signal:
        qtbot.mouseClick(tab.import_button, Qt.MouseButton.LeftButton)
    assert signal.args == [RUN.run_id]


def test_watts_are_drawn_on_the_runs_time_axis_with_gaps(tab: HostTab) -> None:
    show(tab, a_measurement(a_series(gap=GAP)))
    known = known_seconds(tab)
    assert 19 in known
    assert 25 not in known
    assert tab.charts.by_group["power", 0].visible_range == tab.charts.headline.visible_range
    tab.charts.headline.show_range(10, 40)
    assert tab.charts.by_group["power", 0].visible_range == (10, 40)


def test_the_table_has_the_mean_of_the_measuring_phase(tab: HostTab) -> None:
    show(tab, a_measurement(a_series(gap=GAP)))
    mean = np.mean([300.0 + second for second in range(10, 60) if second not in GAP])
    assert cells(tab)[:7] == ["Power", "meter-1", "W", f"{mean:.0f}", "310", "359", "80.0\u202f%"]


def test_manual_clock_shift_is_emitted_after_a_delay(tab: HostTab, qtbot: QtBot) -> None:
    show(tab, a_measurement(a_series(first=-89)))
    assert cells(tab)[3] == "–"
    assert known_seconds(tab) == []
    tab.shift.setFocus()
    tab.shift.selectAll()
    with qtbot.waitSignal(tab.shift_requested) as signal:
        qtbot.keyClicks(tab.shift, "90")
        qtbot.keyClick(tab.shift, Qt.Key.Key_Return)
        assert known_seconds(tab)[0] == 0
    assert signal.args == [RUN.run_id, 1, 90.0]
    assert cells(tab)[3] == "334"


def test_pending_shift_applies_to_the_previous_run(tab: HostTab, qtbot: QtBot) -> None:
    show(tab, a_measurement())
    tab.shift.setValue(5)
    with qtbot.waitSignal(tab.shift_requested) as signal:
        tab.show_run(a_stored_run(minutes_later=5)[1])
    assert signal.args == [RUN.run_id, 1, 5.0]
    assert tab.table.model().rowCount() == 0


def test_each_file_has_its_own_shift(tab: HostTab) -> None:
    show(tab, a_measurement(shift_seconds=3), a_measurement(a_series("CPU", "%"), number=2, shift_seconds=-4))
    assert tab.shift.value() == 3
    tab.files.setCurrentIndex(1)
    assert tab.shift.value() == -4


def test_new_file_is_selected_and_ticks_are_kept(tab: HostTab) -> None:
    first = a_measurement()
    show(tab, first)
    model = tab.table.model()
    model.setData(model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert not tab.charts.by_group["power", 0].isVisible()
    show(tab, first, a_measurement(a_series("CPU", "%"), number=2))
    assert tab.files.currentData() == 2
    assert not tab.charts.by_group["power", 0].isVisible()
    assert tab.charts.by_group["CPU", 0].isVisible()


def test_tick_shows_and_hides_a_line(tab: HostTab) -> None:
    show(tab, a_measurement(a_series("Disk reads", "ops/s", "sda"), a_series("Disk reads", "ops/s", "sdb")))
    chart = tab.charts.by_group["disk operations", 0]
    assert tuple(chart.curves.by_key) == ((1, 0),)  # of the disks of a machine one is shown first
    model = tab.table.model()
    model.setData(model.index(1, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert set(chart.curves.by_key) == {(1, 0), (1, 1)}
    model.setData(model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert tuple(chart.curves.by_key) == ((1, 1),)


def test_counters_with_different_scale_have_separate_charts(tab: HostTab) -> None:
    low = replace(a_series("Disk write latency", "ms", "sda"), values=np.full(60, 0.0034))
    show(tab, a_measurement(a_series("Disk read latency", "ms", "sda"), low, a_series("Memory: Available", "MB")))
    groups = tab.charts.by_group
    assert {key: tuple(chart.curves.by_key) for key, chart in groups.items()} == {
        ("latency", 0): ((1, 0),),
        ("latency", 1): ((1, 1),),
        ("memory", 0): ((1, 2),),
    }
    assert groups["latency", 1].amount_range[1] < 0.01
    assert "0.00340\u202fms" in groups["latency", 1].summary()
    assert cells(tab, 1)[:6] == ["Disk write latency sda", "meter-1", "ms", "0.00340", "0.00340", "0.00340"]


def test_processor_disk_and_power_need_no_scrolling_in_a_small_window(tab: HostTab, qtbot: QtBot) -> None:
    tab.resize(1_235, 646)  # its room in a window of 1366 × 768
    disk = a_series("Disk Writes", "1/s", "C:"), a_series("Disk Reads", "1/s", "C:")
    processor = a_series("Processor Time", "%", "_Total"), a_series("Processor Time", "%", "0")
    show(tab, a_measurement(*processor, *disk, a_series()))
    assert sum(not chart.isHidden() for chart in tab.charts.by_group.values()) == 3
    views = (tab.charts.findChildren(QScrollArea)[0], tab.table)
    qtbot.waitUntil(lambda: [view.verticalScrollBar().maximum() for view in views] == [0, 0])


def test_measurement_removal_is_emitted(tab: HostTab, qtbot: QtBot) -> None:
    show(tab, a_measurement(number=7))
    with qtbot.waitSignal(tab.remove_requested) as signal:
        qtbot.mouseClick(tab.remove_button, Qt.MouseButton.LeftButton)
    assert signal.args == [RUN.run_id, 7]
    show(tab)
    assert not tab.charts.isVisible()


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester) -> None:
    model = HostModel()
    lines = host_lines([a_measurement(a_series(), a_series("CPU", "%"))], None)
    model.show_lines(lines, {KEY})
    qtmodeltester.check(model)
    model.show_lines(lines[:1], set())


def test_lines_of_a_unit_are_limited_to_distinct_colours() -> None:
    many = [a_series("Disk queue", "count", f"sd{number}") for number in range(12)]
    few = first_choice(host_lines([a_measurement(*many, a_series())], None))
    assert [line.series.unit for line in few] == ["count"] * 8 + ["W"]


def test_clock_remarks_are_shown_with_missing_values(tab: HostTab) -> None:
    tab.show_run(RUN, ["The workstation was suspended."])
    show(tab, a_measurement(a_series(gap=GAP)))
    assert tab.missing.endswith(" the gaps are left out. The workstation was suspended.")
    tab.show_run(RUN)
    show(tab, a_measurement(a_series()))
    assert tab.missing == ""


def test_missing_values_are_summarised(tab: HostTab) -> None:
    series = [a_series("Disk reads", "ops/s", f"sd{number}", seconds=30) for number in range(5)]
    show(tab, a_measurement(*series))
    text = missing_text(host_lines([a_measurement(*series)], None))
    assert text == ""
    assert "The same is true of 3 more." in tab.missing


def test_every_control_has_a_name(tab: HostTab) -> None:
    show(tab, a_measurement())
    assert nameless_controls(tab) == []
