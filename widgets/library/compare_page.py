"""Two to eight stored runs in one chart, aligned at a common moment, and the differences of their figures; runs by
stages also over their load.

Called by the window: ``show_loading`` while the runs are read, then ``show_runs``.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from engine.analysis.comparing.comparison import (
    Align,
    differences,
    first_fault,
    headline_curve,
    place_of,
    shared_marks,
)
from engine.analysis.comparing.noise import Spread, own_spread, set_spreads
from engine.analysis.comparing.references import Reference
from engine.analysis.comparing.run_factors import differing_factors, factor_lines, factors_sentence
from engine.analysis.headline import Headline
from engine.analysis.host.power import PowerFigures
from engine.analysis.latency.step_times import has_two_times
from engine.analysis.run_data import RunData
from engine.analysis.stages.curves import comparable_curves
from engine.figure_text import moment as started
from engine.figure_text import whole
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS, StageTotals
from engine.report.export_kind import ExportKind
from widgets.library.chart_image import image_of
from widgets.library.compare_choices import CompareChoices
from widgets.library.compare_marks import compared_marks
from widgets.library.compared_runs import (
    client_names,
    client_rate,
    curve_style,
    distinct_names,
    noises,
    unaligned_sentences,
)
from widgets.library.compared_stages import ComparedStages
from widgets.library.difference_table import DifferenceTable
from widgets.library.export_button import ExportButton
from widgets.library.load_curves import load_title
from widgets.library.reference_button import ReferenceButton
from widgets.live.headline_header import reading_text
from widgets.live.waiting_panel import PreparingPanel
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.layers import Level
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.run import MIDDLE_OF_SECOND, headline_text
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.fonts import scaled
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_SHARES = (560, 440)
_NO_SETS: Mapping[str, Sequence[RunRecord]] = MappingProxyType({})
_SINCE = {
    Align.START: "since the start",
    Align.MEASURING: "since measuring began",
    Align.FAULT: "since the first fault",
}


class ComparePage(QWidget):
    """The baseline's curve has the text colour, each other run a colour of its own. Published results are dashed lines
    and columns of their own.

    ``export_requested`` carries an ``ExportKind``, for which ``chart_image`` gives the bytes; ``report_requested``
    carries the ids of the runs, and ``load_chosen`` what the load of mixed runs is called that is to be compared.
    """

    back_requested = Signal()
    cancel_requested = Signal()
    export_requested = Signal(object)
    report_requested = Signal(list)
    load_chosen = Signal(str)
    references_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: list[tuple[RunRecord, RunData]] = []
        self._power: tuple[PowerFigures | None, ...] = ()
        self._names: list[str] = []
        self._sets: Mapping[str, Sequence[RunRecord]] = {}
        self._levels: set[str] = set()
        self.back_button = QPushButton("← Library", self)
        self.export_button = ExportButton(self, charts_only=True)
        self.copy_button = QPushButton("Copy table", self)
        self.report_button = QPushButton("Report…", self)
        self.references = ReferenceButton(self)
        self._head_buttons = (self.references, self.copy_button, self.report_button, self.export_button)
        self.choices = CompareChoices(self)
        self.chart = TimeChart(look, name="Headline metric", amount="", value_text=whole)
        self.chart.caption = self._caption
        self.stages = ComparedStages(look, self._caption)
        self.table = DifferenceTable(look)
        self.factors = FormNote(look, self)
        self.loading = PreparingPanel()
        self._title = QLabel(self)
        self._left_out = QLabel(self)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._charts = QStackedWidget(self)
        self._pages = QStackedWidget(self)
        self._build()
        self._connect()

    def show_loading(self, doing: str, share: float | None) -> None:
        """The runs are being read; ``share`` is the share done, from 0 to 1, ``None`` if unknown."""
        self._title.setText("Compare runs")
        self.loading.show_doing(doing, share)
        self._show(self.loading)

    def show_runs(
        self,
        runs: Sequence[tuple[RunRecord, RunData]],
        sets: Mapping[str, Sequence[RunRecord]] = _NO_SETS,
        power: Sequence[PowerFigures | None] = (),
    ) -> None:
        """Compare these runs, the first as the baseline; ``sets`` are all runs of the sets that they belong to,
        ``power`` the power draw of what each was measured on."""
        self._runs, self._sets, self._power = list(runs), sets, tuple(power)
        self._names = distinct_names([record for record, _ in runs])
        self._title.setText(f"{len(runs)} runs compared")
        data = [run for _, run in runs]
        headline = self._headline
        self.references.show_workload(data[0].plan.workload)
        name, words = f"{headline.label} of the compared runs", headline_text(headline)
        self.chart.set_amount(name, headline.rate, words, short=headline.label)
        all_measured = all(run.phases.measuring_from is not None for run in data)
        faults = [sum(event.is_fault for event in run.sorted_events()) for run in data]
        self.choices.offer(
            self._names,
            client_names(data),
            shared_marks(data),
            all_measured=all_measured,
            faulted=sum(first_fault(run) is not None for run in data),
            load=load_title(next(iter(self._staged().values()), ()), headline),
        )
        self._show_factors(faults)
        self.chart.clear()
        self._draw()
        self._show(self._splitter)

    def set_references(self, references: Sequence[Reference]) -> None:
        """Offer these published results."""
        self.references.offer(references)
        if self._runs:
            self._draw()

    def chart_image(self, kind: ExportKind) -> bytes:
        """The chart as it is displayed, as PNG or SVG."""
        return self.stages.image(kind) if self.choices.is_over_load else image_of(self.chart, kind)

    def save_layout(self) -> dict[str, bytes]:
        return {"splitter": bytes(self._splitter.saveState().data())}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        self._splitter.restoreState(QByteArray(saved.get("splitter", b"")))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc goes back, unless a child widget handles it."""
        if event.key() == Qt.Key.Key_Escape:
            self._on_back()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._title.setFont(scaled(self.font(), 1.15, bold=True))
        self.back_button.setToolTip("Back to the library (Esc, Alt+Left)")
        self._left_out.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self._title, 1)
        for button in self._head_buttons:
            head.addWidget(button)
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.factors)
        column.addWidget(self.choices)
        column.addWidget(self._left_out)
        column.addWidget(self._charts, 1)
        for chart in (self.chart, self.stages):
            self._charts.addWidget(chart)
        for place, widget in enumerate((above, self.table)):
            self._splitter.addWidget(widget)
            self._splitter.setStretchFactor(place, _SHARES[place])
        self._splitter.setSizes(list(_SHARES))
        self._splitter.setChildrenCollapsible(False)
        for page in (self.loading, self._splitter):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        for before, after in pairwise((self.back_button, *self._head_buttons)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        back = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        back.setWhatsThis("Back to the table")
        back.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        back.activated.connect(self._on_back)
        self.back_button.clicked.connect(self._on_back)
        self.copy_button.clicked.connect(self.table.copy_all)
        self.loading.cancel_requested.connect(self.cancel_requested)
        self.export_button.export_requested.connect(self.export_requested)
        self.choices.changed.connect(self._draw)
        self.choices.load_chosen.connect(self.load_chosen)
        self.references.changed.connect(self._draw)
        self.references.manage_requested.connect(self.references_requested)
        self.report_button.clicked.connect(self._on_report)

    def _draw(self) -> None:
        """Draw the curves over the load or over time, and fill the table."""
        baseline = self.choices.baseline
        styles = [curve_style(name, run, is_baseline=run == baseline) for run, name in enumerate(self._names)]
        if self.choices.is_over_load:
            self._draw_over_load(styles)
        else:
            self._draw_over_time(styles)
        self._show_table(self.choices.client, baseline)

    def _draw_over_load(self, styles: Sequence[CurveStyle]) -> None:
        staged = self._staged()
        self.stages.show_runs({place: (styles[place], stages) for place, stages in staged.items()}, self._headline)
        self._charts.setCurrentWidget(self.stages)
        others = [name for place, name in enumerate(self._names) if place not in staged]
        self._say_left_out(
            [f"Not shown, because their load has no such stages: {', '.join(others)}."] if others else []
        )

    def _draw_over_time(self, styles: Sequence[CurveStyle]) -> None:
        """Draw the aligned curves and their marks."""
        moment, client = self.choices.moment, self.choices.client
        places = [place_of(run, moment) for _, run in self._runs]
        origin = max((place.offset_seconds for place in places if place is not None), default=0.0)
        reading, window_seconds = self.choices.reading
        for number, ((_, run), place) in enumerate(zip(self._runs, places, strict=True)):
            if place is None:
                self.chart.curves.remove(number)
                continue
            values = headline_curve(run, reading, client=client, window_seconds=window_seconds)
            self.chart.curves.set(number, origin - place.offset_seconds + MIDDLE_OF_SECOND, values, styles[number])
        self._draw_levels(client)
        marked = [
            (name, run, origin - place.offset_seconds, style.colour)
            for name, (_, run), place, style in zip(self._names, self._runs, places, styles, strict=True)
            if place is not None
        ]
        self.chart.set_marks(compared_marks(marked, moment, origin))
        self.chart.set_origin(origin, _SINCE.get(moment.align, f"since “{moment.label}”"))
        self.chart.refresh()
        self._charts.setCurrentWidget(self.chart)
        self._say_left_out(unaligned_sentences(self._names, places, moment))

    def _staged(self) -> dict[int, tuple[StageTotals, ...]]:
        """The stages of the runs that are drawn over the load, by place."""
        stages = [(run.totals or NO_TOTALS).stages for _, run in self._runs]
        return {place: stages[place] for place in comparable_curves(stages)}

    @property
    def _headline(self) -> Headline:
        """That of the runs' workload; only runs of one are compared."""
        return self._runs[0][1].headline

    def _show_table(self, client: int | None, baseline: int) -> None:
        chosen = self.references.chosen
        totals = [*(record.totals for record, _ in self._runs), *(each.totals for each in chosen)]
        names = [*self._names, *(f"{each.name} (published)" for each in chosen)]
        spreads = [self._spreads(record, run, client) for record, run in self._runs] + [{} for _ in chosen]
        has_two = any(
            has_two_times(record.totals or NO_TOTALS, is_open_loop=record.plan.is_open_loop) for record, _ in self._runs
        )
        found = differences(
            self._headline, totals, baseline=baseline, client=client, power=self._power, has_two_times=has_two
        )
        self.table.show_differences(names, found, baseline, noises(spreads, baseline))

    def _spreads(self, record: RunRecord, run: RunData, client: int | None) -> dict[str, Spread]:
        """The random variation of each run's figures: of its set, or else between its own minutes."""
        repeated = [
            each.totals
            for each in self._sets.get(record.run_set, ())
            if each.state is RunState.COMPLETED and each.totals is not None
        ]
        spreads = own_spread(run, client) | set_spreads(record.run_set, repeated, client)
        if "headline running" in spreads:
            spreads["headline per watt"] = spreads["headline running"]  # the watts are constant
        return spreads

    def _show_factors(self, faults: Sequence[int]) -> None:
        """Show the factors in which the runs differ."""
        factors = differing_factors([record for record, _ in self._runs], faults)
        self.factors.show_warning(factors_sentence(factors))
        self.factors.setToolTip("\n".join(factor_lines(factors, self._names)))
        self.factors.setVisible(bool(factors))

    def _caption(self) -> Caption:
        """The caption of exported pictures: the runs' ids and dates under the names of the legend."""
        moment = self.choices.moment
        runs = [
            f"{name}: {record.run_id}, started {started(record.started_at)}"
            for name, (record, _) in zip(self._names, self._runs, strict=True)
        ]
        since = _SINCE.get(moment.align, f"since “{moment.label}”")
        metric, reading = self._headline.label, reading_text(*self.choices.reading)
        what = f"{metric}: {reading}, {self.choices.shown.currentText()}, time {since}"
        if self.choices.is_over_load:
            what = f"{metric} and p95 of each stage, over {self.choices.over.currentText()}"
        return Caption(f"{len(runs)} runs compared", (what, *runs))

    def _draw_levels(self, client: int | None) -> None:
        """A dashed line at the headline metric of each published result, or of its client with the chosen number."""
        chosen = {each.name: each for each in self.references.chosen}
        for name in self._levels - set(chosen):
            self.chart.set_level(name, None)
        self._levels = set()
        for name, reference in chosen.items():
            rate = reference.total_headline_rate if client is None else client_rate(reference, client)
            level = None if rate is None else Level(value=float(rate), label=name, is_always_shown=True)
            self.chart.set_level(name, level)
            self._levels.add(name)

    def _say_left_out(self, sentences: Sequence[str]) -> None:
        self._left_out.setText(" ".join(sentences))
        self._left_out.setVisible(bool(sentences))

    def _show(self, page: QWidget) -> None:
        for button in self._head_buttons:
            button.setEnabled(page is self._splitter)
        self._pages.setCurrentWidget(page)

    def _on_report(self) -> None:
        self.report_requested.emit([record.run_id for record, _ in self._runs])

    def _on_back(self) -> None:
        """Leaving while the runs are read cancels reading."""
        if self._pages.currentWidget() is self.loading:
            self.cancel_requested.emit()
        self.back_requested.emit()
