"""The row above the headline chart: the reading of the metric, the visible clients, and the button back to live."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from engine.analysis.figures import WINDOW_SECONDS, WINDOWS_SECONDS
from engine.analysis.series.headline_curves import Reading
from widgets.parts.fonts import scaled

_READINGS = (
    (Reading.RUNNING, WINDOW_SECONDS, "Running", "The mean since measuring began"),
    (Reading.SECOND, WINDOW_SECONDS, "Second", "Each second by itself"),
    *(
        (Reading.WINDOW, seconds, f"{'Window ' * (not place)}{seconds} s", f"The mean of the {seconds} seconds before")
        for place, seconds in enumerate(WINDOWS_SECONDS)
    ),
)
_DEFAULT = (Reading.WINDOW, WINDOW_SECONDS)


def reading_text(reading: Reading, window_seconds: int) -> str:
    """The reading, for a caption."""
    if reading is Reading.RUNNING:
        return "running mean since measuring began"
    return "each second" if reading is Reading.SECOND else f"sliding window of {window_seconds} s"


class HeadlineHeader(QWidget):
    """Emits requests; the chart reports its state back."""

    reading_changed = Signal(Reading, int)
    visibility_requested = Signal(int, bool)
    show_all_requested = Signal()
    back_to_live_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # a low chart cuts no button
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._title = title = QLabel()
        title.setMargin(title.fontMetrics().descent())
        layout.addWidget(title)
        layout.addSpacing(title.fontMetrics().height())
        self._readings = QButtonGroup(self)
        for place, (reading, seconds, text, help_text) in enumerate(_READINGS):
            layout.addWidget(self._reading_button(place, text, help_text, checked=(reading, seconds) == _DEFAULT))
        self._mark_chosen(True)
        layout.addStretch(1)
        self._menu = QMenu("Clients", self)
        self._actions: dict[int, QAction] = {}
        self._clients = QToolButton()
        self._clients.setText("Clients")
        self._clients.setAccessibleName("Show or hide clients")
        self._clients.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._clients.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._clients.setMenu(self._menu)
        layout.addWidget(self._clients)
        layout.addSpacing(title.fontMetrics().descent())
        self._live = QPushButton("Live")
        self._live.setEnabled(False)
        layout.addWidget(self._live)
        self._readings.idClicked.connect(self._read)
        self._live.clicked.connect(self.back_to_live_requested)
        self.set_over(False)

    @property
    def reading(self) -> tuple[Reading, int]:
        """The chosen reading, and the length of its window [s]."""
        reading, seconds, _, _ = _READINGS[self._readings.checkedId()]
        return reading, seconds

    def set_metric(self, label: str) -> None:
        """Name the metric, such as ``OPM``."""
        self._title.setText(label)
        for button in self._readings.buttons():
            button.setAccessibleName(f"{label} reading: {button.text()}")

    def choose(self, reading: Reading, window_seconds: int = WINDOW_SECONDS) -> None:
        """Choose a reading as if by hand."""
        wanted = (reading, window_seconds if reading is Reading.WINDOW else WINDOW_SECONDS)
        place = next(place for place, known in enumerate(_READINGS) if known[:2] == wanted)
        self._readings.button(place).click()

    def set_clients(self, clients: Sequence[tuple[int, str]]) -> None:
        """The clients of a run by number and label, all visible; number 0 is their sum."""
        self._menu.clear()
        self._actions.clear()
        self._menu.addAction("Show all").triggered.connect(self.show_all_requested)
        self._menu.addSeparator()
        for number, label in [(0, "Total"), *clients]:
            action = self._menu.addAction(label)
            action.setCheckable(True)
            action.setChecked(True)
            action.setData(number)
            self._actions[number] = action
            action.toggled.connect(self._request_visibility)

    def set_visible_client(self, number: int, visible: bool) -> None:
        self._actions[number].setChecked(visible)

    def set_live(self, is_live: bool) -> None:
        """Whether the chart follows the run: then there is nothing to go back to."""
        self._live.setEnabled(not is_live)

    def set_over(self, is_over: bool) -> None:
        """For a run that is over, the button shows the whole run."""
        self._live.setText("Whole run" if is_over else "Live")
        self._live.setToolTip("Show the whole run again" if is_over else "Show the whole run again, and follow it")

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Under a style sheet, a widget that gets another parent has the font again that was set first."""
        super().showEvent(event)
        self._mark_chosen(True)

    def _reading_button(self, place: int, text: str, help_text: str, *, checked: bool) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        bold = scaled(button.font(), 1.0, bold=True)
        wider = QFontMetrics(bold).horizontalAdvance(text) - button.fontMetrics().horizontalAdvance(text)
        button.setMinimumWidth(button.sizeHint().width() + wider)  # so that the row does not move with the choice
        button.toggled.connect(self._mark_chosen)
        button.setToolTip(help_text)
        self._readings.addButton(button, place)
        button.setChecked(checked)
        return button

    def _mark_chosen(self, _: bool) -> None:
        """The chosen button is bold as well as checked, since a shade alone is not enough; Tab moves to it."""
        for button in self._readings.buttons():
            is_chosen = button.isChecked()
            font = button.font()
            font.setBold(is_chosen)
            button.setFont(font)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_chosen else Qt.FocusPolicy.ClickFocus)

    def _read(self, _: int) -> None:
        self.reading_changed.emit(*self.reading)

    def _request_visibility(self, visible: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.visibility_requested.emit(action.data(), visible)
