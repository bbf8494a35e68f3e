"""The panel that is shown before a run, with its buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.live.waiting_panel import NoRunPanel, PreparingPanel
from widgets.parts.look import Look


def test_run_or_demonstration_can_be_started(qtbot: QtBot) -> None:
    panel = NoRunPanel(Look())
    qtbot.addWidget(panel)
    panel.show()
    with qtbot.waitSignal(panel.new_run_requested):
        qtbot.keyClick(panel.new_run, Qt.Key.Key_Space)
    with qtbot.waitSignal(panel.demo_requested):
        qtbot.mouseClick(panel.demo, Qt.MouseButton.LeftButton)
    assert nameless_controls(panel) == []


def test_preparation_shows_step_and_progress(qtbot: QtBot) -> None:
    panel = PreparingPanel()
    qtbot.addWidget(panel)
    panel.show()
    bar = panel.findChild(QProgressBar)
    assert bar is not None
    panel.show_doing("Building the store ds2_1", 0.6)
    assert panel.doing == "Building the store ds2_1"
    assert bar.value() / bar.maximum() == 0.6
    panel.show_doing("Connecting", None)
    assert (bar.minimum(), bar.maximum()) == (0, 0)
    assert nameless_controls(panel) == []


def test_a_preparation_is_cancelled_once(qtbot: QtBot) -> None:
    panel = PreparingPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_doing("Building", 0.1)
    with qtbot.waitSignal(panel.cancel_requested):
        qtbot.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(panel.cancel_requested):
        panel.show_doing("Building", 0.2)
        qtbot.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    panel.begin()
    assert panel.cancel.isEnabled()
