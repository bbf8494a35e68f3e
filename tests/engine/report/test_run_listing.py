"""A run as one line of a list."""

import pytest

from engine.plan.plan import RunPlan
from engine.record.record import Origin, RunState
from engine.report.run_listing import RunListing
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.runs import a_run
from tests.totals import totals_with

MAIL = (Target.parse("mail://user@mx.lab/example.org")[0],)
STORAGE = (Target.parse("storage://db1/data/f")[0],)


def test_a_line_holds_what_the_record_and_its_totals_tell() -> None:
    record = a_run(clients=2, tags=("Nightly",), note="after the patch")
    line = RunListing.of(record, faults=3)
    assert (line.run_id, line.name, line.note, line.tags) == (
        record.run_id,
        "evening load",
        "after the patch",
        ("Nightly",),
    )
    assert (line.size, line.clients, line.threads, line.think_time_ms) == ("100MB", 2, 8, 20)
    assert line.size_bytes == estimate(DbSize(100, "MB")).total_bytes
    assert (line.headline_rate, line.p95_ms, line.variability_pct, line.errors, line.faults) == (
        1_620,
        4.002,
        0.0,
        0,
        3,
    )


def test_what_others_did_to_the_stores_is_reported_with_the_state() -> None:
    what = "database 'ds2' on db1 was reset or replaced by others"
    line = RunListing.of(a_run(totals=totals_with(opm=5, shared_stores=[what])))
    assert (line.shared_stores, line.state_text) == ((what,), "completed, store shared")
    assert RunListing.of(a_run()).state_text == "completed"


def test_unknown_values_are_none() -> None:
    line = RunListing.of(a_run(totals=None, state=RunState.FAILED, plan=RunPlan()))
    assert (line.headline_rate, line.p95_ms, line.variability_pct, line.errors, line.faults) == (None,) * 5
    assert (line.size, line.size_bytes) == (None, None)


def test_users_of_an_imported_run_are_those_of_all_targets_though_only_their_sum_is_known() -> None:
    targets = [f"postgresql://me@vm{number}/ds2" for number in range(1, 25)]
    plan = RunPlan.from_dict({"targets": targets, "threads": 8})
    record = a_run(plan=plan, origin=Origin.DS2_LOG, client_labels=("all 24 targets",))
    assert RunListing.of(record).users_text == "24×8"


def test_errors_of_an_imported_run_are_not_known() -> None:
    record = a_run(totals=totals_with(opm=5, errors=None, rt_ms={"p95": None}))
    assert RunListing.of(record).errors is None


@pytest.mark.parametrize(
    ("plan", "think_time_ms", "pace"),
    [
        (RunPlan(think_time_ms=20), 20, "20 ms think time"),
        (RunPlan(rate=600), None, "open loop"),
        (RunPlan(workload="wholesale", parameters={"specified_times": True}), None, "the workload's own keying and"),
        (RunPlan(workload="mail", targets=MAIL, parameters={"rate_factor": 20}), None, "profile LoadSim average, 20 ×"),
        (RunPlan(workload="storage", targets=STORAGE, parameters={"queue_depth": 8}), None, "random 8 KB I/Os, 100 %"),
    ],
)
def test_a_think_time_stands_where_users_have_one(plan: RunPlan, think_time_ms: float | None, pace: str) -> None:
    line = RunListing.of(a_run(plan=plan, totals=None))
    assert line.think_time_ms == think_time_ms
    assert line.pace.startswith(pace)


def test_servers_and_databases_are_listed_once() -> None:
    host = (Host("r630-a", 5432),)
    targets = (
        Target(kind=POSTGRESQL, hosts=host, database="ds2"),
        Target(kind=POSTGRESQL, hosts=host, database="shop"),
        Target(kind=EMBEDDED, database="ds2"),
    )
    line = RunListing.of(a_run(plan=RunPlan(targets=targets)))
    assert line.targets == ("r630-a:5432", "embedded")
    assert line.stores == ("ds2", "shop")
    assert line.targets_text == "r630-a:5432, embedded / ds2, shop"


def test_files_of_storage_are_written_with_their_machines() -> None:
    targets = (*STORAGE, Target.parse("storage:///data/g")[0])
    line = RunListing.of(a_run(plan=RunPlan(workload="storage", targets=targets), totals=None))
    assert (line.targets, line.targets_text) == (("db1", "storage"), "db1:/data/f, /data/g")


def test_a_search_looks_where_the_library_looks_and_capitals_count_for_nothing() -> None:
    line = RunListing.of(a_run(name="Enclosure B", note="RAID", tags=("Straße",)))
    for word in (line.run_id, "enclosure b", "raid", "strasse", "evening load", "ds2 #2"):
        assert word in line.searched
