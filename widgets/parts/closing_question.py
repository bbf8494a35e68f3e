"""The questions before the window closes while something is in progress: the only modal boxes of the program."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QPushButton, QWidget

from engine.figure_text import capitalised


class ClosingAnswer(StrEnum):
    """What to do with what is in progress, and with the window."""

    KEEP_RUNNING = "Keep running"
    STOP_AND_SAVE = "Stop and save"
    CLOSE_WHEN_DONE = "Close when done"
    GIVE_UP = "Give up and close"
    CANCEL = "Cancel"


_OF_RUN = {
    ClosingAnswer.KEEP_RUNNING: QMessageBox.ButtonRole.AcceptRole,
    ClosingAnswer.STOP_AND_SAVE: QMessageBox.ButtonRole.DestructiveRole,
    ClosingAnswer.CANCEL: QMessageBox.ButtonRole.RejectRole,
}
_OF_WORK = {
    ClosingAnswer.CLOSE_WHEN_DONE: QMessageBox.ButtonRole.AcceptRole,
    ClosingAnswer.GIVE_UP: QMessageBox.ButtonRole.DestructiveRole,
    ClosingAnswer.CANCEL: QMessageBox.ButtonRole.RejectRole,
}


class ClosingQuestion(QMessageBox):
    """Shown with ``open``; work continues behind it. Escape is Cancel."""

    answered = Signal(object)

    def __init__(
        self, text: str, more: str, roles: Mapping[ClosingAnswer, QMessageBox.ButtonRole], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setIcon(QMessageBox.Icon.Question)
        self.setWindowTitle(text.removesuffix("."))
        self.setText(text)
        self.setInformativeText(more)
        self._buttons = {answer: self.addButton(answer.value, role) for answer, role in roles.items()}
        self.setDefaultButton(self._buttons[ClosingAnswer.CANCEL])
        self.setEscapeButton(self._buttons[ClosingAnswer.CANCEL])
        self.buttonClicked.connect(self._on_clicked)

    def answer_button(self, answer: ClosingAnswer) -> QPushButton:
        return self._buttons[answer]

    def _on_clicked(self, clicked: QAbstractButton) -> None:
        for answer, button in self._buttons.items():
            if button is clicked:
                self.answered.emit(answer)


def run_question(parent: QWidget | None = None) -> ClosingQuestion:
    """What to do with the running run."""
    more = (
        "Keep running minimises the window and closes it when the run is over. Stop and save ends the run, keeps all"
        " measurements and closes the window."
    )
    return ClosingQuestion("A run is in progress.", more, _OF_RUN, parent)


def work_question(names: Sequence[str], parent: QWidget | None = None) -> ClosingQuestion:
    """What to do with long work, given its ``names``, such as "exporting 3 runs"."""
    more = (
        f"{capitalised('; '.join(names))}. Close when done waits until it is finished. Give up and close cancels it"
        " and undoes what it had begun."
    )
    return ClosingQuestion("Work is in progress.", more, _OF_WORK, parent)
