"""The figures of the head line: fixed widths, words beside colours."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.figures import USER_STATES, WINDOWS_SECONDS
from engine.analysis.latency.response_limits import LimitRow
from engine.figure_text import UNKNOWN
from engine.telemetry.workstation import WorkstationLoad
from widgets.live.tiles import DriverTile, LimitsTile, Tile, UsersTile, WindowTile
from widgets.parts.look import DARK, Look
from widgets.parts.shapes import Shape

WIDEST = "8 888 888"


def test_a_tiles_width_does_not_change_with_its_number(qtbot: QtBot) -> None:
    tile = Tile("OPM now", WIDEST)
    qtbot.addWidget(tile)
    widths = []
    for text in (UNKNOWN, "8", WIDEST):
        tile.show_value(text)
        widths.append(tile.sizeHint().width())
    assert len(set(widths)) == 1
    assert tile.text == WIDEST


def test_tile_has_accessible_caption_and_tool_tip(qtbot: QtBot) -> None:
    tile = Tile("errors", "888")
    qtbot.addWidget(tile)
    tile.show_value("3", tool_tip="timeout: 3")
    value = next(label for label in tile.findChildren(QLabel) if label.text() == "3")
    assert value.accessibleName() == "errors: 3"
    assert tile.toolTip() == "timeout: 3"


def test_a_tile_grows_with_the_font(qtbot: QtBot) -> None:
    tile = Tile("OPM now", WIDEST)
    qtbot.addWidget(tile)
    before = tile.sizeHint()
    font = QFont(tile.font())
    font.setPointSizeF(2 * font.pointSizeF())
    tile.setFont(font)
    assert tile.sizeHint().width() > 1.5 * before.width()


def test_opm_window_is_selected_by_key_and_emitted(qtbot: QtBot) -> None:
    tile = WindowTile(WIDEST)
    qtbot.addWidget(tile)
    tile.show()
    choice = tile.findChild(QComboBox)
    assert choice is not None
    assert tile.seconds == WINDOWS_SECONDS[0]
    with qtbot.waitSignal(tile.window_changed) as changed:
        qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert changed.args == [WINDOWS_SECONDS[1]]


def test_window_has_room_for_the_metric_of_another_run(qtbot: QtBot) -> None:
    tile = WindowTile(WIDEST)
    qtbot.addWidget(tile)
    tile.set_metric("OPM")
    tile.show()
    before = tile.sizeHint().width()
    tile.set_metric("transactions of all types/s")
    assert tile.sizeHint().width() > 1.5 * before


def test_saved_opm_window_is_restored_silently(qtbot: QtBot) -> None:
    tile = WindowTile(WIDEST)
    qtbot.addWidget(tile)
    with qtbot.assertNotEmitted(tile.window_changed):
        tile.set_seconds(60)
        assert tile.seconds == 60
        tile.set_seconds(17)
    assert tile.seconds == 60


def test_users_are_shown_by_state(qtbot: QtBot) -> None:
    tile = UsersTile()
    qtbot.addWidget(tile)
    width = tile.sizeHint().width()
    assert tile.text("working") == UNKNOWN
    tile.show_users({"working": 12_345, "thinking": 2, "reconnecting": 0, "down": 0})
    assert [tile.text(state) for state in ("working", "thinking", "reconnecting")] == ["12\u202f345", "2", "0"]
    assert tile.sizeHint().width() == width
    tile.show_states("Users", USER_STATES, is_open_loop=True)
    assert {"idle", "thinking"} & {label.text() for label in tile.findChildren(QLabel)} == {"idle"}


def test_users_tile_keeps_width_for_the_largest_number(qtbot: QtBot) -> None:
    tile = UsersTile()
    qtbot.addWidget(tile)
    wide = tile.sizeHint().width()
    tile.set_most(16)
    tile.show_users({"working": 0, "thinking": 0, "reconnecting": 0, "down": 0})
    tile.layout().activate()
    narrow = tile.sizeHint().width()
    tile.show_users({"working": 16, "thinking": 0, "reconnecting": 16, "down": 0})
    tile.layout().activate()
    assert narrow == tile.sizeHint().width() < wide


def a_load(**values: Any) -> WorkstationLoad:
    usual = {"machine_pct": 12.4, "clients_pct": 9.0, "busiest_process_pct": 3.0, "is_bottleneck": False}
    return WorkstationLoad(second=0, **(usual | values))


def driver_tile(qtbot: QtBot, look: Look | None = None) -> DriverTile:
    tile = DriverTile(look or Look())
    qtbot.addWidget(tile)
    return tile


def test_driver_cpu_is_separate_from_workstation_cpu(qtbot: QtBot) -> None:
    tile = driver_tile(qtbot)
    assert tile.text == f"driver CPU {UNKNOWN}, workstation CPU {UNKNOWN}"
    width = tile.sizeHint().width()
    tile.show_load(a_load())
    assert tile.text == "driver CPU 9\u202f%, workstation CPU 12\u202f%"
    assert {tile.driver.sign.shape, tile.workstation.sign.shape} == {Shape.DISC}
    assert tile.driver.number.accessibleName() == "driver CPU: 9\u202f%"
    assert tile.sizeHint().width() == width
    assert tile.toolTip().startswith("Driver CPU is what the client processes of this run use")
    assert "Busiest client process: 3\u202f% of the processor time that it can use." in tile.toolTip()


def test_limiting_driver_has_word_shape_and_colour(qtbot: QtBot) -> None:
    look = Look()
    tile = driver_tile(qtbot, look)
    width = tile.sizeHint().width()
    remark = "the workstation is the bottleneck: the clients use 90 % of its processors"
    tile.show_load(a_load(machine_pct=94.0, clients_pct=90.0, is_bottleneck=True, remarks=(remark,)))
    assert tile.text == "driver limits 90\u202f%, workstation CPU 94\u202f%"
    assert (tile.driver.sign.shape, tile.workstation.sign.shape) == (Shape.TRIANGLE, Shape.DISC)
    assert tile.toolTip().startswith("The workstation is the bottleneck: the clients use 90 %")
    assert tile.driver.word.palette().windowText().color() == QColor(look.colours.warning)
    look.set_dark(True)
    assert tile.driver.word.palette().windowText().color() == QColor(DARK.warning)
    assert tile.sizeHint().width() == width
    tile.show_load(a_load())
    assert tile.driver.word.palette().windowText().color() != QColor(DARK.warning)


def test_busy_workstation_is_not_shown_as_a_busy_driver(qtbot: QtBot) -> None:
    tile = driver_tile(qtbot)
    tile.show_load(a_load(machine_pct=100.0, clients_pct=13.0))
    assert tile.text == "driver CPU 13\u202f%, workstation full 100\u202f%"
    assert (tile.driver.sign.shape, tile.workstation.sign.shape) == (Shape.DISC, Shape.TRIANGLE)


def test_the_load_machine_that_limits_the_run_is_named(qtbot: QtBot) -> None:
    tile = driver_tile(qtbot)
    width = tile.sizeHint().width()
    limited = a_load(machine_pct=96.0, clients_pct=91.0, is_bottleneck=True)
    tile.show_load(a_load(), {"lg1": a_load(machine_pct=20.0), "loadgenerator2": limited})
    assert tile.text == "driver limits 91\u202f%, loadgenera… full 96\u202f%"
    assert tile.toolTip().startswith("Load machine loadgenerator2 is shown, which limits the run most.")
    assert "lg1: driver 9\u202f%, all programs 20\u202f%." in tile.toolTip()
    assert tile.sizeHint().width() == width


def test_distorting_workstation_has_a_reason(qtbot: QtBot) -> None:
    tile = driver_tile(qtbot)
    width = tile.sizeHint().width()
    remarks = ("the workstation distorts the run: a heartbeat comes 84 ms late",)
    tile.show_load(a_load(machine_pct=40.0, heartbeat_ms={1: 0.4, 2: 84.0}, remarks=remarks))
    assert tile.text == "driver CPU 9\u202f%, workstation disturbs 40\u202f%"
    assert tile.workstation.sign.shape is Shape.TRIANGLE
    assert tile.toolTip().startswith("The workstation distorts the run: a heartbeat comes 84 ms late.")
    assert "Latest heartbeat of a client process: 84.0\u202fms late (p99)." in tile.toolTip()
    assert tile.sizeHint().width() == width


def test_limits_are_counted_as_met_and_missed(qtbot: QtBot) -> None:
    tile = LimitsTile(Look())
    qtbot.addWidget(tile)
    tile.show_limits([LimitRow(transaction="", name="Payment", p90_ms=None, limit_ms=5_000)])
    assert tile.text == UNKNOWN
    met = LimitRow(transaction="", name="Payment", p90_ms=5_000, limit_ms=5_000)
    tile.show_limits([met])
    assert tile.text == "1 met"
    tile.show_limits([met, LimitRow(transaction="", name="Delivery", p90_ms=5_010, limit_ms=5_000)])
    assert tile.text == "1 of 2 missed"
    assert "Delivery: p90 5\u202f010\u202fms, limit 5\u202f000\u202fms: missed" in tile.toolTip()
