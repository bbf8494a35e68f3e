"""One campaign: its state and progress, its runs by point with their median run, and its journal."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QTabWidget, QVBoxLayout, QWidget

from engine.analysis.headline import headline_of
from engine.campaign.events import countdown_text
from engine.campaign.journal import CampaignRecord, CampaignState, JournalEntry
from engine.figure_text import UNKNOWN, counted, decimal, duration, milliseconds
from engine.record.totals import NO_TOTALS
from engine.report.campaign.result import is_search_result
from engine.report.campaign.sentences import head_sentence
from engine.report.campaign.tree import CampaignTree
from widgets.parts.fonts import scaled
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_JOURNAL_TITLES = ("Step", "State", "Took", "Run", "Why")
_JOURNAL_WIDEST = ("round 3 of 3: Reset the stores", "interrupted", "8:88:88 h", "20261121-043017-000", "")
_RUNS_WIDEST = ("stores per target 24, think time 100 ms", "run 3, median", "8 888 888", "88 888", "Spread %")
_LEAST = "stores per target"  # of the first column, where the table is too narrow for all
_STEPS = 1_000


class CampaignView(QWidget):
    """Signals carry the campaign's name; ``run_requested`` the id of a run to open."""

    stop_requested = Signal(str)
    resume_requested = Signal(str)
    report_requested = Signal(str)
    library_requested = Signal(str)
    copy_requested = Signal(str)
    delete_requested = Signal(str)
    run_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree: CampaignTree | None = None
        self.name = QLabel(self)
        self.sentence = QLabel(self)
        self.doing = QLabel(self)
        self.progress = QProgressBar(self)
        self.stop_button = QPushButton("Stop", self)
        self.resume_button = QPushButton("Resume", self)
        self.report_button = QPushButton("Report…", self)
        self.library_button = QPushButton("Show in the library", self)
        self.copy_button = QPushButton("Edit a copy", self)
        self.delete_button = QPushButton("Delete", self)
        self.runs = TableView("Runs of the campaign", self)
        self.journal = TableView("Journal of the campaign", self)
        self._runs_model, self._journal_model = TextModel(self), TextModel(self)
        self._run_ids: list[str] = []
        self.tabs = QTabWidget(self)
        self._build()
        self.show_doing("", None, None)

    def show_campaign(self, tree: CampaignTree) -> None:
        """Show a campaign as the library holds it."""
        campaign = tree.campaign
        if self.tree is None or self.tree.campaign.name != campaign.name:
            self.show_doing("", None, None)
        self.tree = tree
        self.name.setText(campaign.name)
        searches = [entry.reason for entry in campaign.last_entries() if is_search_result(entry)]
        note = [campaign.plan.note] if campaign.plan.note else []
        self.sentence.setText(" ".join([head_sentence(tree), *note, *searches, *_again(campaign)]))
        self._show_runs(tree)
        rows = tuple(map(_journal_row, campaign.entries))
        _put(self.journal, self._journal_model, Texts(_JOURNAL_TITLES, rows, words=2, last_words=2), _JOURNAL_WIDEST)
        is_running = campaign.state is CampaignState.RUNNING
        self.stop_button.setEnabled(is_running)
        self.resume_button.setEnabled(not is_running and campaign.state is not CampaignState.COMPLETED)
        self.report_button.setEnabled(bool(tree.branches))
        self.library_button.setEnabled(bool(tree.runs or tree.others))
        self.delete_button.setEnabled(not is_running)

    def show_doing(self, doing: str, share: float | None, left_seconds: float | None) -> None:
        """What is being done now, the share that is done, and how long it still takes; empty: nothing here."""
        left = "" if left_seconds is None else f", {countdown_text(left_seconds)} left"
        self.doing.setText(f"{doing}{left}")
        self.doing.setVisible(bool(doing))
        self.progress.setVisible(bool(doing))
        if share is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, _STEPS)
            self.progress.setValue(round(_STEPS * share))

    def _build(self) -> None:
        self.name.setFont(scaled(self.font(), 1.15, bold=True))
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress of the step")
        for label in (self.name, self.sentence, self.doing):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        buttons = QHBoxLayout()
        signals = (
            (self.stop_button, self.stop_requested),
            (self.resume_button, self.resume_requested),
            (self.report_button, self.report_requested),
            (self.library_button, self.library_requested),
            (self.copy_button, self.copy_requested),
            (self.delete_button, self.delete_requested),
        )
        for button, signal in signals:
            buttons.addWidget(button)
            button.clicked.connect(self._emitting(signal.emit))
        buttons.addStretch(1)
        for view, model, title in (
            (self.runs, self._runs_model, "Runs"),
            (self.journal, self._journal_model, "Journal"),
        ):
            view.setModel(model)
            view.setAlternatingRowColors(True)
            view.columns.let_yield([(0, _LEAST)])
            self.tabs.addTab(view, title)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Parts of the campaign")
        self.runs.activated.connect(lambda index: self._open(self._run_ids[index.row()]))
        self.journal.activated.connect(lambda index: self._open(self._entry(index.row()).run_id))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(layout.contentsMargins().left(), 0, 0, 0)  # as high and as wide as what is beside it
        layout.addWidget(self.name)
        layout.addWidget(self.sentence)
        layout.addLayout(buttons)  # above what comes and goes, so that they don't move
        layout.addWidget(self.doing)
        layout.addWidget(self.progress)
        layout.addWidget(self.tabs, 1)

    def _emitting(self, emit: Callable[[str], None]) -> Callable[[], None]:
        return lambda: emit(self.name.text())

    def _entry(self, row: int) -> JournalEntry:
        assert self.tree is not None
        return self.tree.campaign.entries[row]

    def _open(self, run_id: str) -> None:
        if run_id:
            self.run_requested.emit(run_id)

    def _show_runs(self, tree: CampaignTree) -> None:
        headline = headline_of(tree.campaign.plan.plan.workload)
        rows: list[tuple[str, ...]] = []
        self._run_ids = []
        for branch in tree.branches:
            figures, median = branch.figures, branch.median
            for place, run in enumerate(branch.runs):
                totals = run.totals or NO_TOTALS
                is_median = median is not None and run.run_id == median.run_id and len(branch.runs) > 1
                self._run_ids.append(run.run_id)
                rows.append(
                    (
                        (branch.text or f"step {branch.step}") if place == 0 else "",
                        f"run {place + 1}" + (", median" if is_median else ""),
                        headline.text(totals.headline_rate),
                        milliseconds(totals.times.p95),
                        decimal(figures.spread_pct) if is_median else "",
                    )
                )
        titles = ("Point", "Run", headline.label, "p95 ms", "Spread %")
        _put(self.runs, self._runs_model, Texts(titles, tuple(rows), words=2), _RUNS_WIDEST)


def _again(campaign: CampaignRecord) -> list[str]:
    """How many steps were done again; the journal has which, and why."""
    if not (times := len(campaign.again())):
        return []
    return [f"{counted(times, 'step')} {'was' if times == 1 else 'were'} done again; the journal says why."]


def _put(view: TableView, model: TextModel, texts: Texts, widest: tuple[str, ...]) -> None:
    """Show a table; its columns get their first widths once, and the selection and position stay."""
    if model.columnCount() == len(texts.titles) and model.texts == texts:
        return
    is_first, row, at = not model.columnCount(), view.currentIndex().row(), view.verticalScrollBar().value()
    model.show_texts(texts)
    if is_first:
        view.fit_columns(widest)
    if 0 <= row < len(texts.rows):
        view.selectRow(row)
    view.verticalScrollBar().setValue(at)


def _journal_row(entry: JournalEntry) -> tuple[str, ...]:
    took = UNKNOWN if entry.ended_at is None else duration((entry.ended_at - entry.began_at).total_seconds())
    again = f" (attempt {entry.attempt})" if entry.attempt > 1 else ""
    return f"{entry.title}{again}", entry.state.value, took, entry.run_id, entry.reason
