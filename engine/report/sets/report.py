"""The document of a run set: every run, the median run, the runs left out, and the median run's figures.

Called by ``making``.
"""

from collections.abc import Sequence
from datetime import datetime

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.run_set import difference_warning
from engine.analysis.comparing.run_sets import SetFigures, SetRun
from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import Headline, check_same_workload
from engine.figure_text import (
    UNKNOWN,
    capitalised,
    counted,
    milliseconds,
    moment,
    percent,
    signed_percent,
    variability_text,
)
from engine.record.totals import NO_TOTALS
from engine.report.charts.headline import headline_curves_chart
from engine.report.cost_and_power import cost_sections, power_sections
from engine.report.definitions import Term, definitions_section
from engine.report.document import (
    BarChart,
    Bars,
    Block,
    ChartFigure,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Facts,
    Figure,
    KeyFigures,
    Level,
    Section,
    Text,
    Warn,
)
from engine.report.host_table import host_sections
from engine.report.method import method_sections
from engine.report.result_tables import (
    chart_value,
    clients_bars,
    clients_table,
    counts_table,
    headline_table,
    number_columns,
    times_table,
)
from engine.report.results import ReportedRun, ReportedSet, Result, footer_of, result_of_set
from engine.report.run_parts import left_out_sections
from engine.report.run_power import WattsOver
from engine.report.sets.warnings import reported_set_warnings


def run_set_report(
    reported: ReportedSet,
    *,
    made_at: datetime,
    references: Sequence[Result] = (),
    watts_over: WattsOver = WattsOver.MEASURED,
) -> Document:
    """The document of a set; ``references`` are published results to compare with its median.

    Raises ``BadInput`` for a set without a run that counts.
    """
    result, figures = result_of_set(reported, watts_over), reported.figures
    beside = (result, *references)
    check_same_workload(each.headline.workload for each in beside)
    names = _names(reported, figures)
    return Document(
        kind=DocumentKind.SET,
        title=reported.run_set.name,
        subtitle=f"{counted(len(reported.runs), 'run')}, of which {len(figures.median.counted)} count",
        made_at=made_at,
        footer=footer_of([run.record.run_id for run in reported.runs]),
        sections=(
            Section(
                title="Result",
                blocks=(_key_figures(reported.headline, figures), *_said(reported, figures), *_warnings(reported)),
            ),
            Section(title="Runs", blocks=_runs(reported, figures, names)),
            Section(title="The median run", blocks=_median(result, references)),
            *_references(beside),
            *cost_sections(beside),
            *power_sections(beside, watts_over),
            *host_sections([result]),
            *method_sections({names[run.record.run_id]: run.record for run in reported.runs}),
            *left_out_sections({names[run.record.run_id]: run for run in reported.runs}),
            definitions_section(result.headline, _terms(result, references)),
        ),
    )


def _names(reported: ReportedSet, figures: SetFigures) -> dict[str, str]:
    """The name of each run, with its id appended if it is not unique."""
    every = (*figures.median.counted, *(out.run for out in figures.median.left_out))
    return {run.run_id: run.name or run.run_id for run in every}


def _key_figures(headline: Headline, figures: SetFigures) -> KeyFigures:
    unit, text = headline.label, headline.text
    median, best, worst = (_rate_of(each) for each in (figures.median.run, figures.best, figures.worst))
    return KeyFigures(
        figures=(
            Figure(name="Median run", value=text(median), unit=unit),
            Figure(name="Best", value=text(best), unit=unit),
            Figure(name="Worst", value=text(worst), unit=unit),
            Figure(name="Spread", value=percent(figures.spread_pct)),
            Figure(name="Variability of its clients", value=variability_text(figures.variability_pct)),
        )
    )


def _rate_of(run: SetRun | None) -> float | None:
    return None if run is None else run.headline_rate


def _said(reported: ReportedSet, figures: SetFigures) -> list[Block]:
    note = reported.run_set.note
    return [Text(text=figures.median.sentence), *([Text(text=note)] if note else [])]


def _warnings(reported: ReportedSet) -> list[Warn]:
    """That the plans differ, and the warnings of the runs that count."""
    differing = difference_warning([run.record for run in reported.runs])
    limits = [str(warning) for warning in reported_set_warnings(reported)]
    return [Warn(text=text) for text in ([capitalised(differing)] if differing else []) + limits]


def _runs(reported: ReportedSet, figures: SetFigures, names: dict[str, str]) -> tuple[Block, ...]:
    counted_ids = {run.run_id for run in figures.median.counted}
    shown = [(names[run.record.run_id], run) for run in reported.runs if run.record.run_id in counted_ids]
    started = Facts(
        rows=tuple(
            (names[run.record.run_id], f"{run.record.run_id}, {moment(run.record.started_at)}") for run in reported.runs
        )
    )
    return (
        _runs_table(reported, figures, names),
        started,
        _runs_bars(reported.headline, shown, figures),
        *headline_curves_chart(reported.headline, shown),
    )


def _runs_table(reported: ReportedSet, figures: SetFigures, names: dict[str, str]) -> DataTable:
    return DataTable(
        caption="The runs of the set",
        columns=(
            Column(title="Run"),
            *number_columns(reported.headline.label, "Against the median", "Mean, ms", "p95, ms", "Variability"),
            Column(title="Counts"),
        ),
        rows=tuple(_run_row(run, figures, names) for run in reported.runs),
    )


def _run_row(run: ReportedRun, figures: SetFigures, names: dict[str, str]) -> tuple[str, ...]:
    totals, median = run.record.totals or NO_TOTALS, figures.median.run
    is_median = median is not None and median.run_id == run.record.run_id
    against = change_of(totals.headline_rate, None if median is None else median.headline_rate).percent
    return (
        names[run.record.run_id],
        run.data.headline.text(totals.headline_rate),
        UNKNOWN if is_median else signed_percent(against),
        milliseconds(totals.times.mean),
        milliseconds(totals.times.p95),
        variability_text(totals_variability_pct(totals)),
        _place(run, figures),
    )


def _place(run: ReportedRun, figures: SetFigures) -> str:
    """The role of a run in its set: the median, best or worst, or why it was left out."""
    out = {each.run.run_id: each.reason for each in figures.median.left_out}
    run_id = run.record.run_id
    if run_id in out:
        return f"left out: {out[run_id]}"
    places = (("median", figures.median.run), ("best", figures.best), ("worst", figures.worst))
    found = [word for word, each in places if each is not None and each.run_id == run_id]
    return ", ".join(found) or "yes"


def _runs_bars(headline: Headline, shown: Sequence[tuple[str, ReportedRun]], figures: SetFigures) -> ChartFigure:
    median = figures.median.run
    rate = None if median is None else median.headline_rate
    values = tuple(chart_value((run.record.totals or NO_TOTALS).headline_rate) for _, run in shown)
    chart = BarChart(
        y_label=headline.label,
        groups=tuple(name for name, _ in shown),
        bars=(Bars(label=headline.label, values=values),),
        level=None if rate is None else Level(y=float(rate), label="median run"),
        digits=headline.metric.digits,
        alt=f"Bars of the {headline.rate} of each run that counts, with a line at the median run's.",
    )
    return ChartFigure(caption=f"{headline.label} of the runs that count", chart=chart)


def _median(result: Result, references: Sequence[Result]) -> tuple[Block, ...]:
    """The median run's figures; its clients beside those of the references."""
    published = [reference for reference in references if reference.clients]
    return (
        clients_table((result, *published)),
        *clients_bars((result, *published)),
        times_table((result,)),
        counts_table((result,)),
    )


def _references(beside: Sequence[Result]) -> list[Section]:
    if len(beside) < 2:
        return []
    sources = tuple((result.name, result.source) for result in beside[1:])
    table = DataTable(
        caption="Where they were published", columns=(Column(title="Result"), Column(title="Source")), rows=sources
    )
    return [Section(title="Published results", blocks=(headline_table(beside), table))]


def _terms(result: Result, references: Sequence[Result]) -> list[Term]:
    given = (
        (Term.MEDIAN, True),
        (Term.SPREAD, True),
        (Term.RATE, True),
        (Term.RATE_WINDOW, True),
        (Term.RATE_PEAK, True),
        (Term.COUNT, True),
        (Term.VARIABILITY, True),
        (Term.RESPONSE_TIME, True),
        (Term.INTENDED, bool(result.intended_ms) and not result.is_open_loop),
        (Term.STEADY, True),
        (Term.DIFFERENCE, bool(references)),
        (Term.COST, any(each.bill is not None for each in (result, *references))),
        (Term.WATT, bool(result.power.devices)),
        (Term.HOST_MEAN, result.run is not None and bool(result.run.host)),
    )
    return [term for term, is_used in given if is_used]
