"""The long works in progress, side by side at the foot of the window, each with its progress and a Cancel button."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QToolButton, QWidget

from engine.figure_text import capitalised
from widgets.parts.elided_label import ElidedLabel

_BAR_STEPS = 1000
_BAR_LETTERS = 16


class WorkLine(QWidget):
    """One work: its name, what is being done, a progress bar, and Cancel.

    Hidden until ``appear``, and while a page is visible that shows the same, see ``hide_beside``.
    """

    cancel_requested = Signal()
    visible_changed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = capitalised(name)
        self._text = ElidedLabel(self._name, self)
        self._bar = QProgressBar(self)
        self._has_appeared = False
        self._page: QWidget | None = None
        self.cancel_button = QToolButton(self)
        self._build()
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def share(self) -> float | None:
        """The share done, from 0 to 1; ``None`` if unknown."""
        return self._bar.value() / _BAR_STEPS if self._bar.maximum() else None

    def appear(self) -> None:
        self._has_appeared = True
        self._show_or_hide()

    def hide_beside(self, page: QWidget) -> None:
        """Hide the line whenever this widget is visible, as it shows the same work."""
        self._page = page
        page.installEventFilter(self)
        page.destroyed.connect(self._forget_page)

    def show_progress(self, doing: str, share: float) -> None:
        """What is being done, and the share done of the whole."""
        if not self.cancel_button.isEnabled():
            return
        self._text.setText(f"{self._name}: {doing}" if doing else self._name)
        self._bar.setRange(0, _BAR_STEPS)
        self._bar.setValue(round(_BAR_STEPS * share))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._show_or_hide()
        return super().eventFilter(watched, event)

    def _forget_page(self) -> None:
        """A dialog may be gone before its work has ended."""
        self._page = None

    def _show_or_hide(self) -> None:
        is_shown_elsewhere = self._page is not None and self._page.isVisible()
        self.setVisible(self._has_appeared and not is_shown_elsewhere)
        self.visible_changed.emit()

    def _build(self) -> None:
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Progress: {self._name}")
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_LETTERS)
        self.cancel_button.setText("Cancel")
        self.cancel_button.setAccessibleName(f"Cancel: {self._name}")
        self.cancel_button.clicked.connect(self._on_cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 1, 4, 1)
        row.addWidget(self._text, 1)
        row.addWidget(self._bar)
        row.addWidget(self.cancel_button)

    def _on_cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self._text.setText(f"{self._name}: cancelling")
        self.cancel_requested.emit()


class WorkStrip(QFrame):
    """Hidden while no line is visible; the works are in the order in which they were started."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._lines: list[WorkLine] = []
        self.hide()

    def make_line(self, name: str) -> WorkLine:
        """A line for a work, hidden at first."""
        line = WorkLine(name, self)
        self._row.addWidget(line, 1)
        self._lines.append(line)
        line.visible_changed.connect(self._show_or_hide)
        return line

    def remove_line(self, line: WorkLine) -> None:
        """Its work has ended."""
        self._row.removeWidget(line)
        self._lines.remove(line)
        line.hide()
        line.deleteLater()
        self._show_or_hide()

    def _show_or_hide(self) -> None:
        self.setVisible(any(not line.isHidden() for line in self._lines))
