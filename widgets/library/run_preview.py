"""A preview of the current run: a small chart of its headline metric, head figures, tags and note."""

from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.comparing.comparison import headline_curve
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import Reading
from engine.figure_text import capitalised, milliseconds, variability_text, whole
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.library.run_columns import ending_text, load_text, run_sign
from widgets.live.tiles import Tile
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.run import MIDDLE_OF_SECOND, chart_marks, clock_origin, headline_text, run_bands
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.fonts import scaled
from widgets.parts.look import Look
from widgets.parts.shapes import ShapeSign

_TOTAL = CurveStyle(name="total", colour=attrgetter("total"), rank=1)
_NOTHING = "Select a run to see its chart."
_LOADING = "Reading the run …"
_UNREADABLE = "The run's samples can't be read."


def set_text(run_set: SetListing) -> str:
    """The text about the set that a run belongs to."""
    measured_on = f"Measured on {run_set.configuration}." if run_set.configuration else ""
    parts = (f"Set “{run_set.name}”: {run_set.sentence}", capitalised(run_set.warning), measured_on)
    return " ".join(filter(None, parts))


class RunPreview(QWidget):
    """Shows a listing at once, and the chart when the run's counts have been read."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.run_id = ""
        self.chart = TimeChart(look, name="Headline metric", amount="", value_text=whole, parent=self)
        self.details = _Details(look, self)
        self._waiting = QLabel(self)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._charts = QStackedWidget(self)
        for page in (self._waiting, self.chart):
            self._charts.addWidget(page)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.details)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(self.details.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width())
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._charts, 3)
        layout.addWidget(scroll, 2)
        self.show_listing(None)

    def show_listing(
        self, run: RunListing | None, run_set: SetListing | None = None, *, can_select: bool = True
    ) -> None:
        """Show a run's listing and its set; its chart is awaited when it is another run than before. Without a run, say
        that one is to be selected, where there is one."""
        run_id = run.run_id if run else ""
        if run_id != self.run_id or run is None:
            self._wait(_LOADING if run else _NOTHING if can_select else "")
        self.run_id = run_id
        self.details.setVisible(run is not None)
        if run is not None:
            self.details.show_listing(run, run_set)

    def show_run(self, run: RunData | None) -> None:
        """Draw the headline metric of all clients over a 10 s window; ``None``: the run can't be read."""
        if run is None:
            self._wait(_UNREADABLE)
            return
        if self._charts.currentWidget() is not self.chart:
            self.chart.clear()
        headline = run.headline
        self.chart.set_amount(f"{headline.label} of the selected run", headline.label, headline_text(headline))
        self.chart.curves.set("total", MIDDLE_OF_SECOND, headline_curve(run, Reading.WINDOW), _TOTAL)
        self.chart.plot.set_bands(run_bands(run))
        self.chart.set_marks(chart_marks(run.sorted_events()))
        self.chart.set_origin(*clock_origin(run.phases))
        self._charts.setCurrentWidget(self.chart)
        self.chart.refresh()

    def _wait(self, text: str) -> None:
        self._waiting.setText(text)
        self._charts.setCurrentWidget(self._waiting)


class _Details(QWidget):
    """The texts beside the chart."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._name, self._state, self._load, self._set, self._tags, self._note = (QLabel(self) for _ in range(6))
        self._sign = ShapeSign(look, self)
        self._tiles = {
            "headline": Tile("", "0 000 000", bold=True),
            "p95": Tile("p95, ms", "00 000"),
            "errors": Tile("errors", "000 000"),
            "variability": Tile("variability", "00.00 %"),
            "faults": Tile("faults", "000"),
        }
        self._name.setFont(scaled(self.font(), 1.15, bold=True))
        for label in (self._name, self._state, self._load, self._set, self._tags, self._note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._name, self._set, self._tags, self._note):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QWidget(self)
        row.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        tiles = QHBoxLayout(row)
        tiles.setContentsMargins(0, 0, 0, 0)
        for tile in self._tiles.values():
            tiles.addWidget(tile)
        tiles.addStretch()
        state = QHBoxLayout()
        state.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        state.addWidget(self._state, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self._name)
        layout.addLayout(state)
        layout.addWidget(self._load)
        layout.addWidget(row)
        layout.addWidget(self._set)
        layout.addWidget(self._tags)
        layout.addWidget(self._note)
        layout.addStretch()

    def show_listing(self, run: RunListing, run_set: SetListing | None) -> None:
        self._name.setText(run.name or run.run_id)
        self._sign.show_shape(*run_sign(run))
        self._state.setText(ending_text(run))
        self._load.setText(load_text(run))
        self._tiles["headline"].set_caption(run.headline.label)
        for name, text in (
            ("headline", run.headline.text(run.headline_rate)),
            ("p95", milliseconds(run.p95_ms)),
            ("errors", whole(run.errors)),
            ("variability", variability_text(run.variability_pct)),
            ("faults", whole(run.faults)),
        ):
            self._tiles[name].show_value(text)
        self._set.setText("" if run_set is None else set_text(run_set))
        self._set.setVisible(run_set is not None)
        self._tags.setText(f"Tags: {', '.join(run.tags)}")
        self._tags.setVisible(bool(run.tags))
        self._note.setText(run.note)
        self._note.setVisible(bool(run.note))
