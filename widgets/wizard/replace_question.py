"""Asks before stores are replaced: which, on which servers, how large, and whether they are deleted first."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QMessageBox, QWidget

from engine.figure_text import counted
from engine.workload.wording import GENERAL

_MOST_SENTENCES = 6


class ReplaceQuestion(QMessageBox):
    """Shown with ``open``; ``answered`` carries whether to go on. Escape is Cancel.

    ``sentences`` describe each store and what becomes of it, ``words`` are what one and several are called, and
    ``deletes`` is how many of them have to be deleted before the new one is built. Otherwise the user may choose that:
    ``deletes_first``.
    """

    answered = Signal(bool)

    def __init__(
        self,
        sentences: Sequence[str],
        *,
        deletes: int,
        words: tuple[str, str] = GENERAL.stores,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        one, many = words
        stores = f"the {one}" if len(sentences) == 1 else counted(len(sentences), one, many)
        text = f"Delete {stores} first?" if deletes else f"Replace {stores}?"
        if 0 < deletes < len(sentences):
            text = f"Replace {stores}, {deletes} of them deleted first?"
        shown = list(sentences[:_MOST_SENTENCES])
        if len(sentences) > _MOST_SENTENCES:
            shown.append(f"And {counted(len(sentences) - _MOST_SENTENCES, f'more {one}', f'more {many}')}.")
        if deletes:
            shown.append(f"If the build is cancelled or fails after that, no {one} is left.")
        shown.append("What runs have added is lost.")
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle(text)
        self.setText(text)
        self.setInformativeText("\n\n".join(shown))
        role = QMessageBox.ButtonRole.DestructiveRole
        self.go_on = self.addButton("Delete and build" if deletes else "Replace", role)
        self.keep = self.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.keep)
        self.setEscapeButton(self.keep)
        self.delete_first = QCheckBox(f"Delete first: takes less room, but a failed build leaves no {one}", self)
        self.delete_first.setChecked(bool(deletes))
        if deletes:
            self.delete_first.hide()
        else:
            self.setCheckBox(self.delete_first)
        self.buttonClicked.connect(self._on_clicked)

    @property
    def deletes_first(self) -> bool:
        """Whether the user has chosen that all stores are deleted first."""
        return self.delete_first.isChecked()

    def _on_clicked(self, clicked: QAbstractButton) -> None:
        self.answered.emit(clicked is self.go_on)
