"""Where a message stands: news lie on the page, what is serious pushes it down."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.parts.message_bar import MessageBar, Tone
from widgets.parts.message_frame import MessageFrame


class Framed:
    """A shown frame of 900×600 around an empty page."""

    def __init__(self, qtbot: QtBot) -> None:
        self.page, self.bar = QWidget(), MessageBar(Look())
        self.frame = MessageFrame(self.page, self.bar)
        qtbot.addWidget(self.frame)
        self.frame.resize(900, 600)
        with qtbot.waitExposed(self.frame):
            self.frame.show()

    def say(self, text: str, tone: Tone) -> None:
        self.bar.show_message(text, tone)
        layout = self.frame.layout()
        assert layout is not None
        layout.activate()


@pytest.fixture
def framed(qtbot: QtBot) -> Framed:
    return Framed(qtbot)


@pytest.mark.parametrize("tone", [Tone.NEWS, Tone.GOOD])
def test_news_move_nothing_and_leave_the_buttons_below_free(framed: Framed, tone: Tone) -> None:
    before = framed.page.geometry()
    framed.say("The run is kept.", tone)
    assert framed.page.geometry() == before == framed.frame.rect()
    assert framed.bar.isVisible()
    assert framed.frame.rect().contains(framed.bar.geometry())
    assert framed.bar.geometry().center().x() > framed.page.width() / 2
    assert framed.bar.geometry().bottom() < framed.page.height() - 40


@pytest.mark.parametrize("tone", [Tone.WARNING, Tone.TROUBLE])
def test_what_is_serious_covers_nothing(framed: Framed, tone: Tone) -> None:
    framed.say("Host db1 refused the connection.", tone)
    assert framed.bar.geometry().bottom() < framed.page.geometry().top()
    assert framed.bar.width() == framed.frame.width()
    assert framed.page.geometry().bottom() == framed.frame.rect().bottom()


def test_it_goes_from_one_place_to_the_other(framed: Framed) -> None:
    framed.say("Host db1 refused the connection.", Tone.TROUBLE)
    framed.say("The run is kept.", Tone.GOOD)
    assert framed.page.geometry() == framed.frame.rect()
    framed.say("Host db1 refused the connection.", Tone.TROUBLE)
    assert framed.page.geometry().top() > 0


def test_a_long_message_is_broken_into_lines_within_the_page(framed: Framed, qtbot: QtBot) -> None:
    framed.say("The run is kept.", Tone.NEWS)
    one_line = framed.bar.height()
    framed.frame.resize(700, 600)
    framed.say("What was measured is kept in the library. " * 6, Tone.NEWS)
    line = framed.bar.fontMetrics().height()
    qtbot.waitUntil(lambda: framed.bar.height() >= one_line + line)
    assert framed.bar.width() < framed.frame.width()
    assert framed.frame.rect().contains(framed.bar.geometry())
