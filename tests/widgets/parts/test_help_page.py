"""A page of help beside the work."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.help_page import HelpPage


def test_it_shows_a_text_beside_the_work_until_escape(qtbot: QtBot) -> None:
    page = HelpPage("Recovery", "# Black-out\n\nTime *without* an order.")
    qtbot.addWidget(page)
    page.show()
    assert page.text.toPlainText() == "Black-out\nTime without an order."
    assert page.text.isReadOnly()
    assert not page.isModal()
    assert nameless_controls(page) == []
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()
