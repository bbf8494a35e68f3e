"""The figures of the head line: fixed widths, words beside colours."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.figures import WINDOWS_SECONDS
from engine.figure_text import UNKNOWN
from engine.sample import WorkstationLoad
from widgets.live.tiles import DriverTile, Tile, UsersTile, WindowTile
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign

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


def test_a_tile_is_read_with_its_caption_and_explained(qtbot: QtBot) -> None:
    tile = Tile("errors", "888")
    qtbot.addWidget(tile)
    tile.show_value("3", explained="timeout: 3")
    value = next(label for label in tile.findChildren(QLabel) if label.text() == "3")
    assert value.accessibleName() == "errors: 3"
    assert value.toolTip() == "timeout: 3"


def test_a_tile_grows_with_the_font(qtbot: QtBot) -> None:
    tile = Tile("OPM now", WIDEST)
    qtbot.addWidget(tile)
    before = tile.sizeHint()
    font = QFont(tile.font())
    font.setPointSizeF(2 * font.pointSizeF())
    tile.setFont(font)
    assert tile.sizeHint().width() > 1.5 * before.width()


def test_the_window_is_chosen_by_key_and_told(qtbot: QtBot) -> None:
    tile = WindowTile(WIDEST)
    qtbot.addWidget(tile)
    tile.show()
    choice = tile.findChild(QComboBox)
    assert choice is not None
    assert tile.seconds == WINDOWS_SECONDS[0]
    with qtbot.waitSignal(tile.window_changed) as changed:
        qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert changed.args == [WINDOWS_SECONDS[1]]


def test_a_remembered_window_is_put_back_without_telling(qtbot: QtBot) -> None:
    tile = WindowTile(WIDEST)
    qtbot.addWidget(tile)
    with qtbot.assertNotEmitted(tile.window_changed):
        tile.set_seconds(60)
        assert tile.seconds == 60
        tile.set_seconds(17)
    assert tile.seconds == 60


def test_users_by_state_and_unknown_ones(qtbot: QtBot) -> None:
    tile = UsersTile()
    qtbot.addWidget(tile)
    width = tile.sizeHint().width()
    assert tile.text("working") == UNKNOWN
    tile.show_users({"working": 12_345, "thinking": 2, "reconnecting": 0, "down": 0})
    assert [tile.text(state) for state in ("working", "thinking", "reconnecting")] == ["12\u202f345", "2", "0"]
    assert tile.sizeHint().width() == width


def test_the_driver_is_calm_until_it_is_what_limits(qtbot: QtBot) -> None:
    tile = DriverTile(Look())
    qtbot.addWidget(tile)
    sign = tile.findChild(ShapeSign)
    assert sign is not None
    assert tile.text == f"driver CPU {UNKNOWN}"
    calm = WorkstationLoad(machine_pct=12.4, clients_pct=9.0, busiest_process_pct=3.0, is_bottleneck=False)
    tile.show_load(calm)
    assert (tile.text, sign.shape) == ("driver CPU 12\u202f%", Shape.DISC)
    width = tile.sizeHint().width()
    remark = "the workstation is the bottleneck: the clients use 90 % of its processors"
    busy = WorkstationLoad(
        machine_pct=97.0, clients_pct=90.0, busiest_process_pct=99.0, is_bottleneck=True, remarks=(remark,)
    )
    tile.show_load(busy)
    assert (tile.text, sign.shape) == ("bottleneck: driver CPU 97\u202f%", Shape.TRIANGLE)
    assert tile.toolTip().startswith("The workstation is the bottleneck: the clients use 90 %")
    assert "busiest client process: 99 % of the processor time that it can use" in tile.toolTip()
    assert tile.sizeHint().width() == width


def test_a_driver_that_distorts_says_how(qtbot: QtBot) -> None:
    tile = DriverTile(Look())
    qtbot.addWidget(tile)
    width = tile.sizeHint().width()
    load = WorkstationLoad(
        machine_pct=40.0,
        clients_pct=12.0,
        busiest_process_pct=20.0,
        is_bottleneck=False,
        heartbeat_ms={1: 0.4, 2: 84.0},
        remarks=("the workstation distorts the run: a heartbeat comes 84 ms late",),
    )
    tile.show_load(load)
    sign = tile.findChild(ShapeSign)
    assert sign is not None
    assert (tile.text, sign.shape) == ("limiting: driver CPU 40\u202f%", Shape.TRIANGLE)
    assert tile.toolTip().startswith("The workstation distorts the run: a heartbeat comes 84 ms late.")
    assert "latest heartbeat of a client process: 84.0 ms late (p99)" in tile.toolTip()
    assert tile.sizeHint().width() == width
