"""The places of the table when there is nothing to list."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.library.empty_library import EmptyLibrary, NoMatch


def test_the_demonstration_is_a_button_and_the_import_a_link(qtbot: QtBot) -> None:
    page = EmptyLibrary()
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(page.demo_requested):
        qtbot.mouseClick(page.demo_button, Qt.MouseButton.LeftButton)
    page.import_link.setFocus()
    qtbot.keyClick(page.import_link, Qt.Key.Key_Tab)
    with qtbot.waitSignal(page.import_requested):
        qtbot.keyClick(page.import_link, Qt.Key.Key_Return)
    assert nameless_controls(page) == []


def test_filters_without_matches_can_be_cleared(qtbot: QtBot) -> None:
    page = NoMatch()
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.clear_requested):
        qtbot.mouseClick(page.clear_button, Qt.MouseButton.LeftButton)
