"""Measurements of hosts and meters on the run's time axis; each file can be shifted by hand.

Called by ``RunPage``; the import dialog shows the same before anything is stored.
"""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.host.figures import MOST_SHIFT_SECONDS, measured_span
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from widgets.library.host_lines import first_choice, host_lines, missing_text
from widgets.library.host_table import HostTable
from widgets.parts.host.host_charts import HostCharts
from widgets.parts.look import Look

_KEEP_AFTER_MS = 700
_SHARES = (760, 240)
_NOTHING = (
    "There are no host measurements for this run. Import a CSV of Performance Monitor, sar, iostat, esxtop or a power"
    " meter, or drop the file on the window."
)


class ShiftField(QDoubleSpinBox):
    """Seconds to add to a file's times, for a clock that was this far behind."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(-float(MOST_SHIFT_SECONDS), float(MOST_SHIFT_SECONDS))
        self.setDecimals(1)
        self.setSuffix(" s")
        self.setAccelerated(True)
        self.setKeyboardTracking(False)
        self.setAccessibleName("Shift, s")
        self.setToolTip("Seconds to add to the file's times: 90 when its clock was 90 s behind the run's")


class HostTab(QWidget):
    """A shift is drawn at once and emitted a moment later. Signals carry the run's id and the measurement's number; the
    shift is in seconds."""

    import_requested = Signal(str)
    shift_requested = Signal(str, int, float)
    remove_requested = Signal(str, int)
    measurements_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._remarks: Sequence[str] = ()
        self._measurements: dict[int, HostMeasurement] = {}
        self._unkept: dict[int, float] = {}
        self.charts = HostCharts(look)
        self.table = HostTable()
        self.files = QComboBox(self)
        self.shift = ShiftField(self)
        self.import_button = QPushButton("Import…", self)
        self.remove_button = QPushButton("Remove", self)
        self._missing = QLabel(self)
        self._nothing = QLabel(_NOTHING, self)
        self._pages = QStackedWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._keep = QTimer(self, singleShot=True, interval=_KEEP_AFTER_MS)
        self._build()
        self._connect()

    def show_run(self, run: RunData, remarks: Sequence[str] = ()) -> None:
        """Show another run; its measurements follow with ``show_measurements``. ``remarks`` are about its clock."""
        self.keep_now()
        self._run, self._remarks = run, remarks
        self.charts.show_run(run)
        self.show_measurements(())

    def show_measurements(self, measurements: Sequence[HostMeasurement]) -> None:
        """Show the measurements of the run; ticked counters stay ticked."""
        had = set(self._measurements)
        self._measurements = {each.number: each for each in measurements}
        chosen = self.files.currentData()
        with QSignalBlocker(self.files):
            self.files.clear()
            for each in measurements:
                self.files.addItem(f"{each.file_name} ({each.kind})", each.number)
            place = self.files.findData(max(set(self._measurements) - had, default=chosen) if had else chosen)
            self.files.setCurrentIndex(max(0, place) if measurements else -1)
        self._show_file()
        drawn = {key for key in self.table.host_model.drawn if key[0] in had}
        self._draw(drawn | self._first_choice(set(self._measurements) - had))
        self._pages.setCurrentWidget(self._splitter if measurements else self._nothing)
        self.measurements_changed.emit()

    def keep_now(self) -> None:
        """Emit the pending shifts at once."""
        self._keep.stop()
        unkept, self._unkept = self._unkept, {}
        for number, seconds in unkept.items():
            self.shift_requested.emit(self._run_id, number, seconds)
        if unkept:
            self.measurements_changed.emit()

    @property
    def measurements(self) -> list[HostMeasurement]:
        """The displayed measurements, shifted as they are drawn."""
        return list(self._measurements.values())

    @property
    def missing(self) -> str:
        """The remarks about gaps, about files that do not overlap the run, and about its clock; empty without any."""
        return self._missing.text()

    @property
    def _run_id(self) -> str:
        return "" if self._run is None else self._run.run_id

    def _build(self) -> None:
        self.files.setAccessibleName("File")
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._missing.setWordWrap(True)
        self._nothing.setWordWrap(True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = QHBoxLayout()
        for text, field in (("&File", self.files), ("&Shift", self.shift)):
            label = QLabel(text, self)
            label.setBuddy(field)
            head.addWidget(label)
            head.addWidget(field)
        head.addWidget(self.remove_button)
        head.addStretch()
        head.addWidget(self.import_button)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._missing)
        column.addWidget(self.table, 1)
        for place, widget in enumerate((self.charts, below)):
            self._splitter.addWidget(widget)
            self._splitter.setStretchFactor(place, _SHARES[place])
        self._splitter.setSizes(list(_SHARES))
        self._splitter.setChildrenCollapsible(False)
        for page in (self._nothing, self._splitter):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.files.currentIndexChanged.connect(self._show_file)
        self.shift.valueChanged.connect(self._on_shift)
        self.table.drawn_changed.connect(self._on_drawn)
        self.import_button.clicked.connect(self._on_import)
        self.remove_button.clicked.connect(self._on_remove)
        self._keep.timeout.connect(self.keep_now)

    def _show_file(self) -> None:
        chosen = self._measurements.get(self.files.currentData())
        for widget in (self.files, self.shift, self.remove_button):
            widget.setEnabled(chosen is not None)
        with QSignalBlocker(self.shift):
            self.shift.setValue(0.0 if chosen is None else chosen.shift_seconds)

    def _first_choice(self, numbers: set[int]) -> set[tuple[int, int]]:
        """The counters of new files that are drawn by default."""
        new = [each for each in self._measurements.values() if each.number in numbers]
        return {line.key for line in first_choice(host_lines(new, None))}

    def _draw(self, drawn: set[tuple[int, int]]) -> None:
        run = self._run
        if run is None:
            return
        span = None if run.started_at is None else measured_span(run.started_at, run.phases)
        lines = host_lines(list(self._measurements.values()), span)
        self.table.show_lines(lines, drawn)
        if run.started_at is not None:
            self.charts.show_curves([line.curve(run) for line in lines if line.key in drawn])
        missing = " ".join(filter(None, (missing_text(lines), *self._remarks)))
        self._missing.setText(missing)
        self._missing.setVisible(bool(missing))

    def _on_shift(self, seconds: float) -> None:
        number = self.files.currentData()
        self._measurements[number] = replace(self._measurements[number], shift_seconds=seconds)
        self._unkept[number] = seconds
        self._keep.start()
        self._draw(self.table.host_model.drawn)

    def _on_drawn(self) -> None:
        self._draw(self.table.host_model.drawn)

    def _on_remove(self) -> None:
        number = self.files.currentData()
        self._unkept.pop(number, None)
        self.remove_requested.emit(self._run_id, number)

    def _on_import(self) -> None:
        self.import_requested.emit(self._run_id)
