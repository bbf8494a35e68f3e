"""Asks how to stop a run, below the button that was pressed: one click never ends a run."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from widgets.parts.fonts import scaled
from widgets.parts.icons import set_icon
from widgets.parts.look import Look
from widgets.parts.popover import Popover

_STOP = "Ends what is under way (at most 10 s), then takes the last samples. (Enter)"
_STOP_NOW = "Cuts off what is under way at once; transactions of an audited run are then in doubt."
_KEEP = "The run continues as planned. (Esc)"


class StopPopover(Popover):
    """Enter stops in order; Escape, or a click elsewhere, keeps the run going."""

    stop_requested = Signal()
    stop_now_requested = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAccessibleName("Stop the run?")
        self._title = QLabel("Stop the run?", self)
        self._title.setFont(scaled(self.font(), 1.1, bold=True))
        self.stop, self.stop_now = QPushButton("Stop", self), QPushButton("Stop now", self)
        set_icon(self.stop, "stop", look)
        set_icon(self.stop_now, "cross", look)
        self.keep = QPushButton("Keep running", self)
        self._says = {button: QLabel(text, self) for button, text in self._choices().items()}
        self._lay_out()
        self.stop.clicked.connect(self._on_stop)
        self.stop_now.clicked.connect(self._on_stop_now)
        self.keep.clicked.connect(self.close)

    def ask_below(self, button: QWidget, *, is_stopping: bool) -> None:
        """Open below a button; a run that is already stopping can only be stopped at once."""
        self._title.setText("The run is stopping." if is_stopping else "Stop the run?")
        for widget in (self.stop, self._says[self.stop]):
            widget.setVisible(not is_stopping)
        self.adjustSize()
        right = button.mapToGlobal(QPoint(button.width(), button.height()))
        self.move(right - QPoint(self.width(), 0))
        self.show()
        (self.keep if is_stopping else self.stop).setFocus()

    def _choices(self) -> dict[QPushButton, str]:
        return {self.stop: _STOP, self.stop_now: _STOP_NOW, self.keep: _KEEP}

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setHorizontalSpacing(2 * self.fontMetrics().averageCharWidth())
        grid.addWidget(self._title, 0, 0, 1, 2)
        for row, (button, says) in enumerate(self._says.items(), start=1):
            button.setAutoDefault(True)  # Enter presses the focused button
            button.setAccessibleDescription(says.text())
            grid.addWidget(button, row, 0)
            grid.addWidget(says, row, 1)

    def _on_stop(self) -> None:
        self.close()
        self.stop_requested.emit()

    def _on_stop_now(self) -> None:
        self.close()
        self.stop_now_requested.emit()
