"""A button that tests whether targets can be driven, and a line with the result.

Called by the form of a further load.
"""

from collections.abc import Sequence
from itertools import count

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from engine.figure_text import capitalised
from engine.target.connection_result import ConnectionResult
from engine.target.target import Target
from widgets.parts.form.note import FormNote
from widgets.parts.icons import icon
from widgets.parts.look import Look

test_numbers = count()
"""Numbers the tests of all pages, so that each knows its results."""


class ConnectionTest(QWidget):
    """``wanted``: the button was clicked; the answer is ``ask``. ``asked`` carries the number of a test and what to
    test."""

    wanted = Signal()
    asked = Signal(int, Target)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = QPushButton(icon("test", look), "Test co&nnection", self)
        self.note = FormNote(look, self)
        self._waiting: set[int] = set()
        self._results: list[ConnectionResult] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        row.addWidget(self.note, 1)
        self.button.clicked.connect(self.wanted)

    def ask(self, stores: Sequence[Target]) -> None:
        """Test these stores; results of earlier tests are dropped."""
        self.forget()
        asked = {next(test_numbers): store for store in stores}
        self._waiting = set(asked)
        self.note.show_busy("Testing …")
        for number, store in asked.items():
            self.asked.emit(number, store)

    def show_result(self, number: int, result: ConnectionResult) -> None:
        """Show what was found once all of them have answered; a result of another page's test is ignored."""
        if number not in self._waiting:
            return
        self._waiting.remove(number)
        self._results.append(result)
        if self._waiting:
            return
        failed = [each for each in self._results if not each.ok]
        sentence = " ".join(capitalised(each.sentence) for each in failed or self._results)
        if failed:
            self.note.show_wrong(sentence)
        else:
            self.note.show_good(sentence)

    def forget(self) -> None:
        """Drop the result: what was tested has changed."""
        self._waiting.clear()
        self._results.clear()
        self.note.clear()
