from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from widgets.parts.work_strip import WorkStrip


def test_line_shows_step_and_progress(qtbot: QtBot) -> None:
    strip = WorkStrip()
    qtbot.addWidget(strip)
    line = strip.make_line("exporting 3 runs")
    assert (line.text, line.share, line.isHidden()) == ("Exporting 3 runs", None, True)
    line.show_progress("writing the samples 2 of 3", 0.5)
    assert (line.text, line.share) == ("Exporting 3 runs: writing the samples 2 of 3", 0.5)


def test_cancel_is_emitted_once_and_then_no_progress_is_shown(qtbot: QtBot) -> None:
    strip = WorkStrip()
    qtbot.addWidget(strip)
    line = strip.make_line("exporting 3 runs")
    requested: list[bool] = []
    line.cancel_requested.connect(lambda: requested.append(True))
    for _ in range(2):
        qtbot.mouseClick(line.cancel_button, Qt.MouseButton.LeftButton)
    line.show_progress("writing the samples", 0.7)
    assert requested == [True]
    assert line.text == "Exporting 3 runs: cancelling"


def test_empty_strip_takes_no_space_and_long_names_are_elided(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    strip = WorkStrip(window)
    window.show()
    assert not strip.isVisible()
    line = strip.make_line("importing " + "a-very-long-name" * 40)
    line.appear()
    assert strip.isVisible()
    assert strip.sizeHint().width() < 600
    strip.remove_line(line)
    assert not strip.isVisible()


def test_strip_is_hidden_if_the_page_shows_the_same(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    page, strip = QLabel("building", window), WorkStrip(window)
    window.show()
    line = strip.make_line("building a store")
    line.hide_beside(page)
    line.appear()
    assert not line.isVisible()
    page.hide()
    assert line.isVisible()
    page.show()
    assert not line.isVisible()


def test_a_line_whose_page_is_gone_is_shown(qtbot: QtBot) -> None:
    strip, dialog = WorkStrip(), QDialog()
    qtbot.addWidget(strip)
    line = strip.make_line("measurement")
    line.hide_beside(dialog)
    delete(dialog)
    line.appear()
    assert not line.isHidden()
