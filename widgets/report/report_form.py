"""The options of a report: its kind, title, notes, logo, and published results to compare with."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.report.document import Document, DocumentKind, Logo
from engine.report.report_choices import TAKES_REFERENCES

_TYPED_MS = 400
_CHARACTERS = 34
_ROWS_A_GAP = 8
_LONGEST_TITLE = 200
_Check = Qt.CheckState


class ReportForm(QWidget):
    """``kind_changed`` and ``references_changed`` require another document, ``words_changed`` other texts in it."""

    kind_changed = Signal()
    references_changed = Signal()
    words_changed = Signal()
    logo_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._logo: Logo | None = None
        self.kinds = QComboBox(self)
        self.title = QLineEdit(self)
        self.notes = QPlainTextEdit(self)
        self.logo_button = QPushButton("Choose a logo…", self)
        self.no_logo_button = QPushButton("Without", self)
        self.references = QListWidget(self)
        self._references_label = QLabel("Com&pare with published results", self)
        self._typed = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._build()
        self._connect()

    @property
    def kind(self) -> DocumentKind:
        return DocumentKind(self.kinds.currentData())

    @property
    def chosen_references(self) -> list[str]:
        """The names of the ticked published results, when they belong to such a report."""
        if self.kind not in TAKES_REFERENCES:
            return []
        items = [self.references.item(place) for place in range(self.references.count())]
        return [item.text() for item in items if item.checkState() is _Check.Checked]

    def offer(self, kinds: Sequence[DocumentKind], references: Sequence[tuple[str, str]]) -> None:
        """Reset the form to these kinds, the first of them chosen, and these results by name and source."""
        with QSignalBlocker(self.kinds), QSignalBlocker(self.references):
            self.kinds.clear()
            for kind in kinds:
                self.kinds.addItem(kind.label, kind.value)
            self.references.clear()
            for name, source in references:
                item = QListWidgetItem(name, self.references)
                item.setToolTip(f"{name}\n{source}" if source else name)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(_Check.Unchecked)
        with QSignalBlocker(self.title), QSignalBlocker(self.notes):
            self.title.clear()
            self.notes.clear()
        self._show_references()

    def set_logo(self, logo: Logo | None) -> None:
        """Set a logo, or none."""
        self._logo = logo
        self.no_logo_button.setEnabled(logo is not None)
        self.words_changed.emit()

    def applied_to(self, document: Document) -> Document:
        """The document with the typed and chosen options; an empty title keeps the document's own."""
        return replace(
            document,
            title=self.title.text().strip() or document.title,
            notes=self.notes.toPlainText().strip(),
            logo=self._logo,
        )

    def show_own_title(self, title: str) -> None:
        """The document's own title, used while none is typed."""
        self.title.setPlaceholderText(title)

    def _build(self) -> None:
        self.title.setMaxLength(_LONGEST_TITLE)
        self.notes.setPlaceholderText("Markdown: **bold**, - lists, | tables |")
        self.notes.setTabChangesFocus(True)
        self.no_logo_button.setEnabled(False)
        self.no_logo_button.setAccessibleName("Without a logo")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for text, field in (("&Report", self.kinds), ("&Title", self.title), ("&Notes", self.notes)):
            label = QLabel(text, self)
            label.setBuddy(field)
            layout.addWidget(label)
            layout.addWidget(field)
        buttons = QHBoxLayout()
        buttons.addWidget(self.logo_button, 1)
        buttons.addWidget(self.no_logo_button)
        layout.addLayout(buttons)
        self._references_label.setBuddy(self.references)
        self.references.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.references.setSpacing(self.fontMetrics().height() // _ROWS_A_GAP)
        layout.addWidget(self._references_label)
        layout.addWidget(self.references, 1)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _CHARACTERS)

    def _connect(self) -> None:
        self.kinds.currentIndexChanged.connect(self._on_kind)
        self.references.itemChanged.connect(self.references_changed)
        self.title.textChanged.connect(self._typed.start)
        self.notes.textChanged.connect(self._typed.start)
        self._typed.timeout.connect(self.words_changed)
        self.logo_button.clicked.connect(self.logo_requested)
        self.no_logo_button.clicked.connect(self._on_no_logo)

    def _show_references(self) -> None:
        fits = self.kind in TAKES_REFERENCES and self.references.count() > 0
        self._references_label.setVisible(fits)
        self.references.setVisible(fits)

    def _on_kind(self) -> None:
        self._show_references()
        self.kind_changed.emit()

    def _on_no_logo(self) -> None:
        self.set_logo(None)
