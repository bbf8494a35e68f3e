"""The foot of the window: its height never changes, whatever it shows."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity
from widgets.parts.shapes import Shape
from widgets.parts.status_area import StatusArea


class Framed(QWidget):
    """A page of 900×600 with the area at its foot."""

    def __init__(self) -> None:
        super().__init__()
        self.page, self.area = QWidget(), StatusArea(Look())
        layout = QVBoxLayout(self)
        layout.addWidget(self.page, 1)
        layout.addWidget(self.area)


@pytest.fixture
def framed(qtbot: QtBot) -> Framed:
    framed = Framed()
    qtbot.addWidget(framed)
    framed.resize(900, 600)
    with qtbot.waitActive(framed):
        framed.show()
        framed.activateWindow()
    return framed


@pytest.mark.parametrize("severity", list(Severity))
def test_messages_do_not_move_or_cover_the_page(framed: Framed, qtbot: QtBot, severity: Severity) -> None:
    before, area = framed.page.geometry(), framed.area.geometry()
    framed.area.bar.show_message("What was measured is kept in the library. " * 6, severity, action="Undo")
    framed.area.show_run(Shape.DISC, "accent", "Measuring 12:41 of 30:00 · R630 SSD #2")
    framed.area.question.ask("Note: what happened?", lambda _text: None)
    framed.area.work_strip.make_line("exporting 3 runs").appear()
    qtbot.waitUntil(framed.area.work_strip.isVisible)
    framed.layout().activate()
    assert (framed.page.geometry(), framed.area.geometry()) == (before, area)
    assert framed.area.bar.height() <= framed.area.height()
    assert nameless_controls(framed) == []


def test_message_stays_visible_beside_long_work(framed: Framed) -> None:
    framed.area.work_strip.make_line("exporting " + "a-very-long-name" * 20).appear()
    framed.area.bar.show_message("The disk is full.", Severity.ERROR)
    framed.layout().activate()
    assert framed.area.bar.width() > 300
    assert framed.area.rect().contains(framed.area.work_strip.geometry())


def test_run_status_links_to_its_page(framed: Framed, qtbot: QtBot) -> None:
    assert framed.area.run_text == ""
    framed.area.show_run(Shape.DISC, "accent", "Measuring 12:41 of 30:00")
    run = next(each for each in framed.area.findChildren(QToolButton) if each.text() == "Measuring 12:41 of 30:00")
    with qtbot.waitSignal(framed.area.run_clicked):
        qtbot.mouseClick(run, Qt.MouseButton.LeftButton)
    framed.area.show_run(Shape.RING, "muted", "")
    assert not run.isVisible()
