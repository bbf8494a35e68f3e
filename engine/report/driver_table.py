"""What the run cost the workstation: its load, and the client processes with their delays. Called by ``one_run``."""

from collections.abc import Sequence

from engine.analysis.driver_totals import label_of
from engine.analysis.headline import Headline, headline_of
from engine.analysis.workstation_use import measured_use
from engine.figure_text import decimal, milliseconds, whole
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.document import Column, DataTable, Section
from engine.report.result_tables import number_columns
from engine.telemetry.workstation import ProcessSummary, WorkstationLoad

_PROCESSES_NOTE = (
    "Clients of servers on other machines share processes where there are more clients than processors. Delay is how"
    " late a heartbeat of 10 ms came (with many processes, fewer of them are measured). Waited is how long {a_unit}'s"
    " answers had arrived before the client read them, which no response time includes; of users with a thread each"
    " (all but PostgreSQL's) it is how long these waited for a processor, which their response times include. These,"
    " the pauses of Python's collector and the samples that were more than 100 ms late count from the start of the"
    " clock to the stop. Clock is how far the clock of the process was behind the run's, at most."
)
_PROGRAMS_NOTE = (
    "The process of a client reads what its program reports; what the program itself used counts among all programs."
    " Delay is how late a heartbeat of 10 ms came. These, the pauses of Python's collector and the samples that were"
    " more than 100 ms late count from the start of the clock to the stop. Clock is how far the clock of the process"
    " was behind the run's, at most."
)
_LOAD_NOTE = (
    "Processor use in the measured seconds, of means over 10 s: of all processors of the workstation; by the busiest"
    " client process, of those that it can use. An embedded server counts among all programs, not among the client"
    " processes."
)


def driver_sections(record: RunRecord, loads: Sequence[WorkstationLoad] = ()) -> list[Section]:
    """The section on the driver; empty for an imported run. ``loads`` are those of the workstation, by second."""
    tables = (*_load_tables(record, loads), *_process_tables(record))
    return [Section(title="Driver", blocks=tables)] if tables else []


def _load_tables(record: RunRecord, loads: Sequence[WorkstationLoad]) -> list[DataTable]:
    use = measured_use(loads, record.phases)
    if use is None:
        return []
    rows = {
        "All programs": use.machine,
        "All client processes": use.clients,
        "The busiest client process": use.busiest_process,
    }
    return [
        DataTable(
            caption="The load of the workstation",
            columns=(Column(title="Of"), *number_columns("Mean, %", "Highest, %")),
            rows=tuple((name, decimal(each.mean_pct), decimal(each.highest_pct)) for name, each in rows.items()),
            note=_LOAD_NOTE,
        )
    ]


def _process_tables(record: RunRecord) -> list[DataTable]:
    processes = (record.totals or NO_TOTALS).processes
    if not processes:
        return []
    headline = headline_of(record.plan.workload)
    table = DataTable(
        caption="The client processes",
        columns=(
            Column(title="Clients"),
            *number_columns("CPU, s", "Memory, MB", "Delay mean, ms", "p99", "Max"),
            *number_columns("Collector, ms"),
            *(number_columns(f"Waited, ms {headline.a_unit}") if headline.has_users else ()),
            *number_columns("Late samples", "Clock, ms"),
        ),
        rows=tuple((label_of(summary, record.client_labels), *_cells(headline, summary)) for summary in processes),
        note=_PROCESSES_NOTE.format(a_unit=headline.a_unit) if headline.has_users else _PROGRAMS_NOTE,
    )
    return [table]


def _cells(headline: Headline, summary: ProcessSummary) -> tuple[str, ...]:
    health = summary.health
    return (
        decimal(summary.cpu_user_seconds + summary.cpu_system_seconds),
        decimal(summary.peak_memory_mb),
        *map(milliseconds, (health.heartbeat_mean_ms, health.heartbeat_p99_ms, health.heartbeat_max_ms)),
        milliseconds(health.longest_gc_pause_ms),
        *((milliseconds(health.order_waited_ms),) if headline.has_users else ()),
        whole(health.late_ticks),
        milliseconds(summary.clock_offset_ms),
    )
