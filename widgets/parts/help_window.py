"""The help window: the list of pages on the left, the page on the right."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QListWidget, QTextBrowser, QVBoxLayout, QWidget

from widgets.parts.dialog_size import resize_to_text
from widgets.parts.fonts import text_width

_COLUMNS, _LINES = 156, 40
_MARGIN_LETTERS = "00000"


@dataclass(frozen=True)
class HelpTopic:
    """A page: the name of its file, its title and its Markdown text."""

    name: str
    title: str
    markdown: str


class HelpWindow(QDialog):
    """Not modal; Escape closes it. Links open other pages; pictures are in ``folder``."""

    def __init__(
        self, topics: Sequence[HelpTopic], parent: QWidget | None = None, *, folder: Path | None = None
    ) -> None:
        super().__init__(parent)
        self._topics = topics
        self.setModal(False)
        self.contents = QListWidget(self)
        self.contents.setAccessibleName("Pages of help")
        self.contents.addItems([topic.title for topic in topics])
        self.contents.setFixedWidth(text_width(self.font(), *(topic.title + _MARGIN_LETTERS for topic in topics)))
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setSearchPaths([] if folder is None else [str(folder)])
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        self.contents.currentRowChanged.connect(self._on_row)
        self.text.anchorClicked.connect(self._on_link)
        row = QHBoxLayout()
        row.addWidget(self.contents)
        row.addWidget(self.text, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(row, 1)
        layout.addWidget(buttons)
        resize_to_text(self, _COLUMNS, _LINES)

    def show_topic(self, name: str) -> None:
        """Show the page of this name, or the first."""
        names = [topic.name for topic in self._topics]
        self.contents.setCurrentRow(names.index(name) if name in names else 0)

    def _on_row(self, row: int) -> None:
        topic = self._topics[row]
        self.setWindowTitle(f"Help: {topic.title}")
        self.text.setAccessibleName(topic.title)
        self.text.setMarkdown(topic.markdown)
        self.text.document().setDocumentMargin(self.fontMetrics().height())

    def _on_link(self, link: QUrl) -> None:
        if link.fileName().endswith(".md"):
            self.show_topic(link.fileName().removesuffix(".md"))
