"""The document of a comparison: runs, sets by their median runs, published references.

Called by ``making``. The first result is the baseline of all others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.comparison import MOST_RUNS
from engine.analysis.comparing.density import ServiceLevel
from engine.analysis.comparing.run_set import plan_differences
from engine.analysis.headline import check_same_workload
from engine.errors import BadInput
from engine.figure_text import counted, duration, moment, percent, signed_percent, times
from engine.report.charts.headline import headline_curves_chart
from engine.report.cost_and_power import cost_sections, power_sections
from engine.report.definitions import Term, definitions_section
from engine.report.document import (
    Block,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Facts,
    Figure,
    KeyFigures,
    Section,
    Text,
    Warn,
)
from engine.report.growth import density_sections, factor_title, scaling_sections
from engine.report.host_table import host_sections
from engine.report.method import method_sections
from engine.report.result_tables import (
    client_changes,
    clients_bars,
    clients_table,
    counts_table,
    headline_bars,
    headline_table,
    number_columns,
    times_bars,
    times_table,
)
from engine.report.results import Result, footer_of, with_unique_names
from engine.report.run_parts import left_out_sections
from engine.report.run_power import WattsOver
from engine.report.sets.warnings import reported_set_warnings, reported_warnings
from engine.report.stage_section import stage_comparison

_MOST_KEY_FIGURES = 6


@dataclass(frozen=True, kw_only=True)
class ComparisonChoices:
    """The options of a comparison.

    ``factor`` is the factor of the scaling section, empty for those in which the results differ; ``level`` the service
    level of the density section; ``watts_over`` the part of its run that a meter is averaged over.
    """

    factor: str = ""
    level: ServiceLevel | None = None
    watts_over: WattsOver = WattsOver.MEASURED


def comparison_report(
    results: Sequence[Result],
    *,
    made_at: datetime,
    choices: ComparisonChoices = ComparisonChoices(),
) -> Document:
    """The document of two to eight results.

    Raises ``BadInput`` for fewer or more, and for options that do not fit.
    """
    if not 2 <= len(results) <= MOST_RUNS:
        raise BadInput(f"a comparison takes 2 to {MOST_RUNS} results, not {len(results)}; give that many.")
    check_same_workload([result.headline.workload for result in results])
    results = with_unique_names(results)
    runs = {result.name: result.run for result in results if result.run is not None}
    return Document(
        kind=DocumentKind.COMPARISON,
        title=_title(results),
        subtitle=_subtitle(results),
        made_at=made_at,
        footer=footer_of([run.record.run_id for run in runs.values()]),
        sections=(
            Section(title="Result", blocks=(_key_figures(results), *_warnings(results), *_headline_blocks(results))),
            *stage_comparison(results),
            *_clients(results),
            *_times(results),
            *failover_sections(results),
            *cost_sections(results),
            *power_sections(results, choices.watts_over),
            *scaling_sections(results, choices.factor),
            *density_sections(results, choices.level),
            *host_sections(results),
            _what_was_compared(results),
            *_methods(results),
            *left_out_sections(runs),
            definitions_section(results[0].headline, _terms(results, choices)),
        ),
    )


def _title(results: Sequence[Result]) -> str:
    first, *others = (result.name for result in results)
    return f"{others[0]} against {first}" if len(others) == 1 else f"{len(others)} results against {first}"


def _subtitle(results: Sequence[Result]) -> str:
    """The numbers of what is compared: ``2 runs, 1 set, 1 published result``."""
    kinds = Counter(_kind(result) for result in results)
    return ", ".join(counted(number, kind) for kind, number in kinds.items())


def _kind(result: Result) -> str:
    if result.run_set is not None:
        return "set"
    return "published result" if result.run is None else "run"


def _clients(results: Sequence[Result]) -> list[Section]:
    if not any(result.clients for result in results):
        return []
    blocks = (clients_table(results), *clients_bars(results), *client_changes(results))
    return [Section(title="Clients", blocks=blocks)]


def _key_figures(results: Sequence[Result]) -> KeyFigures:
    """The headline rate of each result; of two also their difference."""
    figures = [
        Figure(name=result.name, value=result.headline.text(result.headline_rate), unit=result.headline.label)
        for result in results
    ]
    if len(results) == 2:
        change = change_of(results[1].headline_rate, results[0].headline_rate)
        figures.append(Figure(name="Difference", value=signed_percent(change.percent)))
        figures.append(Figure(name="Times as many", value=times(change.times)))
    return KeyFigures(figures=tuple(figures[:_MOST_KEY_FIGURES]))


def _warnings(results: Sequence[Result]) -> list[Warn]:
    """The warnings of each run, and for a set of each run that counts."""
    return [Warn(text=text) for result in results for text in _limits(result)]


def _limits(result: Result) -> list[str]:
    if result.run_set is not None:
        return [
            f"{result.name} ({warning.runs}): {warning.sentence}" for warning in reported_set_warnings(result.run_set)
        ]
    if result.run is None:
        return []
    return [f"{result.name}: {sentence}" for sentence in reported_warnings(result.run)]


def _headline_blocks(results: Sequence[Result]) -> list[Block]:
    runs = [(result.name, result.run) for result in results if result.run is not None]
    return [headline_bars(results), headline_table(results), *headline_curves_chart(results[0].headline, runs)]


def _times(results: Sequence[Result]) -> list[Section]:
    """Response times and counts, if any result is a run."""
    measured = [result for result in results if result.run is not None]
    if not measured:
        return []
    return [
        Section(title="Response time", blocks=(times_bars(measured), times_table(measured), counts_table(measured)))
    ]


def _what_was_compared(results: Sequence[Result]) -> Section:
    """The source of each result: its run, its set, or its publication; and what was left out of a set."""
    shared = _shared_factors(results)
    origins = Facts(
        rows=tuple((result.name, f"{_origin(result)}{_measured_with(result, shared)}") for result in results)
    )
    common = [Text(text=f"All of them were measured with {_factors_text(shared)}.")] if shared else []
    medians = [
        Text(text=f"{result.name}: {result.run_set.figures.median.sentence}")
        for result in results
        if result.run_set is not None
    ]
    return Section(
        title="What was compared", blocks=(origins, *common, *medians, *_plan_differences(results), *_notes(results))
    )


def _plan_differences(results: Sequence[Result]) -> list[Text]:
    plans = [result.run.record.plan for result in results if result.run is not None]
    differing = plan_differences(plans) if plans else ()
    return [Text(text=f"The plans differ in {', '.join(differing)}.")] if differing else []


def _origin(result: Result) -> str:
    if result.run is None:
        return f"{result.source}."
    record = result.run.record
    of = "Median of the set, run" if result.run_set is not None else "Run"
    return f"{of} {record.run_id}, {moment(record.started_at)}."


def _shared_factors(results: Sequence[Result]) -> dict[str, str]:
    """The typed factors that have the same value in all results."""
    first, *others = (result.named_factors for result in results)
    return {name: value for name, value in first.items() if all(each.get(name) == value for each in others)}


def _measured_with(result: Result, shared: Mapping[str, str]) -> str:
    own = {name: value for name, value in result.named_factors.items() if name not in shared}
    found = ": ".join(filter(None, (result.configuration, _factors_text(own))))
    return f" Measured with {found}." if found else ""


def _factors_text(factors: Mapping[str, str]) -> str:
    return ", ".join(f"{factor_title(name)} {value}" for name, value in factors.items())


def _notes(results: Sequence[Result]) -> list[Block]:
    """The users' notes of the runs."""
    notes = tuple(
        (result.name, result.run.record.note) for result in results if result.run is not None and result.run.record.note
    )
    return [Facts(rows=notes)] if notes else []


def _methods(results: Sequence[Result]) -> list[Section]:
    runs = {result.name: result.run.record for result in results if result.run is not None}
    return method_sections(runs) if runs else []


def _terms(results: Sequence[Result], choices: ComparisonChoices) -> list[Term]:
    is_measured = any(result.run is not None for result in results)
    has_host = any(result.run is not None and result.run.host for result in results)
    given = (
        (Term.RATE, True),
        (Term.DIFFERENCE, True),
        (Term.VARIABILITY, True),
        (Term.RATE_WINDOW, is_measured),
        (Term.RATE_PEAK, is_measured),
        (Term.COUNT, is_measured),
        (Term.RESPONSE_TIME, is_measured),
        (Term.INTENDED, any(result.intended_ms and not result.is_open_loop for result in results)),
        (Term.STEADY, is_measured),
        (Term.FAILOVER, any(result.failover is not None for result in results)),
        (Term.MEDIAN, any(result.run_set is not None for result in results)),
        (Term.COST, any(result.bill is not None for result in results)),
        (Term.WATT, any(result.power.devices for result in results)),
        (Term.SCALING, bool(scaling_sections(results, choices.factor))),
        (Term.LINEAR, bool(scaling_sections(results, choices.factor))),
        (Term.DENSITY, choices.level is not None),
        (Term.HOST_MEAN, has_host),
    )
    return [term for term, is_used in given if is_used]


_FAILOVER_TITLES = ("Lowest", "Drop", "Stabilised after", "Back after another")


def failover_sections(results: Sequence[Result]) -> list[Section]:
    """The published figures of every result with a failover; empty when there is none."""
    rows = tuple(
        (
            result.name,
            result.headline.text(figures.headline_rate_before),
            result.headline.text(figures.headline_rate_lowest),
            percent(figures.drop_pct, 2),
            duration(figures.stabilised_seconds),
            duration(figures.back_seconds),
        )
        for result in results
        if (figures := result.failover) is not None
    )
    if not rows:
        return []
    is_measured = any(result.run is not None for result in results)
    label = results[0].headline.label
    table = DataTable(
        caption=f"The running {label} through a failover",
        columns=(Column(title="Result"), *number_columns(f"Running {label} before", *_FAILOVER_TITLES)),
        rows=rows,
        note="Of a run with several faults, through the first." if is_measured else "",
    )
    return [Section(title="Failover", blocks=(table,))]
