"""The document of one run: its figures, charts and clients, how it was made, and its limitations.

Called by ``making``.
"""

from collections.abc import Sequence
from datetime import datetime

from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import Headline
from engine.analysis.latency.response_limits import limit_rows
from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.analysis.service_level import service_level_verdict
from engine.analysis.steady_state import steady_state_of
from engine.figure_text import decimal, milliseconds, percent, signed_percent, variability_text, whole
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS, Figures
from engine.report.audit_section import audit_section
from engine.report.charts.run import headline_figure, times_figure
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
)
from engine.report.driver_table import driver_sections
from engine.report.event_table import event_table
from engine.report.host_table import host_run_sections
from engine.report.load_machine_table import load_machine_sections
from engine.report.method import method_sections
from engine.report.recovery_text import recovery_sentences
from engine.report.redaction import redactor
from engine.report.result_tables import clients_bars, number_columns
from engine.report.results import ReportedRun, Result, result_of_run
from engine.report.run_parts import faults_table, left_out_section, run_notices, run_subtitle
from engine.report.run_power import WattsOver
from engine.report.run_times import key_times, times_tables
from engine.report.stage_section import stage_sections

_TIMES = ("mean", "p50", "p95", "p99", "max")


def one_run_report(
    run: ReportedRun,
    *,
    made_at: datetime,
    recoveries: Sequence[Recovery] = (),
    watts_over: WattsOver = WattsOver.MEASURED,
) -> Document:
    """The document of a run; ``recoveries`` are those from its faults, sorted by time."""
    record, result = run.record, result_of_run(run, watts_over)
    return Document(
        kind=DocumentKind.RUN,
        title=run.title,
        subtitle=run_subtitle(record),
        made_at=made_at,
        footer=f"Run {record.run_id}",
        sections=(
            Section(title="Result", blocks=_result_blocks(run, recoveries)),
            *stage_sections(record, run.data, run.host),
            *_steadiness(run.data),
            *_clients(result),
            *_times(record),
            *_faults(run, recoveries),
            *([audit_section(record)] if record.audit is not None else []),
            *cost_sections([result]),
            *power_sections([result], watts_over),
            *host_run_sections(result),
            *method_sections({run.title: record}),
            *driver_sections(record, run.workstation),
            *load_machine_sections(record, run.load_machines, run.data.sorted_events()),
            left_out_section(record, run.data),
            Section(title="Event log", blocks=(event_table(run.data),)),
            definitions_section(result.headline, _terms(result)),
        ),
    )


def _result_blocks(run: ReportedRun, recoveries: Sequence[Recovery]) -> tuple[Block, ...]:
    times = times_figure(run.data)
    return (
        _key_figures(run.record, run.data.headline),
        *run_notices(run),
        headline_figure(run.data, recoveries),
        *([] if times is None else [times]),
    )


def _key_figures(record: RunRecord, headline: Headline) -> KeyFigures:
    totals = record.totals or NO_TOTALS
    several = len(record.client_labels) > 1
    variability = totals_variability_pct(totals)
    return KeyFigures(
        figures=(
            Figure(name=headline.rate_heading, value=headline.text(totals.headline_rate), unit=headline.label),
            *([Figure(name="Variability", value=decimal(variability, 2), unit="%")] if several else []),
            *key_times(totals, record.plan),
            *_service_level(record),
            Figure(name="Errors", value=whole(totals.error_count)),
        )
    )


def _service_level(record: RunRecord) -> list[Figure]:
    level = service_level_verdict(record.plan, record.totals or NO_TOTALS)
    if level is None:
        return []
    return [
        Figure(name=f"{level.many.capitalize()} done of those due", value=decimal(level.done_pct, 2), unit="%"),
        Figure(name="Service level", value=level.verdict),
    ]


def _steadiness(run: RunData) -> list[Section]:
    steady = steady_state_of(run)
    if steady is None or steady.drift_pct is None:
        return []
    before = "measuring phase" if steady.end_second == run.measured_end else "measuring phase before the first fault"
    rows = (
        ("Drift over the phase", signed_percent(steady.drift_pct)),
        ("Slope per 10 min", signed_percent(steady.slope_pct_per_10_min)),
        ("Spread of the windows", percent(steady.spread_pct)),
        ("Windows", f"{whole(steady.windows)} of {steady.window_seconds}\u202fs in the {before}"),
    )
    return [Section(title="Steady state", level=2, blocks=(Facts(rows=rows),))]


def _clients(result: Result) -> list[Section]:
    clients = result.totals.clients
    if not clients:
        return []
    table = DataTable(
        caption="The clients in the measuring phase",
        columns=(
            Column(title="Client"),
            *number_columns(result.headline.label, result.headline.heading),
            *(number_columns("Rollbacks, %") if result.headline.is_transactional else ()),
            *number_columns("Mean, ms", "p50", "p95", "p99", "Max", "Errors"),
            *(number_columns("Reconnects") if result.headline.has_users else ()),
        ),
        rows=tuple((client.label, *_client_cells(result.headline, client)) for client in clients),
        total=("All clients", *_client_cells(result.headline, result.totals)) if len(clients) > 1 else None,
        note=_variability_note(result),
    )
    return [Section(title="Clients", blocks=(table, *clients_bars([result])))]


def _client_cells(headline: Headline, figures: Figures) -> tuple[str, ...]:
    times = figures.times
    return (
        headline.text(figures.headline_rate),
        whole(figures.count),
        *((decimal(figures.rollback_pct, 2),) if headline.is_transactional else ()),
        *map(milliseconds, (times.mean, times.p50, times.p95, times.p99, times.max)),
        whole(figures.error_count),
        *((whole(figures.counts.get("reconnects")),) if headline.has_users else ()),
    )


def _variability_note(result: Result) -> str:
    variability = totals_variability_pct(result.totals)
    if variability is None:
        return ""
    return f"Variability of the clients' {result.headline.label}: {variability_text(variability)}."


def _times(record: RunRecord) -> list[Section]:
    totals = record.totals or NO_TOTALS
    errors = totals.errors or {}
    classes = DataTable(
        caption="Errors by class",
        columns=(Column(title="Class"), *number_columns("Errors")),
        rows=tuple((name.replace("_", " "), whole(count)) for name, count in sorted(errors.items())),
    )
    blocks = (*times_tables(totals, record.plan), *([classes] if errors else []))
    if not blocks:
        return []
    return [Section(title="Response times and errors" if errors else "Response times", blocks=blocks)]


def _faults(run: ReportedRun, recoveries: Sequence[Recovery]) -> list[Section]:
    if not recoveries:
        return []
    redact = redactor(run.record.plan)
    said = [Text(text=redact(f"{each.fault.label}: {' '.join(recovery_sentences(each))}")) for each in recoveries]
    return [Section(title="Faults", blocks=(faults_table(run.record.plan, recoveries), *said))]


def _terms(result: Result) -> list[Term]:
    given = (
        (Term.RATE, True),
        (Term.RATE_WINDOW, True),
        (Term.COUNT, True),
        (Term.VARIABILITY, len(result.clients) > 1),
        (Term.RESPONSE_TIME, True),
        (Term.LIMIT, bool(limit_rows(result.totals))),
        (Term.INTENDED, bool(result.intended_ms) and not result.is_open_loop),
        (Term.STEADY, True),
        (Term.COST, result.bill is not None),
        (Term.WATT, bool(result.power.devices)),
        (Term.DELAY, bool(result.totals.processes)),
        (Term.HOST_MEAN, result.run is not None and bool(result.run.host)),
    )
    return [term for term, is_used in given if is_used]
