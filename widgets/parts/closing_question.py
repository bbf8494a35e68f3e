"""The question that closing the window asks while a run goes on: the one box of the program that needs an answer."""

from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QPushButton, QWidget


class ClosingAnswer(StrEnum):
    """What to do with the run, and with the window."""

    KEEP_RUNNING = "Keep running"
    STOP_AND_SAVE = "Stop and save"
    CANCEL = "Cancel"


_ROLES = {
    ClosingAnswer.KEEP_RUNNING: QMessageBox.ButtonRole.AcceptRole,
    ClosingAnswer.STOP_AND_SAVE: QMessageBox.ButtonRole.DestructiveRole,
    ClosingAnswer.CANCEL: QMessageBox.ButtonRole.RejectRole,
}


class ClosingQuestion(QMessageBox):
    """Shown with ``open``; the run goes on behind it. Escape is Cancel."""

    answered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(QMessageBox.Icon.Question)
        self.setWindowTitle("A run is going on")
        self.setText("A run is going on.")
        self.setInformativeText(
            "Keep running leaves it alone: the window is minimised, and closes when the run is over."
            " Stop and save ends it in order, keeps all that was measured, and then closes."
        )
        self._buttons: dict[ClosingAnswer, QPushButton] = {}
        for answer, role in _ROLES.items():
            button = self.addButton(answer.value, role)
            self._buttons[answer] = button
        self.setDefaultButton(self._buttons[ClosingAnswer.CANCEL])
        self.setEscapeButton(self._buttons[ClosingAnswer.CANCEL])
        self.buttonClicked.connect(self._on_clicked)

    def answer_button(self, answer: ClosingAnswer) -> QPushButton:
        return self._buttons[answer]

    def _on_clicked(self, clicked: QAbstractButton) -> None:
        for answer, button in self._buttons.items():
            if button is clicked:
                self.answered.emit(answer)
