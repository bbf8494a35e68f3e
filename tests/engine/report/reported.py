"""Runs, sets and results for the tests of the documents: with totals that are computed from their samples."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.run_set import RunSet
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.report.document import Block, ChartFigure, DataTable, Facts, Section, Text
from engine.report.results import ReportedRun, ReportedSet
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.samples import dvd_sample
from tests.texts import plain

MADE_AT = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
STARTED_AT = datetime(2026, 11, 21, 4, 30, 17, tzinfo=UTC)
WARM_SECONDS, MEASURED_SECONDS = 3, 6
PHASES = Phases(warming_up_from=1, measuring_from=WARM_SECONDS, measuring_to=WARM_SECONDS + MEASURED_SECONDS)


def a_plan(**changed: Any) -> RunPlan:
    """Two clients with eight users each on one store."""
    values: dict[str, Any] = {
        "name": "evening load",
        "clients": 2,
        "threads": 8,
        "think_time_ms": 20,
        "minutes": 0.1,
        "parameters": {"db_size": DbSize(100, "MB")},
    }
    return RunPlan(**(values | changed))


def samples_of(orders: Sequence[int], order_ms: int = 4) -> list[Sample]:
    """Each client with so many orders in every second, each of them of ``order_ms``."""
    return [
        dvd_sample(
            client=client,
            second=second,
            orders=count,
            purchases=count,
            order_us=1_000 * order_ms * count,
            order_us_max=1_000 * order_ms,
            histogram=pack({bucket_of(1_000 * order_ms): count}) if count else b"",
        )
        for second in range(WARM_SECONDS + MEASURED_SECONDS)
        for client, count in enumerate(orders, start=1)
    ]


def a_reported_run(
    orders: Sequence[int] = (10, 20),
    *,
    run_id: str = "20261121-043017-aaaa",
    order_ms: int = 4,
    plan: RunPlan | None = None,
    configuration: Configuration | None = None,
    host: Sequence[HostMeasurement] = (),
    events: Sequence[RunEvent] = (),
    samples: Sequence[Sample] | None = None,
    **changed: Any,
) -> ReportedRun:
    """A completed run whose clients take so many orders a second: 60 times as many OPM."""
    plan = plan or a_plan(clients=len(orders))
    samples = samples_of(orders, order_ms) if samples is None else samples
    values: dict[str, Any] = {
        "run_id": run_id,
        "plan": plan,
        "client_labels": tuple(client.label for client in plan.client_plans()),
        "state": RunState.COMPLETED,
        "started_at": STARTED_AT,
        "ended_at": STARTED_AT + timedelta(seconds=WARM_SECONDS + MEASURED_SECONDS),
        "phases": PHASES,
        "totals": RunTotals(plan.workload, plan.client_plans(), PHASES).add_all(samples).totals(),
        "name": plan.name,
    }
    record = RunRecord(**(values | changed))
    data = RunData(plan, run_id=record.run_id, name=record.name)
    for sample in samples:
        data.add(sample)
    for number, event in enumerate(events, start=1):
        data.put_event(RunEvent(**{**_fields(event), "number": number}))
    data.started_at, data.totals = record.started_at, record.totals
    data.set_state(record.state, record.phases)
    return ReportedRun(record=record, data=data, configuration=configuration, host=tuple(host))


def a_reported_set(runs: Sequence[ReportedRun], name: str = "SSD, 20 ms", note: str = "") -> ReportedSet:
    """A set of these runs."""
    run_ids = tuple(run.record.run_id for run in runs)
    return ReportedSet(run_set=RunSet(name=name, made_at=MADE_AT, note=note, run_ids=run_ids), runs=tuple(runs))


def titles(sections: Sequence[Section]) -> list[str]:
    """The headings in their order."""
    return [section.title for section in sections]


def blocks_of(sections: Sequence[Section]) -> list[Block]:
    """All blocks of some sections."""
    return [block for section in sections for block in section.blocks]


def table_of(blocks: Sequence[Block], caption: str) -> DataTable:
    """The table whose caption begins so."""
    return next(each for each in blocks if isinstance(each, DataTable) and each.caption.startswith(caption))


def figure_of(blocks: Sequence[Block], caption: str) -> ChartFigure:
    """The chart whose caption begins so."""
    return next(each for each in blocks if isinstance(each, ChartFigure) and each.caption.startswith(caption))


def texts_of(blocks: Sequence[Block]) -> list[str]:
    """The paragraphs, and the lines of the facts."""
    texts = [each.text for each in blocks if isinstance(each, Text)]
    return texts + [f"{name}: {value}" for each in blocks if isinstance(each, Facts) for name, value in each.rows]


def rows_of(table: DataTable) -> list[tuple[str, ...]]:
    """The rows of a table, and its total, with ordinary spaces."""
    rows = [*table.rows, *([] if table.total is None else [table.total])]
    return [tuple(plain(cell) for cell in row) for row in rows]


def _fields(event: RunEvent) -> dict[str, Any]:
    return {name: getattr(event, name) for name in RunEvent.__slots__}
