"""The figures of the head line: fixed widths, words beside colours."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.figures import WINDOWS_SECONDS
from engine.figure_text import UNKNOWN
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
    tile.show_load(12.4, 9.0, 3.0, is_bottleneck=False)
    assert (tile.text, sign.shape) == ("driver CPU 12\u202f%", Shape.DISC)
    width = tile.sizeHint().width()
    tile.show_load(97.0, 90.0, 99.0, is_bottleneck=True)
    assert (tile.text, sign.shape) == ("bottleneck: driver CPU 97\u202f%", Shape.TRIANGLE)
    assert "limits this run" in tile.toolTip()
    assert "busiest client: 99 %" in tile.toolTip()
    assert tile.sizeHint().width() == width
