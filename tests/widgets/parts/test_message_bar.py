from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QToolButton
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


def test_what_is_serious_comes_back_after_news_until_it_is_closed(qtbot: QtBot) -> None:
    bar = MessageBar(Look())
    qtbot.addWidget(bar)
    bar.show_message("The disk is full.", Tone.TROUBLE)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: None)
    assert bar.text == "1 run deleted."
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert (bar.text, bar.tone) == ("The disk is full.", Tone.TROUBLE)
    close(bar, qtbot)
    assert bar.text == ""
    bar.show_message("The run is kept.", Tone.GOOD)
    close(bar, qtbot)
    assert bar.text == ""


def test_an_action_that_says_something_has_the_last_word(qtbot: QtBot) -> None:
    bar = MessageBar(Look())
    qtbot.addWidget(bar)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: bar.show_message("It is back.", Tone.GOOD))
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert bar.text == "It is back."


def test_a_name_is_no_markup(qtbot: QtBot) -> None:
    bar = MessageBar(Look())
    qtbot.addWidget(bar)
    bar.show_message("Run <b>x</b> is kept.")
    plain, marked = (QLabel(text) for text in ("Run <b>x</b> is kept.", "Run x is kept."))
    for each in (plain, marked):
        qtbot.addWidget(each)
        each.setTextFormat(Qt.TextFormat.PlainText)
    shown = next(each for each in bar.findChildren(QLabel) if each.text() == plain.text())
    assert shown.minimumWidth() >= plain.sizeHint().width() > marked.sizeHint().width()
    assert shown.textFormat() is Qt.TextFormat.PlainText


def close(bar: MessageBar, qtbot: QtBot) -> None:
    button = next(each for each in bar.findChildren(QToolButton) if each.accessibleName() == "Close the message")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
