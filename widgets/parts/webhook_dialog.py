"""Asks for the URL of a webhook. A stored URL is never displayed: it is a secret."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_WHAT = (
    "When a run is over, its name, state and headline figure are posted as JSON to this URL, such as the incoming"
    " webhook of Slack, Mattermost or Rocket.Chat. The URL is kept in the system's keyring."
)
_NONE = "https://chat.example.com/hooks/…"
_KEPT = "A URL is kept; type another one to replace it"
_CHARACTERS = 75
_NOTE_LINES = 2


class WebhookDialog(QDialog):
    """``test_requested`` and ``save_requested`` carry what is typed, empty for the stored URL."""

    test_requested = Signal(str)
    save_requested = Signal(str)
    remove_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None, *, is_kept: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle("Webhook")
        self.url = QLineEdit(self)
        self.url.setAccessibleName("URL of the webhook")
        self.note = FormNote(look, self)
        self.test = QPushButton("Send a test", self)
        self.remove = QPushButton("Remove", self)
        self.save = QPushButton("Save", self)
        self.leave = QPushButton("Close", self)
        self._is_kept = is_kept
        self._is_busy = False
        self._lay_out()
        self.test.clicked.connect(self._on_test)
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(self.remove_requested)
        self.leave.clicked.connect(self.reject)
        self.url.textChanged.connect(self._allow)
        self._show_kept()

    def show_busy(self, text: str) -> None:
        """A request is in progress; the buttons are disabled."""
        self._is_busy = True
        self.note.show_busy(text)
        self._allow()

    def show_result(self, sentence: str, *, ok: bool) -> None:
        self._is_busy = False
        (self.note.show_good if ok else self.note.show_wrong)(sentence)
        self._allow()

    def set_stored(self, is_kept: bool) -> None:
        """Whether a URL is stored now; the field is cleared."""
        self._is_kept = is_kept
        self.url.clear()
        self._show_kept()

    def _lay_out(self) -> None:
        what = QLabel(_WHAT, self)
        what.setWordWrap(True)
        what.setBuddy(self.url)
        width = _CHARACTERS * self.fontMetrics().averageCharWidth()
        what.setFixedWidth(width)
        what.setMinimumHeight(what.heightForWidth(width))
        self.note.setMinimumHeight(_NOTE_LINES * self.fontMetrics().lineSpacing())  # so that a result moves nothing
        for button in (self.test, self.remove, self.leave):
            button.setAutoDefault(False)
        self.save.setDefault(True)  # Enter saves
        buttons = QHBoxLayout()
        buttons.addWidget(self.test)
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        buttons.addWidget(self.save)
        buttons.addWidget(self.leave)
        layout = QVBoxLayout(self)
        layout.addWidget(what)
        layout.addWidget(self.url)
        layout.addWidget(self.note)
        layout.addLayout(buttons)

    def _show_kept(self) -> None:
        self.url.setPlaceholderText(_KEPT if self._is_kept else _NONE)
        self._allow()

    def _allow(self) -> None:
        has_text = bool(self.url.text().strip())
        self.save.setEnabled(has_text and not self._is_busy)
        self.test.setEnabled((has_text or self._is_kept) and not self._is_busy)
        self.remove.setEnabled(self._is_kept and not self._is_busy)

    def _on_test(self) -> None:
        self.test_requested.emit(self.url.text().strip())

    def _on_save(self) -> None:
        self.save_requested.emit(self.url.text().strip())
