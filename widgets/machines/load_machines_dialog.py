"""The load machines: which are started, what each is, and why one can't drive clients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.figure_text import capitalised
from widgets.machines.findings import Findings
from widgets.machines.machine_list import MachineList
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_WHAT = (
    "Machines that drive clients of a run together with this one. Start gives each its certificate over SSH and starts"
    " a worker there; a plan places clients on them (New run, Load)."
)
_CHARACTERS, _LINES, _MACHINE_LINES, _FINDING_LINES = 150, 44, 6, 7
_PER_MILLE = 1000


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """What was typed for the start: ports, 0 for any, this machine's address, empty to find it, and a choice."""

    port: str
    worker_port: str
    agent_ports: str
    address: str
    takes_busy: bool


class LoadMachinesDialog(QDialog):
    """``problems`` has every machine of the inventory, and why it can't be started, empty where it can; ``chosen`` are
    ticked at first. ``certificates`` says until when these are valid.

    ``start_requested`` carries the names of machines, ``stop_requested`` whether a run may lose them,
    ``stop_machine_requested`` the name of one and the same.
    ``cancel_requested`` is emitted also when the dialog is closed while it is busy.
    """

    start_requested = Signal(list)
    stop_requested = Signal(bool)
    stop_machine_requested = Signal(str, bool)
    renew_requested = Signal()
    ask_requested = Signal()
    cancel_requested = Signal()

    def __init__(
        self,
        look: Look,
        problems: Mapping[str, str],
        chosen: Sequence[str],
        certificates: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._is_busy = False
        self._is_running = False
        self._in_use: str | None = None
        self.setWindowTitle("Load machines")
        self.machines = MachineList(look, problems, chosen, _MACHINE_LINES, self)
        self.start_button = QPushButton("&Start", self)
        self.stop_button = QPushButton("S&top", self)
        self.stop_machine_button = QPushButton("Stop &machine", self)
        self.renew_button = QPushButton("&Renew certificates", self)
        self.port = QLineEdit("0", self)
        self.worker_port = QLineEdit("0", self)
        self.agent_ports = QLineEdit("0", self)
        self.address = QLineEdit(self)
        self.takes_busy = QCheckBox("Take busy machines", self)
        self.ask_button = QPushButton("&Ask again", self)
        self.cancel_button = QPushButton("&Cancel", self)
        self.close_button = QPushButton("Close", self)
        self.progress = QProgressBar(self)
        self.model = TextModel(self)
        self.table = TableView("Load machines", self)
        self.findings = Findings(look, self)
        self.certificates = QLabel(certificates, self)
        self.note = FormNote(look, self)
        if not problems:
            self.note.show_help("The inventory has no other machine. Add one with an SSH access: Menu, Machines.")
        self._lay_out()
        self._connect()
        self._allow()

    def show_busy(self, doing: str, share: float = 0.0) -> None:
        """What is being done, and its share that is done; nothing else can be begun until a result is shown."""
        self._is_busy = True
        self.note.show_busy(capitalised(doing))
        self.progress.setValue(round(_PER_MILLE * share))
        self._allow()

    def show_machines(self, texts: Texts, findings: Sequence[tuple[str, bool]], certificates: str) -> None:
        """The machines of the running cluster, sentences about them with whether each is good, and the certificates."""
        self.show_running()
        self.model.show_texts(texts)
        self.table.fit_columns(("",) * len(texts.titles))
        self.findings.clear()
        for sentence, is_good in findings:
            self.findings.add(sentence, ok=is_good)
        self.certificates.setText(certificates)

    def show_running(self) -> None:
        """A cluster is running, whether or not its machines have answered."""
        self._is_running = True

    def show_stopped(self) -> None:
        """No cluster is running."""
        self._is_running = False
        self.model.show_texts(Texts((), ()))
        self.findings.show_help("No load machine is started.")

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """Something that was requested is over; say what came of it."""
        self._is_busy, self._in_use = False, None
        (self.note.show_good if ok else self.note.show_wrong)(sentence)
        self._allow()

    def show_in_use(self, sentence: str, machine: str) -> None:
        """The machines drive a run, or the one of this name does: what was pressed stops them the next time."""
        self.show_result(sentence, ok=False)
        self._in_use = machine
        self._allow()

    def done(self, result: int) -> None:
        """Cancel what is being done, and close."""
        if self._is_busy:
            self.cancel_requested.emit()
        super().done(result)

    @property
    def options(self) -> ClusterOptions:
        """What was typed for the start."""
        return ClusterOptions(
            port=self.port.text(),
            worker_port=self.worker_port.text(),
            agent_ports=self.agent_ports.text(),
            address=self.address.text(),
            takes_busy=self.takes_busy.isChecked(),
        )

    @property
    def selected_machine(self) -> str:
        """The name of the machine whose row is selected in the table; empty if none is."""
        row = self.table.currentIndex().row()
        return self.model.texts.rows[row][0] if 0 <= row < len(self.model.texts.rows) else ""

    def _lay_out(self) -> None:
        metrics = self.fontMetrics()
        about = QLabel(_WHAT, self)
        about.setWordWrap(True)
        self.machines.setAccessibleName("Machines to start")
        self.progress.setRange(0, _PER_MILLE)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress")
        self.table.setModel(self.model)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.findings.setFixedHeight(round(_FINDING_LINES * 1.5 * metrics.height()))
        self.findings.setAccessibleName("What is to be said of the machines")
        self.certificates.setWordWrap(True)
        row = QHBoxLayout()
        for button in (self.start_button, self.stop_button, self.stop_machine_button, self.ask_button):
            row.addWidget(button)
        row.addWidget(self.progress, 1)
        row.addWidget(self.cancel_button)
        row.addStretch()
        options = QHBoxLayout()
        for title, field, tip in (
            ("Scheduler port", self.port, "Where the scheduler listens on this machine; 0 for any free port."),
            ("Worker port", self.worker_port, "Where the worker of each machine listens; 0 for any free port."),
            ("Agent ports", self.agent_ports, "Where runs listen on this machine, such as 8790-8799; 0 for any."),
            ("Address", self.address, "This machine's address as the load machines reach it; empty to find it out."),
        ):
            label = QLabel(title, self)
            label.setBuddy(field)
            field.setToolTip(tip)
            field.setAccessibleName(title)
            options.addWidget(label)
            options.addWidget(field)
        self.takes_busy.setToolTip("Runs use machines also when fewer than half of their processors are free.")
        options.addWidget(self.takes_busy)
        certificates = QHBoxLayout()
        certificates.addWidget(self.certificates, 1)
        certificates.addWidget(self.renew_button)
        below = QHBoxLayout()
        below.addWidget(self.note, 1, Qt.AlignmentFlag.AlignVCenter)
        below.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(about)
        layout.addWidget(self.machines)
        layout.addLayout(options)
        layout.addLayout(row)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.findings)
        layout.addLayout(certificates)
        layout.addLayout(below)
        resize_to_text(self, _CHARACTERS, _LINES)
        for each in self.findChildren(QPushButton):
            each.setAutoDefault(False)

    def _connect(self) -> None:
        self.machines.itemChanged.connect(self._allow)
        self.start_button.clicked.connect(lambda: self.start_requested.emit(self.machines.ticked))
        self.stop_button.clicked.connect(lambda: self.stop_requested.emit(self._in_use == ""))
        self.stop_machine_button.clicked.connect(
            lambda: self.stop_machine_requested.emit(self.selected_machine, self._in_use == self.selected_machine)
        )
        self.renew_button.clicked.connect(self.renew_requested)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._allow())
        self.ask_button.clicked.connect(self.ask_requested)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.close_button.clicked.connect(self.reject)

    def _allow(self) -> None:
        is_free = not self._is_busy
        here = {row[0] for row in self.model.texts.rows if row[1] != "ended"} if self._is_running else set()
        self.start_button.setEnabled(is_free and bool(set(self.machines.ticked) - here))
        self.stop_machine_button.setEnabled(is_free and self._is_running and bool(self.selected_machine))
        self.renew_button.setEnabled(is_free and not self._is_running)
        for field in (self.port, self.agent_ports, self.address, self.takes_busy):
            field.setEnabled(is_free and not self._is_running)
        self.stop_button.setText("S&top anyway" if self._in_use == "" else "S&top")
        is_lost = bool(self._in_use) and self._in_use == self.selected_machine
        self.stop_machine_button.setText("Stop &machine anyway" if is_lost else "Stop &machine")
        self.stop_button.setEnabled(is_free and self._is_running)
        self.ask_button.setEnabled(is_free and self._is_running)
        for shown in (self.progress, self.cancel_button):
            shown.setVisible(self._is_busy)
        self.machines.setEnabled(is_free)
        if is_free:
            self.progress.setValue(0)


def machine_texts(titles: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Texts:
    """The table of machines; all of it is words."""
    return Texts(("Machine", *titles), tuple(rows), words=len(titles) + 1)
