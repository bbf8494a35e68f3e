"""A field that asks for one line of text in place, such as the label of a mark; hidden until it asks."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

_LONGEST = 200


class LineQuestion(QLineEdit):
    """Enter answers, with an empty text too; Escape cancels. The focus then returns to where it was."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._came_from: QWidget | None = None
        self._answer: Callable[[str], None] | None = None
        self.setAccessibleName("Question")
        self.setMaxLength(_LONGEST)
        self.returnPressed.connect(self._on_return)
        self.hide()

    def ask(self, question: str, answer: Callable[[str], None]) -> None:
        """Ask; an open question is answered first, with what has been typed."""
        if self._answer is not None:
            self._give_answer()
        else:
            self._came_from = self.window().focusWidget()
        self._answer = answer
        self.clear()
        self.setPlaceholderText(f"{question} Enter takes it, Esc drops it.")
        self.setAccessibleName(question)
        self.show()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def _on_return(self) -> None:
        self._give_answer()
        self._close()

    def _give_answer(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            answer(self.text().strip())

    def _close(self) -> None:
        self._answer = None
        had_focus = self.hasFocus()
        self.hide()
        if had_focus and self._came_from is not None:
            self._came_from.setFocus()
        self._came_from = None
