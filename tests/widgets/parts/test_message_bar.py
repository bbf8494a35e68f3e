from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.parts.message_bar import MessageBar, Tone


def test_it_says_one_thing_at_a_time_and_nothing_at_first(qtbot: QtBot) -> None:
    bar = MessageBar(Look())
    qtbot.addWidget(bar)
    assert bar.text == ""
    bar.show_message("The run is kept.", Tone.GOOD)
    bar.show_message("Host db1 refused the connection.", Tone.TROUBLE)
    assert (bar.text, bar.tone) == ("Host db1 refused the connection.", Tone.TROUBLE)
    assert bar.action_button.isHidden()


def test_its_action_is_done_once_and_closes_it(qtbot: QtBot) -> None:
    done: list[str] = []
    bar = MessageBar(Look())
    qtbot.addWidget(bar)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: done.append("undone"))
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert done == ["undone"]
    assert bar.text == ""


def test_it_follows_the_look(qtbot: QtBot) -> None:
    look = Look()
    bar = MessageBar(look)
    qtbot.addWidget(bar)
    bar.show_message("The library was set aside.", Tone.WARNING)
    light = bar.palette().window().color()
    look.set_dark(True)
    assert bar.palette().window().color() != light
