from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from widgets.parts.elided_label import ElidedLabel
from widgets.parts.look import Look
from widgets.parts.message_bar import MessageBar, Severity


def a_bar(qtbot: QtBot, look: Look | None = None, width: int = 900) -> MessageBar:
    bar = MessageBar(look or Look())
    qtbot.addWidget(bar)
    bar.resize(width, 28)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def button(bar: MessageBar, name: str) -> QToolButton:
    return next(each for each in bar.findChildren(QToolButton) if each.accessibleName() == name)


def close(bar: MessageBar, qtbot: QtBot) -> None:
    qtbot.mouseClick(button(bar, "Close the message"), Qt.MouseButton.LeftButton)


def test_bar_is_empty_at_first_and_shows_one_message(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    assert bar.text == ""
    assert not button(bar, "Close the message").isVisible()
    bar.show_message("The run is kept.", Severity.SUCCESS)
    bar.show_message("Host db1 refused the connection.", Severity.ERROR)
    assert (bar.text, bar.severity) == ("Host db1 refused the connection.", Severity.ERROR)
    assert bar.action_button.isHidden()


def test_action_runs_once_and_closes_the_message(qtbot: QtBot) -> None:
    done: list[str] = []
    bar = a_bar(qtbot)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: done.append("undone"))
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert done == ["undone"]
    assert bar.text == ""


def test_heat_map_follows_the_look(qtbot: QtBot) -> None:
    look = Look()
    bar = a_bar(qtbot, look)
    bar.show_message("The library was set aside.", Severity.WARNING)
    light = bar.palette().window().color()
    look.set_dark(True)
    assert bar.palette().window().color() != light


def test_serious_message_returns_until_closed(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.show_message("The disk is full.", Severity.ERROR)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: None)
    assert bar.text == "1 run deleted."
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert (bar.text, bar.severity) == ("The disk is full.", Severity.ERROR)
    close(bar, qtbot)
    assert bar.text == ""
    bar.show_message("The run is kept.", Severity.SUCCESS)
    close(bar, qtbot)
    assert bar.text == ""


def test_several_serious_messages_are_counted_and_closed_one_by_one(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    for text in ("The disk is full.", "Host db1 refused the connection.", "The disk is full."):
        bar.show_message(text, Severity.ERROR)
    counts = [label.text() for label in bar.findChildren(QLabel) if label.isVisible()]
    assert (bar.text, "1 of 2" in counts) == ("The disk is full.", True)
    close(bar, qtbot)
    assert bar.text == "Host db1 refused the connection."
    close(bar, qtbot)
    assert bar.text == ""


def test_click_closes_only_messages_that_are_not_serious(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.show_message("The run is kept.", Severity.SUCCESS)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert bar.text == ""
    bar.show_message("The disk is full.", Severity.ERROR)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert bar.text == "The disk is full."


def test_messages_expire_later_if_they_have_an_action(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    timer = bar.findChild(QTimer)
    assert timer is not None
    bar.show_message("The run is kept.", Severity.SUCCESS)
    shown_ms = timer.interval()
    bar.show_message("1 run deleted.", action="Undo", act=lambda: None)
    assert shown_ms < timer.interval()
    QApplication.sendEvent(bar, QEvent(QEvent.Type.Leave))  # the pointer, wherever it is, would keep the message
    timer.timeout.emit()
    assert bar.text == ""


def test_message_replaces_the_previous_one_of_its_topic(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.show_message("The disk is full.", Severity.ERROR)
    bar.show_message("nightly.toml is no plan file.", Severity.ERROR, topic="plan file")
    bar.show_message("Opened weekly.toml.", Severity.SUCCESS, topic="plan file")
    close(bar, qtbot)
    assert bar.text == "The disk is full."
    bar.show_message("nightly.toml is no plan file.", Severity.ERROR, topic="plan file")
    bar.drop("plan file")
    assert bar.text == "The disk is full."


def test_message_of_an_action_replaces_the_bar(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.show_message("1 run deleted.", action="Undo", act=lambda: bar.show_message("It is back.", Severity.SUCCESS))
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert bar.text == "It is back."


def test_markup_in_names_is_not_interpreted(qtbot: QtBot) -> None:
    bar = a_bar(qtbot)
    bar.show_message("Run <b>x</b> is kept.")
    assert bar.findChildren(ElidedLabel)[0].textFormat() is Qt.TextFormat.PlainText


def test_elided_message_has_a_tool_tip(qtbot: QtBot) -> None:
    bar = a_bar(qtbot, width=400)
    bar.show_message("The run is kept.", Severity.ERROR)
    more = button(bar, "Show the whole message")
    assert not more.isVisible()
    text = "The library could not be written; the run is kept only as far as it says. " * 3
    bar.show_message(text, Severity.ERROR)
    assert more.isVisible()
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QFrame)
    assert [label.text() for label in popup.findChildren(QLabel)] == [text]
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    bar.resize(3_000, 28)
    qtbot.waitUntil(lambda: not more.isVisible())
