"""Measures what idle machines take: which machines, for how long, the result, and where it is kept."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.host.idle_watts import IdleWatts, total_watts
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, capitalised, decimal, whole
from engine.parameters.typed_text import duration_of
from widgets.machines.machine_list import MachineList
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.form.fields import TimeField
from widgets.parts.form.note import FormNote
from widgets.parts.form.row import Form
from widgets.parts.look import Look
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_WHAT = (
    "Measure while the server and its storage are idle. Each machine is read by its best meter; several meters of a"
    " machine are added up."
)
_TITLES = ("Device", "Idle W", "Lowest", "Highest", "Deviation", "Readings", "Read by")
_CHARACTERS, _LINES, _MACHINE_LINES = 100, 40, 8
_SHOWN_TIME = "5:00"
_PER_MILLE = 1000
_MINUTE_SECONDS, _LONGEST_SECONDS = 60.0, 24 * 3600.0


class IdleWattsDialog(QDialog):
    """``problems`` has every machine of the inventory, and why it can't be measured, empty where it can.

    ``measure_requested`` carries the names of machines and the seconds, ``save_requested`` what was measured and the
    name of a configuration. ``cancel_requested`` is emitted also when the dialog is closed while it measures.
    """

    measure_requested = Signal(list, float)
    cancel_requested = Signal()
    save_requested = Signal(object, str)

    def __init__(
        self, look: Look, problems: Mapping[str, str], configurations: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._measured: tuple[IdleWatts, ...] = ()
        self._is_busy = False
        self.setWindowTitle("Idle watts")
        self.form = Form(look, self)
        self.machines = MachineList(look, problems, problems, _MACHINE_LINES, self)
        self.time = TimeField(bare_seconds=_MINUTE_SECONDS, parent=self)
        self.measure_button, self.close_button = QPushButton("&Measure", self), QPushButton("Close", self)
        self.progress = QProgressBar(self)
        self.note = FormNote(look, self)
        self.model = TextModel(self)
        self.table = TableView("Idle watts", self)
        self.configuration = QComboBox(self)
        self.save_button = QPushButton("&Save", self)
        self.configuration.addItems(list(configurations))
        self.time.setText(_SHOWN_TIME)
        if all(problems.values()):
            self.note.show_help("No machine has a meter. Add one to it: Menu, Machines.")
        self._lay_out()
        self._connect()
        self._allow()

    def show_progress(self, doing: str, share: float) -> None:
        """What is being read, and the share of the time that is over."""
        self.note.show_busy(capitalised(doing))
        self.progress.setValue(round(_PER_MILLE * share))

    def show_measured(self, measured: Sequence[IdleWatts]) -> None:
        """Show the result, which can be saved from now on."""
        self._measured = tuple(measured)
        self.model.show_texts(_texts(self._measured))
        self.table.fit_columns(("",) * len(_TITLES))
        self.show_result("Measured.", ok=True)

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """Measuring or saving is over; say what came of it."""
        self._is_busy = False
        (self.note.show_good if ok else self.note.show_wrong)(sentence)
        self._allow()

    def show_cancelled(self) -> None:
        self._is_busy = False
        self.note.show_help("Cancelled; nothing was kept.")
        self._allow()

    def done(self, result: int) -> None:
        """Cancel what is being measured, and close."""
        if self._is_busy:
            self.cancel_requested.emit()
        super().done(result)

    def _lay_out(self) -> None:
        about = QLabel(_WHAT, self)
        about.setWordWrap(True)
        self.form.add("machines", "Ma&chines", self.machines, bound=False)
        self.form.add("time", "&For", self.time, help_text="5 is 5 minutes; 90s and 1:30 work too.", bound=False)
        self.form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.progress.setRange(0, _PER_MILLE)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress")
        self.configuration.setAccessibleName("Configuration that keeps them")
        self.table.setModel(self.model)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        start = QHBoxLayout()
        start.addWidget(self.measure_button)
        start.addWidget(self.progress, 1)
        start.addStretch()
        keep = QHBoxLayout()
        keep.addWidget(QLabel("Idle watts of configuration", self))
        keep.addWidget(self.configuration, 1)
        keep.addWidget(self.save_button)
        below = QHBoxLayout()
        below.addWidget(self.note, 1, Qt.AlignmentFlag.AlignVCenter)
        below.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(about)
        layout.addWidget(self.form)
        layout.addLayout(start)
        layout.addWidget(self.table, 1)
        layout.addLayout(keep)
        layout.addLayout(below)
        resize_to_text(self, _CHARACTERS, _LINES)
        for button in (self.measure_button, self.save_button, self.close_button):
            button.setAutoDefault(False)

    def _connect(self) -> None:
        self.machines.itemChanged.connect(self._allow)
        self.time.textEdited.connect(self._allow)
        self.measure_button.clicked.connect(self._on_measure)
        self.save_button.clicked.connect(self._on_save)
        self.close_button.clicked.connect(self.reject)

    def _seconds(self) -> float | None:
        """For how long to measure; ``None`` when what was typed is no such time."""
        try:
            seconds = duration_of(self.time.text(), bare_seconds=_MINUTE_SECONDS)
        except BadInput:
            return None
        return seconds if 0 < seconds <= _LONGEST_SECONDS else None

    def _allow(self) -> None:
        seconds = self._seconds()
        wrong = "" if seconds else f"Time is '{self.time.text()}'; give more than 0 s, at most 24 hours."
        self.form.show_errors({"time": wrong} if wrong else {})
        self.measure_button.setText("Cancel" if self._is_busy else "&Measure")
        self.measure_button.setEnabled(self._is_busy or (bool(self.machines.ticked) and not wrong))
        self.save_button.setEnabled(not self._is_busy and bool(self._measured) and self.configuration.count() > 0)
        self.progress.setVisible(self._is_busy)
        self.machines.setEnabled(not self._is_busy)
        self.time.setEnabled(not self._is_busy)

    def _on_measure(self) -> None:
        if self._is_busy:
            self.cancel_requested.emit()
            return
        seconds = self._seconds()
        assert seconds is not None
        self._is_busy = True
        self.progress.setValue(0)
        self._allow()
        self.measure_requested.emit(self.machines.ticked, seconds)

    def _on_save(self) -> None:
        self._is_busy = True
        self.note.show_busy("Saving …")
        self._allow()
        self.save_requested.emit(self._measured, self.configuration.currentText())


def _texts(measured: Sequence[IdleWatts]) -> Texts:
    """A row for each machine, and one for all together when there are several."""
    rows = [
        (
            each.device,
            *(
                decimal(watts, 1)
                for watts in (each.mean_watts, each.lowest_watts, each.highest_watts, each.deviation_watts)
            ),
            whole(each.readings),
            f"{each.source} (slow averages)" if each.is_average else each.source,
        )
        for each in measured
    ]
    if len(measured) > 1:
        rows.append(("together", decimal(total_watts(measured), 1), *4 * (UNKNOWN,), ""))
    return Texts(_TITLES, tuple(rows), last_words=1)
