"""One line of text, asked for where the user is."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.form.line_question import LineQuestion


class Window(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.other, self.question = QLineEdit(), LineQuestion()
        layout = QVBoxLayout(self)
        layout.addWidget(self.other)
        layout.addWidget(self.question)


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    window = Window()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.other.setFocus()
    return window


def test_enter_emits_the_answer_and_restores_focus(window: Window, qtbot: QtBot) -> None:
    answers: list[str] = []
    window.question.ask("Note: what happened?", answers.append)
    assert QApplication.focusWidget() is window.question
    assert window.question.accessibleName() == "Note: what happened?"
    qtbot.keyClicks(window.question, " fan swapped ")
    qtbot.keyClick(window.question, Qt.Key.Key_Return)
    assert answers == ["fan swapped"]
    assert not window.question.isVisible()
    assert QApplication.focusWidget() is window.other


def test_empty_answer_is_emitted(window: Window, qtbot: QtBot) -> None:
    answers: list[str] = []
    window.question.ask("Note: what happened?", answers.append)
    qtbot.keyClick(window.question, Qt.Key.Key_Return)
    assert answers == [""]


def test_escape_closes_the_question(window: Window, qtbot: QtBot) -> None:
    answers: list[str] = []
    window.question.ask("Note: what happened?", answers.append)
    qtbot.keyClicks(window.question, "fan")
    qtbot.keyClick(window.question, Qt.Key.Key_Escape)
    assert answers == []
    assert not window.question.isVisible()
    assert QApplication.focusWidget() is window.other


def test_second_question_emits_the_pending_answer_of_the_first(window: Window, qtbot: QtBot) -> None:
    first: list[str] = []
    second: list[str] = []
    window.question.ask("First?", first.append)
    qtbot.keyClicks(window.question, "fan")
    window.question.ask("Second?", second.append)
    assert (first, window.question.text()) == (["fan"], "")
    qtbot.keyClicks(window.question, "disk")
    qtbot.keyClick(window.question, Qt.Key.Key_Return)
    assert (first, second) == (["fan"], ["disk"])
    assert QApplication.focusWidget() is window.other
