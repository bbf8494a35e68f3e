"""The line that tells how a run ended."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.record import RunState
from widgets.live.ended_line import EndedLine
from widgets.parts.look import Look


@pytest.mark.parametrize("state", list(RunState))
def test_it_speaks_of_a_run_that_is_over(qtbot: QtBot, state: RunState) -> None:
    line = EndedLine(Look())
    qtbot.addWidget(line)
    line.show_state(state)
    assert line.isVisible() is state.is_final
    assert (state.value in line.text) is state.is_final


def test_it_leads_to_the_library_and_to_a_new_run(qtbot: QtBot) -> None:
    line = EndedLine(Look())
    qtbot.addWidget(line)
    line.show_state(RunState.COMPLETED)
    with qtbot.waitSignal(line.open_wished):
        qtbot.mouseClick(line.open, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(line.new_run_wished):
        qtbot.keyClick(line.new_run, Qt.Key.Key_Space)
