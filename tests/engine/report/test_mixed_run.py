"""The document and the result files of a mixed run."""

import csv
import io
from dataclasses import replace

from engine.analysis.loads_data import LoadsData
from engine.analysis.totals import RunTotals
from engine.plan.plan import RunPlan
from engine.record.projection import projections_of
from engine.record.record import Phases, RunRecord, RunState
from engine.record.totals import totals_of_loads
from engine.report.document import ChartFigure, DataTable, LineChart
from engine.report.mixed_result import mixed_result, write_run_csv
from engine.report.mixed_run import ReportedLoad, mixed_run_report
from engine.report.result import result
from engine.report.results import ReportedRun
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import STARTED_AT, a_record

PLAN = RunPlan.from_dict(
    {"targets": ["postgresql://me@db1/ds2"], "clients": 2, "load": [{"workload": "wholesale", "threads": 4}]}
)
PHASES = Phases(warming_up_from=0, measuring_from=1, measuring_to=20)
SAMPLES = [
    *(dvd_sample(client=client, second=each, orders=10, order_us=9_000) for client in (1, 2) for each in range(20)),
    *(Sample(client=3, second=each, transactions={"new_order": Count(7, 700, 100)}) for each in range(20)),
]
EVENTS = [RunEvent(at_seconds=8.0, kind=EventKind.CONNECTION_LOST, label="connection lost", client=3, number=1)]


def _record() -> RunRecord:
    totals = []
    for load, of in zip(PLAN.loads, projections_of(PLAN), strict=True):
        own = [sample for each in SAMPLES if (sample := of.sample(each)) is not None]
        totals.append(RunTotals(load.workload, load.client_plans(), PHASES).add_all(own).totals())
    return a_record(
        run_id="both",
        plan=PLAN,
        client_labels=tuple(client.label for client in PLAN.client_plans()),
        state=RunState.COMPLETED,
        phases=PHASES,
        totals=totals_of_loads(totals),
        name="both",
    )


def test_document_has_the_headlines_of_all_loads_over_one_time_axis() -> None:
    record, loads = _record(), LoadsData(PLAN, name="both")
    loads.begin(STARTED_AT)
    for sample in SAMPLES:
        loads.add(sample)
    loads.set_state(RunState.COMPLETED, PHASES)
    loads.set_totals(record.totals)
    reported = [
        ReportedLoad(run=ReportedRun(record=of, data=data), recoveries=())
        for of, data in zip(record.loads, loads.loads, strict=True)
    ]
    document = mixed_run_report(record, EVENTS, reported, made_at=STARTED_AT)
    table, *charts = document.sections[0].blocks
    assert isinstance(table, DataTable)
    assert [row[:5] for row in table.rows] == [
        ("DVD Store 2", "ds2", "2", "2", "1\u202f200\u202fOPM"),
        ("Wholesale", "wholesale", "1", "4", "420\u202fNOPM"),
    ]
    figures = [each for each in charts if isinstance(each, ChartFigure) and isinstance(each.chart, LineChart)]
    assert [each.caption.partition(":")[0] for each in figures] == ["DVD Store 2", "Wholesale"]
    spans = [(line.x[0], line.x[-1]) for each in figures for line in each.chart.lines[:1]]  # type: ignore[union-attr]
    assert spans[0] == spans[1]
    titles = [section.title for section in document.sections]
    assert titles.count("Event log") == titles.count("DVD Store 2") == titles.count("Wholesale: Clients") == 1
    (log,) = document.sections[-1].blocks
    assert isinstance(log, DataTable)
    assert log.rows[0][2] == "wholesale: connection lost"


def test_json_has_what_belongs_to_the_run_once_and_each_load_as_a_run_of_its_own() -> None:
    record = _record()
    found = mixed_result(record, result(record, EVENTS), [result(load) for load in record.loads])
    assert found["run_id"] == "both"
    assert len(found["events"]) == 1
    assert found["plan"]["load"][0]["workload"] == "wholesale"
    assert [(load["load"], load["title"], load["workload"]) for load in found["loads"]] == [
        (1, "DVD Store 2", "dvdstore"),
        (2, "Wholesale", "wholesale"),
    ]
    assert (found["loads"][0]["opm"], found["loads"][1]["nopm"]) == (1_200, 420)
    assert not {"opm", "nopm", "clients", "audit"} & set(found)
    assert not {"events", "environment", "phases"} & set(found["loads"][0])


def test_csv_has_the_columns_of_all_workloads_and_the_numbers_of_the_run() -> None:
    record, file = _record(), io.StringIO()
    by_load = [[sample for each in SAMPLES if (sample := of.sample(each)) is not None] for of in projections_of(PLAN)]
    write_run_csv(file, record, by_load)
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert [(row["load"], row["client"]) for row in rows[::20]] == [("1", "1"), ("1", "2"), ("2", "3")]
    assert (rows[0]["orders"], rows[0]["new_orders"]) == ("10", "")
    assert (rows[-1]["orders"], rows[-1]["new_orders"]) == ("", "7")


def test_audit_of_a_load_is_its_own() -> None:
    record = replace(_record(), audit={"verdict": "clean", "further_loads": [{"verdict": "lost"}]})
    assert [load.audit for load in record.loads] == [{"verdict": "clean"}, {"verdict": "lost"}]
