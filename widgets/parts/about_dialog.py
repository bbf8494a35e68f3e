"""The About dialog: version, licence, folders, and third-party software."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from widgets.parts.fonts import scaled

_ICON_LINES = 5
_TITLE_FACTOR = 1.6


class AboutDialog(QDialog):
    """``facts`` are names and values, all of which can be copied for a bug report."""

    def __init__(self, icon: Path, about: str, facts: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = facts
        self.setWindowTitle("About Spindle")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        picture, title, text = QLabel(self), QLabel("Spindle", self), QLabel(about, self)
        side = _ICON_LINES * self.fontMetrics().height()
        picture.setPixmap(QIcon(str(icon)).pixmap(side, side))
        picture.setAccessibleName("Spindle's icon")
        title.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        text.setWordWrap(True)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(facts):
            shown = QLabel(value, self)
            shown.setTextFormat(Qt.TextFormat.PlainText)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(QLabel(name, self), row, 0)
            grid.addWidget(shown, row, 1)
        words = QVBoxLayout()
        for widget in (title, text):
            words.addWidget(widget)
        words.addLayout(grid)
        head = QHBoxLayout()
        head.setSpacing(2 * self.fontMetrics().height())
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(buttons)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {value}" for name, value in self._facts))
