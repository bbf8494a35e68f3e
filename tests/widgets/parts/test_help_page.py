"""A page of help beside the work."""

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.help_page import HelpPage


def test_help_is_shown_beside_the_page_until_escape(qtbot: QtBot) -> None:
    page = HelpPage("Recovery", "# Black-out\n\nTime *without* an order.")
    qtbot.addWidget(page)
    page.show()
    assert page.text.toPlainText() == "Black-out\nTime without an order."
    assert page.text.isReadOnly()
    assert not page.isModal()
    assert nameless_controls(page) == []
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()


def test_help_scrolls_to_a_heading(qtbot: QtBot) -> None:
    filler = "\n\n".join(["Verdicts"] * 60)
    page = HelpPage("Audit", f"# Audit\n\n{filler}\n\n## Verdicts\n\nWhat they mean.\n\n{filler}")
    qtbot.addWidget(page)
    page.show()
    page.show_heading("Verdicts")
    shown = page.text.cursorForPosition(QPoint(page.text.viewport().width() // 2, 20)).block()
    assert (shown.text(), shown.blockFormat().headingLevel()) == ("Verdicts", 2)
    before = page.text.verticalScrollBar().value()
    page.show_heading("No such heading")
    assert page.text.verticalScrollBar().value() == before
