"""The dialog for an internal error: what it means, and the details to copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from widgets.parts.dialog_size import resize_to_text
from widgets.parts.fonts import fixed_width

_CHARACTERS, _LINES = 100, 26


class FaultDialog(QDialog):
    """Shows ``details`` without blocking anything: a running run continues behind it."""

    def __init__(self, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.details = details
        self.setWindowTitle("Internal error")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        text = QLabel(
            "Something in Spindle itself went wrong. A run in progress is not affected, and its measurements are kept."
            " The details below help to fix the error; they contain no passwords."
        )
        text.setWordWrap(True)
        shown = QPlainTextEdit(details)
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setFont(fixed_width(self.font()))
        shown.setAccessibleName("Details of the error")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy details", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
        layout.addWidget(shown, 1)
        layout.addWidget(buttons)
        resize_to_text(self, _CHARACTERS, _LINES)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details)
