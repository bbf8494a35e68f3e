"""The question before stores are replaced: which, on which servers, how large, and whether they are deleted first."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from engine.figure_text import counted

_MOST_SENTENCES = 6


class ReplaceQuestion(QMessageBox):
    """Shown with ``open``; ``answered`` tells whether to go on. Escape is Cancel.

    ``sentences`` say of each store what is there and what becomes of it; ``deletes`` is true when one has to be deleted
    before the new one is built.
    """

    answered = Signal(bool)

    def __init__(self, sentences: Sequence[str], *, deletes: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        stores = "the store" if len(sentences) == 1 else counted(len(sentences), "store")
        text = f"Delete {stores} first?" if deletes else f"Replace {stores}?"
        shown = list(sentences[:_MOST_SENTENCES])
        if len(sentences) > _MOST_SENTENCES:
            shown.append(f"And {counted(len(sentences) - _MOST_SENTENCES, 'more store')}.")
        if deletes:
            shown.append("If the build is cancelled or fails after that, no store is left.")
        shown.append("The orders that runs have added are lost.")
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle(text)
        self.setText(text)
        self.setInformativeText("\n\n".join(shown))
        role = QMessageBox.ButtonRole.DestructiveRole
        self.go_on = self.addButton("Delete and build" if deletes else "Replace", role)
        self.keep = self.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.keep)
        self.setEscapeButton(self.keep)
        self.buttonClicked.connect(self._on_clicked)

    def _on_clicked(self, clicked: QAbstractButton) -> None:
        self.answered.emit(clicked is self.go_on)
