"""The audit of a stored run: verdict, counts by class and store, examples, and checks.

Called by the run's page; the app runs the audit.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSplitter, QVBoxLayout, QWidget

from engine.analysis.headline import Headline, headline_of
from engine.audit.report import AuditReport, Verdict
from engine.figure_text import spaced
from engine.record.clock import RunClock
from engine.report.audit_text import load_sentences
from engine.workload.registry import DVD_STORE
from resources import read_text
from widgets.library.audit_tables import TextTable, as_lines, check_texts, count_texts, example_texts, tips_of
from widgets.parts.fonts import scaled
from widgets.parts.form.note import FormNote
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign, Tone

SIGNS: dict[Verdict, tuple[Shape, Tone]] = {
    Verdict.CLEAN: (Shape.TICK, "good"),
    Verdict.CUT_OFF: (Shape.BAR, "muted"),
    Verdict.NOTHING: (Shape.RING, "muted"),
    Verdict.SUSPICIOUS: (Shape.TRIANGLE, "warning"),
    Verdict.INCOMPLETE: (Shape.SQUARE, "warning"),
    Verdict.NOT_POSSIBLE: (Shape.DIAMOND, "warning"),
    Verdict.LOST: (Shape.CROSS, "bad"),
}
_NOT_YET = "This run has not been audited."
_NEVER = "Nothing is audited."
_WHAT = (
    "An audit looks up every acknowledged {one} on the server and checks that it is still there as it was written. It"
    " only reads, and is possible until the {store} is reset or rebuilt."
)
_VERDICTS = "Verdicts"
_VERDICT_FACTOR = 1.4
_FULL = 1_000
_COUNTS_AND_REST = (12, 7, 7)
_UNLIMITED = (1 << 24) - 1  # QWIDGETSIZE_MAX


class AuditView(QWidget):
    """``audit_requested`` and ``cancel_requested`` are emitted by the buttons."""

    audit_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report: AuditReport | None = None
        self._sign = ShapeSign(look, self)
        self.verdict = QLabel(self)
        self.sentences = QLabel(self)
        self._headline, self._clock = headline_of(DVD_STORE), RunClock()
        self.when = QLabel(self)
        self.counts = TextTable("", self)
        self.checks = TextTable("Consistency of the store", self)
        self.examples = TextTable("", self)
        self.audit = QPushButton("Audit now", self)
        self.copy = QPushButton("Copy", self)
        self.help_button = QPushButton("What the verdicts mean", self)
        self._help: HelpPage | None = None
        self.progress = QProgressBar(self)
        self.cancel = QPushButton("Cancel", self)
        self.note = FormNote(look, self)
        self._tables = QSplitter(Qt.Orientation.Vertical, self)
        self._lay_out()
        self.audit.clicked.connect(self.audit_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self.copy.clicked.connect(self._on_copy)
        self.help_button.clicked.connect(self.show_help)
        self.show_audit(None)

    def set_run(self, headline: Headline, clock: RunClock) -> None:
        """The headline and the clock of the run whose audit is shown next."""
        self._headline, self._clock = headline.recorded, clock

    def show_audit(self, audit: Mapping[str, Any] | None) -> None:
        """Show the audit of a run's record; ``None``: not audited yet."""
        headline = self._headline
        self._report = report = AuditReport.from_dict(audit) if audit is not None and headline.has_users else None
        self.counts.setAccessibleName(f"{headline.heading} by class")
        self.examples.setAccessibleName(f"Examples of {headline.many}")
        self._show_busy(False)
        self.note.clear()
        self.copy.setEnabled(report is not None)
        self._tables.setVisible(report is not None)
        for button in (self.audit, self.copy, self.help_button):
            button.setVisible(headline.has_users)
        if report is None:
            self._sign.show_shape(Shape.RING, "muted")
            self.verdict.setText(_NOT_YET if headline.has_users else _NEVER)
            what = _WHAT.format(one=headline.one, store=headline.wording.stores[0])
            self.sentences.setText(headline.wording.unaudited or what)
            self.when.clear()
            return
        self._sign.show_shape(*SIGNS[report.verdict])
        verdict, *others = map(spaced, load_sentences(report, headline))
        self.verdict.setText(verdict)
        self.sentences.setText("\n".join(others))
        self.when.setText(_when(report))
        self.counts.show_texts(count_texts(report, headline), tips_of(headline))
        self.checks.show_texts(check_texts(report.stores))
        examples = example_texts(report.stores, headline, self._clock)
        self.examples.show_texts(examples, tips_of(headline))
        self.examples.setVisible(bool(examples.rows))
        has_checks = any(store.consistency for store in report.stores)
        self.checks.setVisible(has_checks)
        self.counts.setMaximumHeight(_whole_height(self.counts) if has_checks else _UNLIMITED)

    def show_progress(self, doing: str, share: float) -> None:
        """An audit of this run is in progress."""
        self._show_busy(True)
        self.progress.setValue(round(_FULL * share))
        self.note.show_busy(doing)

    def show_trouble(self, sentence: str) -> None:
        """The audit failed; an earlier result stays."""
        self._show_busy(False)
        self.note.show_wrong(sentence)

    def show_help(self) -> HelpPage:
        """Explain the verdicts, in a separate window."""
        if self._help is None:
            self._help = HelpPage("The audit", read_text("help", "audit.md"), self)
        self._help.show()
        self._help.raise_()
        self._help.show_heading(_VERDICTS)
        return self._help

    def as_text(self) -> str:
        """Everything as text, for the clipboard."""
        report, headline = self._report, self._headline
        if report is None:
            return ""
        examples = example_texts(report.stores, headline, self._clock)
        tables = (count_texts(report, headline), check_texts(report.stores), examples)
        parts = [
            load_sentences(report, headline),
            *(as_lines(texts) for texts in tables if texts.rows),
            [_when(report)],
        ]
        return "\n\n".join("\n".join(lines) for lines in parts).strip()

    def _lay_out(self) -> None:
        self.verdict.setFont(scaled(self.font(), _VERDICT_FACTOR, bold=True))
        self._sign.setFont(self.verdict.font())
        self.progress.setRange(0, _FULL)
        self.progress.setFormat("%p\u202f%")
        self.progress.setAccessibleName("Progress of the audit")
        self.cancel.setAccessibleName("Cancel the audit")
        for label in (self.verdict, self.sentences, self.when):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self._sign)
        head.addWidget(self.verdict, 1)
        working = QHBoxLayout()
        for widget in (self.audit, self.copy, self.help_button):
            working.addWidget(widget)
        working.addWidget(self.note, 1)
        working.addWidget(self.progress, 1)
        working.addWidget(self.cancel)
        for table, share in zip((self.counts, self.checks, self.examples), _COUNTS_AND_REST, strict=True):
            self._tables.addWidget(table)
            self._tables.setStretchFactor(self._tables.count() - 1, share)
        self._tables.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self.sentences)
        layout.addLayout(working)
        layout.addWidget(self._tables, 1)
        layout.addWidget(self.when)
        layout.addStretch(0)

    def _show_busy(self, busy: bool) -> None:
        had_focus = self.cancel.hasFocus()
        self.audit.setEnabled(not busy)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        if had_focus and not busy:
            self.audit.setFocus()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())


def _whole_height(table: TextTable) -> int:
    """The height of a table with all its rows, and with a scroll bar for many columns."""
    rows, header = table.verticalHeader().length(), table.horizontalHeader().sizeHint().height()
    return header + rows + table.horizontalScrollBar().sizeHint().height() + 2 * table.frameWidth()


def _when(report: AuditReport) -> str:
    if not report.audited_at:
        return ""
    moment = datetime.fromisoformat(report.audited_at).astimezone()
    return f"Audited on {moment:%Y-%m-%d} at {moment:%H:%M:%S}, in {report.seconds:.1f}\u202fs."
