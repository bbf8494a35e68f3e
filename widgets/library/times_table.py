"""The response times of a run: the order as served and as intended, its steps, and what that means.

Called by the run page.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.latency.response_limits import limit_rows
from engine.analysis.latency.step_times import TimesColumns, time_rows
from engine.analysis.specification import measured_mix, verdict_sentences
from engine.analysis.stages.table import shortfall_sentences
from engine.draft.wording import closed_loop_sentence
from engine.figure_text import decimal, milliseconds, whole
from engine.plan.plan import RunPlan
from engine.record.totals import NO_TOTALS, Totals
from resources import read_text
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, shape_icon
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_WIDEST = ("order, service time 00", "888 186 604")
_LIMIT_TITLES, _LIMIT_VERDICT = ("p90 ms", "Limit ms"), "p90 limit"
_MIX_TITLES, _MIX_VERDICT = ("Specified %", "Share %"), "Mix"
_WIDEST_NUMBER, _WIDEST_VERDICT = "888 888", "missed 000"
_MET, _MISSED = "met", "missed"


class TimesTable(QWidget):
    """The table below a sentence on how the users ordered, with help and a button that copies all of it as text."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._help: HelpPage | None = None
        signs = {
            _MET: shape_icon(Shape.TICK, "good", look),
            _MISSED: shape_icon(Shape.CROSS, "bad", look),
        }
        self._model = TextModel(self, signs=signs)
        self.head = QLabel(self)
        self.head.setWordWrap(True)
        self.head.setTextFormat(Qt.TextFormat.PlainText)
        self.view = TableView("Response times of the run", self)
        self.view.setModel(self._model)
        self.view.setAlternatingRowColors(True)
        self.help_button = QPushButton("What the times mean", self)
        self.copy_button = QPushButton("Copy table", self)
        self.help_button.clicked.connect(self.show_help)
        self.copy_button.clicked.connect(self.view.copy_all)
        foot = QHBoxLayout()
        foot.addWidget(self.help_button)
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, layout.spacing(), 0, 0)  # in line with the charts above
        layout.addWidget(self.head)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def show_totals(self, totals: Totals | None, plan: RunPlan) -> None:
        """Show the response times of a record's totals; ``None`` without totals."""
        rows = time_rows(totals or NO_TOTALS, is_open_loop=plan.is_open_loop)
        judged, columns = _Judged(totals or NO_TOTALS), TimesColumns(rows)
        times = [f"{each} ms" for each in ("Mean", *columns.percentiles, "Max")]
        texts = tuple(
            (row.name, whole(row.count), *map(milliseconds, columns.of(row)), *judged.texts(row.transaction))
            for row in rows
        )
        titles = ("Response time", "Count", *times, *judged.titles)
        self._model.show_texts(Texts(titles, texts, last_words=judged.words))
        self.view.fit_columns(
            (*_WIDEST, *("888 888",) * len(times), *judged.widest)
        )  # a header without columns forgets their widths
        is_known = bool(rows)
        said = [closed_loop_sentence(plan), *shortfall_sentences(plan, totals or NO_TOTALS)]
        said += verdict_sentences(plan, totals or NO_TOTALS)
        self.head.setText(" ".join(said) if is_known else "No response time is known.")
        self.copy_button.setEnabled(is_known)

    def show_help(self) -> HelpPage:
        """Explain the response times, in a separate window."""
        if self._help is None:
            self._help = HelpPage("Response times", read_text("help", "response-times.md"), self)
        self._help.show()
        self._help.raise_()
        return self._help


class _Judged:
    """The columns of what the workload's specification asks of each type: the limit of its response times, its share;
    numbers first, then the verdicts. Empty for a workload that asks for nothing."""

    def __init__(self, totals: Totals) -> None:
        self._limits = {each.name: each for each in limit_rows(totals)}
        self._mix = {each.name: each for each in measured_mix(totals)}
        has_limits, has_mix = bool(self._limits), bool(self._mix)
        self.words = has_limits + has_mix
        self.titles = (
            *(_LIMIT_TITLES if has_limits else ()),
            *(_MIX_TITLES if has_mix else ()),
            *((_LIMIT_VERDICT,) if has_limits else ()),
            *((_MIX_VERDICT,) if has_mix else ()),
        )
        self.widest = (*(_WIDEST_NUMBER,) * (len(self.titles) - self.words), *(_WIDEST_VERDICT,) * self.words)

    def texts(self, name: str) -> tuple[str, ...]:
        """The cells of the type of this name; empty for what is not judged."""
        limit, share = self._limits.get(name), self._mix.get(name)
        of_limit = ("", "") if limit is None else (milliseconds(limit.p90_ms), milliseconds(limit.limit_ms))
        of_share = ("", "") if share is None else (decimal(share.specified_pct), decimal(share.share_pct, 2))
        return (
            *(of_limit if self._limits else ()),
            *(of_share if self._mix else ()),
            *(("" if limit is None else limit.verdict,) if self._limits else ()),
            *(("" if share is None else share.verdict,) if self._mix else ()),
        )
