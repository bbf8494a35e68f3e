import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.live.countdown import Countdown
from widgets.parts.look import Look


@pytest.fixture
def countdown(qtbot: QtBot) -> Countdown:
    made = Countdown(Look())
    qtbot.addWidget(made)
    made.show()
    made.begin("Pull at zero: Enclosure pulled", 10)
    return made


def test_countdown_shows_remaining_time_without_resizing(countdown: Countdown) -> None:
    assert (countdown.number.text(), countdown.what) == ("10", "Pull at zero: Enclosure pulled")
    width = countdown.number.width()
    countdown.show_left(9)
    assert (countdown.number.text(), countdown.number.width()) == ("9", width)
    assert countdown.accessibleName() == "Pull at zero: Enclosure pulled in 9 s"
    assert nameless_controls(countdown) == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Space])
def test_key_aborts_the_countdown(qtbot: QtBot, countdown: Countdown, key: Qt.Key) -> None:
    assert countdown.abort.hasFocus()
    with qtbot.waitSignal(countdown.abort_requested):
        qtbot.keyClick(countdown.abort, key)
