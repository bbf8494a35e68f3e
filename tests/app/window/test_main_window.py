from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.window.main_window import MainWindow
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look


def a_window(qtbot: QtBot, *places: str) -> MainWindow:
    window = MainWindow(Look())
    qtbot.addWidget(window)
    for name in places:
        window.add_place(name, "live", QLabel(name))
    return window


def test_window_position_is_restored(qtbot: QtBot) -> None:
    first = a_window(qtbot, "One")
    first.resize(640, 480)
    second = a_window(qtbot, "One")
    second.restore_geometry(first.geometry_text())
    assert (second.width(), second.height()) == (640, 480)


def test_invalid_geometry_is_ignored(qtbot: QtBot) -> None:
    window = a_window(qtbot, "One")
    before = window.size()
    window.restore_geometry("bm9uc2Vuc2U=")
    window.restore_geometry("")
    assert window.size() == before


def test_showing_a_page_emits_place_shown(qtbot: QtBot) -> None:
    window = a_window(qtbot, "One", "Two")
    with qtbot.waitActive(window):
        window.show()
    with qtbot.waitSignal(window.place_shown) as shown:
        qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert shown.args == [1]
    assert window.place == 1


def test_it_stays_open_when_it_may_not_close(qtbot: QtBot) -> None:
    window = a_window(qtbot)
    window.show()
    window.may_close = lambda: False
    assert not window.close()
    assert window.isVisible()
    window.may_close = lambda: True
    assert window.close()


def test_every_control_has_a_name(qtbot: QtBot) -> None:
    assert nameless_controls(a_window(qtbot, "One", "Two")) == []
