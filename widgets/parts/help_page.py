"""A help text in a small window of its own, which stays open beside the work."""

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from widgets.parts.dialog_size import resize_to_text

_COLUMNS, _LINES = 92, 34


class HelpPage(QDialog):
    """Shows a Markdown text. Escape closes it."""

    def __init__(self, title: str, markdown: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(False)
        self.text = QTextBrowser(self)
        self.text.setAccessibleName(title)
        self.text.setOpenExternalLinks(False)
        self.text.setMarkdown(markdown)
        self.text.document().setDocumentMargin(self.fontMetrics().height())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
        resize_to_text(self, _COLUMNS, _LINES)

    def show_heading(self, heading: str) -> None:
        """Scroll to this heading; its position is known only once the page is shown."""
        block = self.text.document().begin()
        while block.isValid() and (block.text() != heading or not block.blockFormat().headingLevel()):
            block = block.next()
        if block.isValid():
            self.text.setTextCursor(QTextCursor(block))
            top = self.text.document().documentLayout().blockBoundingRect(block).top()
            self.text.verticalScrollBar().setValue(int(top))
