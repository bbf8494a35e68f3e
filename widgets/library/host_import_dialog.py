"""The import of a file of host or meter figures: which run it belongs to, and its position on the run's time axis.

Called by the window, which parses the file again for each chosen run, since the meaning of its dates depends on the
run.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.host.figures import measured_span
from engine.analysis.host.files import HostFile
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from engine.report.run_listing import RunListing
from widgets.library.host_lines import HostLine, first_choice, host_lines, missing_text
from widgets.library.host_tab import ShiftField
from widgets.library.run_columns import date_text
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.host.host_charts import HostCharts
from widgets.parts.look import Look

_CHARACTERS, _LINES = 110, 34


class HostImportDialog(QDialog):
    """``run_chosen`` asks for the file's figures for a run; the answer is ``show_file`` or ``show_trouble``.

    ``import_requested`` carries the run's id, the shift in seconds and a note.
    """

    run_chosen = Signal(str)
    import_requested = Signal(str, float, str)

    def __init__(self, look: Look, file_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._file_name = file_name
        self._run: RunData | None = None
        self._file: HostFile | None = None
        self.runs = QComboBox(self)
        self.shift = ShiftField(self)
        self.note = QLineEdit(self)
        self.charts = HostCharts(look)
        self.about = QLabel(self)
        self._waiting = QLabel(self)
        self._pages = QStackedWidget(self)
        self._answers = QDialogButtonBox(parent=self)
        self.import_button = self._answers.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(f"Import {file_name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build()
        self._connect()
        self._wait("Reading the file …")

    def offer_runs(self, runs: Sequence[RunListing], run_id: str) -> None:
        """Offer these runs, and choose one of them."""
        self.runs.clear()
        for run in runs:
            self.runs.addItem(f"{run.name or run.run_id}, {date_text(run)}", run.run_id)
        self.runs.setCurrentIndex(max(0, self.runs.findData(run_id)))
        self._request()

    @property
    def run_id(self) -> str:
        """The chosen run."""
        return str(self.runs.currentData())

    @property
    def trouble(self) -> str:
        """The error shown instead of the charts; empty when they are shown."""
        return self._waiting.text() if self._pages.currentWidget() is self._waiting else ""

    def show_file(self, run: RunData, file: HostFile) -> None:
        """Show the file's figures for the run; an answer for a run that is no longer chosen is ignored."""
        if run.run_id != self.run_id:
            return
        self._run, self._file = run, file
        self.charts.show_run(run)
        self._pages.setCurrentWidget(self.charts)
        self.import_button.setEnabled(True)
        self._draw()

    def show_trouble(self, run_id: str, sentence: str) -> None:
        """Show why the file can't be imported."""
        if run_id == self.run_id:
            self._wait(sentence)

    def accept(self) -> None:
        """Emit the import, and close."""
        self.import_requested.emit(self.run_id, self.shift.value(), self.note.text().strip())
        super().accept()

    def _build(self) -> None:
        grid = QGridLayout()
        for row, (text, field) in enumerate((("&Run", self.runs), ("&Shift", self.shift), ("&Note", self.note))):
            label = QLabel(text, self)
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft if field is self.shift else Qt.AlignmentFlag(0))
        grid.setColumnStretch(1, 1)
        self.runs.setAccessibleName("Run")
        for label in (self.about, self._waiting):
            label.setWordWrap(True)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self._waiting, self.charts):
            self._pages.addWidget(page)
        self._answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        layout.addLayout(grid)
        layout.addWidget(self.about)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._answers)
        resize_to_text(self, _CHARACTERS, _LINES)

    def _connect(self) -> None:
        self._answers.accepted.connect(self.accept)
        self._answers.rejected.connect(self.reject)
        self.runs.activated.connect(self._request)
        self.shift.valueChanged.connect(self._draw)

    def _request(self) -> None:
        self._wait("Reading the file …")
        self.run_chosen.emit(self.run_id)

    def _wait(self, sentence: str) -> None:
        self._run = self._file = None
        self.about.clear()
        self._waiting.setText(sentence)
        self._pages.setCurrentWidget(self._waiting)
        self.import_button.setEnabled(False)

    def _draw(self) -> None:
        run, file = self._run, self._file
        if run is None or file is None or run.started_at is None:
            return
        measurement = HostMeasurement(
            number=1,
            kind=file.kind.value,
            file_name=self._file_name,
            series=file.series,
            shift_seconds=self.shift.value(),
        )
        lines = host_lines([measurement], measured_span(run.started_at, run.phases))
        self.charts.show_curves([line.curve(run) for line in first_choice(lines)])
        self.about.setText(" ".join(_sentences(file, lines)))


def _sentences(file: HostFile, lines: Sequence[HostLine]) -> list[str]:
    """What the file is, what in it could not be read, and what is missing."""
    count = len(file.series)
    about = [f"Read as {file.kind}: {count} counter{'' if count == 1 else 's'}."]
    if not file.has_zone:
        about.append("Its times have no time zone; this workstation's is assumed.")
    return [*about, *file.notes, missing_text(lines)]
