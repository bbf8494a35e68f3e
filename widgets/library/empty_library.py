"""What replaces the table when there is nothing to list."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from widgets.parts.fonts import scaled

_LINK = '<a href="import">Import DS2 output</a>'


class EmptyLibrary(QWidget):
    """One sentence, one button, one link, and a link to the deleted runs, if there are any."""

    demo_requested = Signal()
    import_requested = Signal()
    bin_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.demo_button = QPushButton("Run the demonstration", self)
        self.import_link = QLabel(_LINK, self)
        self.import_link.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByKeyboard | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        self.import_link.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.import_link.setAccessibleName("Import DS2 output")
        self.demo_button.clicked.connect(self.demo_requested)
        self.import_link.linkActivated.connect(self._on_link)
        self.bin_button = QPushButton(self)
        self.bin_button.clicked.connect(self.bin_requested)
        _stack(self, "The library is empty.", self.demo_button, self.import_link, self.bin_button)
        self.show_deleted(0)

    def show_deleted(self, deleted: int) -> None:
        """Show how many runs are in the bin."""
        self.bin_button.setText(f"Deleted runs ({deleted})")
        self.bin_button.setVisible(deleted > 0)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.import_link.clear()  # a label keeps the link colour of the time when its text was set
            self.import_link.setText(_LINK)

    def _on_link(self, _: str) -> None:
        self.import_requested.emit()


class NoMatch(QWidget):
    """No run matches the filters."""

    clear_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.clear_button = QPushButton("Clear filters", self)
        self.clear_button.clicked.connect(self.clear_requested)
        _stack(self, "No matching runs.", self.clear_button)


def _stack(page: QWidget, sentence: str, *widgets: QWidget) -> None:
    """The sentence and the widgets below it, centred."""
    label = QLabel(sentence, page)
    label.setFont(scaled(page.font(), 1.25))
    layout = QVBoxLayout(page)
    layout.addStretch(2)
    for widget in (label, *widgets):
        layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(page.fontMetrics().height() // 2)
    layout.addStretch(3)
