"""The About dialog: versions, folders, and the licences of all that is shipped."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from widgets.parts.fonts import scaled
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_ICON_LINES = 5
_TITLE_FACTOR = 1.6
_CHARACTERS = 96
_TABLE_LINES = 24
_FACT_TITLES = ("What", "Version or place")
_LICENCE_TITLES = ("Package", "Version", "Licence")


class AboutDialog(QDialog):
    """``facts`` are names and values; ``licences`` are rows of package, version and licence, below ``statement``.

    ``diagnostics_requested``: the text for a report of a fault is to be copied; then ``show_copied`` is called.
    """

    diagnostics_requested = Signal()

    def __init__(
        self,
        look: Look,
        icon: Path,
        about: str,
        facts: Sequence[tuple[str, str]],
        licences: Sequence[tuple[str, str, str]],
        statement: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Spindle")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.note = FormNote(look, self)
        self.facts = self._table(_FACT_TITLES, facts)
        self.licences = self._table(_LICENCE_TITLES, licences)
        tabs = QTabWidget(self)
        tabs.setAccessibleName("About Spindle")
        tabs.addTab(self._page(self.facts), "Versions and folders")
        tabs.addTab(self._page(self.licences, statement), "Licences of what is shipped")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = buttons.addButton("Copy diagnostics", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.setToolTip("Versions, system, folders and the log's last errors, without passwords")
        self.copy_button.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(self._head(icon, about))
        layout.addWidget(tabs, 1)
        layout.addWidget(self.note)
        layout.addWidget(buttons)

    def show_copied(self) -> None:
        self.copy_button.setEnabled(True)
        self.note.show_good("Copied. Names of hosts may stand in the log's lines: read the text before you send it.")

    def show_failed(self, sentence: str) -> None:
        self.copy_button.setEnabled(True)
        self.note.show_wrong(sentence)

    def _on_copy(self) -> None:
        self.copy_button.setEnabled(False)
        self.note.show_busy("Reading …")
        self.diagnostics_requested.emit()

    def _head(self, icon: Path, about: str) -> QHBoxLayout:
        picture, title = QLabel(self), QLabel("Spindle", self)
        side = _ICON_LINES * self.fontMetrics().height()
        picture.setPixmap(QIcon(str(icon)).pixmap(side, side))
        picture.setAccessibleName("Spindle's icon")
        title.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        words = QVBoxLayout()
        words.addWidget(title)
        words.addWidget(self._wrapped(about))
        head = QHBoxLayout()
        head.setSpacing(self.fontMetrics().height())
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        return head

    def _wrapped(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setWordWrap(True)
        return label

    def _page(self, table: TableView, statement: str = "") -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(table, 1)
        if statement:
            layout.addWidget(self._wrapped(statement))
        return page

    def _table(self, titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> TableView:
        model = TextModel(self)
        table = TableView(", ".join(titles), self)
        table.setModel(model)
        table.setAlternatingRowColors(True)
        model.show_texts(Texts(titles, tuple(rows), words=len(titles)))
        table.fit_columns(titles)
        table.horizontalHeader().setStretchLastSection(True)
        metrics = self.fontMetrics()
        table.setMinimumSize(_CHARACTERS * metrics.averageCharWidth(), _TABLE_LINES * metrics.lineSpacing())
        return table
