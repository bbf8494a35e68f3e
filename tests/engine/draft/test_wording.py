"""The words for a plan; what the command line says is read back by the real command."""

import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from app.cli import conducting
from app.cli.conducting import RunOptions
from app.cli.context import Context
from app.cli.run import run_command
from engine.draft.equivalent_command import command_line, needs_plan_file, plan_file_name
from engine.draft.wording import (
    closed_loop_sentence,
    plan_sentences,
    reach_sentence,
    titled_values,
    touched_sentences,
)
from engine.faults.fault_text import parse_fault
from engine.faults.injections import FaultKind
from engine.faults.planned import PlannedFault
from engine.places import find_places
from engine.plan.file import write_plan_file
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from engine.workload.registry import MAIL, WHOLESALE
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.plans import PLANS
from tests.texts import lacks, one_with

R630 = Target(kind=POSTGRESQL, hosts=(Host("r630-a", 5432),), user="me")
PUBLISHED = RunPlan(
    targets=(R630,),
    databases=4,
    threads=32,
    think_time_ms=20,
    warmup_minutes=5,
    minutes=30,
    parameters={"db_size": DbSize(40, "GB")},
)


def test_plan_sentences_have_load_times_and_limits() -> None:
    load, pace, times, connections, highest = plan_sentences(PUBLISHED)
    assert lacks(load, "4 clients", "32 users", "4 stores", "40GB", "r630-a") == []
    assert lacks(pace, "20 ms", "10 users per second") == []
    assert lacks(times, "5 min warm-up", "30 min") == []
    assert lacks(connections, "128") == []
    assert lacks(highest, "384 000 OPM") == []


def test_plan_sentences_include_values_other_than_the_defaults() -> None:
    marks = (PlannedFault(at_seconds=300, label="Enclosure pulled"), PlannedFault(at_seconds=400, label="Restored"))
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED), replace(R630, hosts=(Host("db1", 5432), Host("db2", 5432)))),
        warmup_minutes=0,
        faults=marks,
        parameters={"pct_new_customers": 0.5, "n_line_items": 1},
    )
    load, pace, times, workload, planned, connections = plan_sentences(plan)
    assert lacks(load, "2 clients", "1 user ", "2 stores", "embedded server", "db1", "db2") == []
    assert lacks(pace, "no think time") == []
    assert lacks(times, "no warm-up", "until stopped") == []
    assert lacks(workload, "0.5 %", "3 searches", "5 rows", "1 line") == []
    assert lacks(planned, "2 planned marks", "“Enclosure pulled” at 5:00", "“Restored” at 6:40") == []
    assert lacks(connections, "2 connections") == []


def test_touched_sentences_name_stores_build_and_reset() -> None:
    written, reset = touched_sentences(replace(PUBLISHED, databases=2))
    assert lacks(written, "2 stores", "ds2_1", "ds2_2", "r630-a") == []
    assert lacks(reset, "used as they are") == []
    many = touched_sentences(replace(PUBLISHED, targets=(R630, Target(kind=EMBEDDED)), databases=9))
    assert lacks(many[0], "18 stores", "ds2_1 … ds2_9 on host r630-a", "ds2_1 … ds2_9 on the embedded server") == []
    written, built, reset = touched_sentences(RunPlan(reset=True, parameters={"db_size": DbSize(100, "MB")}))
    assert lacks(written, "1 store", "ds2 on the embedded server") == []
    assert lacks(built, "100MB", "built first") == []
    assert lacks(reset, "before the run", "removed") == []


def test_command_line_has_options_other_than_the_defaults() -> None:
    assert command_line(RunPlan()) == "spindle run"
    assert command_line(replace(PUBLISHED, name="R630 20 ms", tags=("ssd",), reset=True)) == (
        "spindle run --target postgresql://me@r630-a:5432/ds2 --databases 4 --reset --db-size 40GB --users 32"
        " --think-time-ms 20 --warmup 5 --minutes 30 --name 'R630 20 ms' --tag ssd"
    )
    fault = PlannedFault(at_seconds=65, label="Enclosure pulled")
    assert command_line(RunPlan(faults=(fault,))) == "spindle run --mark '1:05 Enclosure pulled'"
    frozen = parse_fault("T+40s freeze primary for 5s")
    assert command_line(RunPlan(faults=(frozen,))) == "spindle run --fault 'T+0:40 freeze primary for 5s then thaw'"


def test_times_are_written_as_in_the_fields() -> None:
    plan = RunPlan(warmup_minutes=1 / 3, minutes=30)
    values = titled_values(plan)
    assert (values["Warm-up"], values["Run time"]) == ("0:20", "30:00")
    assert command_line(plan) == "spindle run --warmup 0:20 --minutes 30"


def test_targets_and_faults_are_numbered() -> None:
    file, labelled = (Target.parse("storage:///var/tmp/file")[0] for _ in range(2))
    plan = RunPlan(
        workload="storage", targets=(file, labelled.with_label("Shelf")), faults=(parse_fault("T+40s mark Out"),)
    )
    values = titled_values(plan)
    assert values["Targets"] == {"1": "storage:///var/tmp/file", "2": "Shelf: storage:///var/tmp/file"}
    assert values["Faults"] == {"1": "T+0:40 mark Out"}


def test_values_that_pace_nobody_are_left_out() -> None:
    of_pace = {"Think time, ms", "Ramp rate, users/s", "Arrivals"}
    storage = RunPlan.from_dict({"targets": ["storage:///var/tmp/file"], "workload": "storage"})
    assert of_pace & titled_values(storage).keys() == set()
    assert of_pace & titled_values(RunPlan()).keys() == {"Think time, ms", "Ramp rate, users/s"}
    assert of_pace & titled_values(RunPlan(rate=600.0)).keys() == {"Ramp rate, users/s", "Arrivals"}


def test_plan_sentences_have_one_for_each_injection() -> None:
    plan = RunPlan(faults=(parse_fault("T+40s kill primary"), parse_fault("T+1:00 mark Pulled")))
    sentences = plan_sentences(plan)
    assert lacks(one_with(sentences, "primary"), "0:40", "kill", "SIGKILL") == []
    assert lacks(one_with(sentences, "1 planned mark"), "“Pulled” at 1:00") == []


def test_plan_with_labels_needs_a_plan_file() -> None:
    plan = replace(PUBLISHED, name="R630: SSD, 20 ms", targets=(replace(R630, label="array A"),))
    assert needs_plan_file(plan)
    assert command_line(plan) == "spindle run r630-ssd-20-ms.toml"
    assert plan_file_name(RunPlan(name="…")) == "plan.toml"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@given(plan=PLANS)
def test_the_command_line_runs_the_same_plan(folder: Path, plan: RunPlan) -> None:
    _check_round_trip(folder, plan)


def _check_round_trip(folder: Path, plan: RunPlan) -> None:
    conducted: list[tuple[RunPlan, bool, bool]] = []

    def conduct(_context: Context, conducted_plan: RunPlan, run_options: RunOptions, **_: object) -> int:
        conducted.append((conducted_plan, run_options.reset, run_options.audit))
        return 0

    program, command, *arguments = shlex.split(command_line(plan))
    assert (program, command) == ("spindle", "run")
    if needs_plan_file(plan):
        assert arguments[0] == plan_file_name(plan)
        arguments[0] = str(folder / "plan.toml")
        write_plan_file(folder / "plan.toml", plan, overwrite=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(conducting, "conduct", conduct)
        patched.setattr("app.cli.run.arm", lambda *_: None)  # what can hurt is not what this is about
        run_command.main(arguments, standalone_mode=False, obj=Context(find_places(folder)))
    expected = plan if needs_plan_file(plan) else replace(plan, faults=tuple(sorted(plan.faults, key=_is_no_mark)))
    assert conducted == [(expected, bool(plan.reset), bool(plan.audit))]


def _is_no_mark(fault: PlannedFault) -> bool:
    """Options are read by their names: marks come before faults."""
    return fault.kind is not FaultKind.MARK or bool(fault.is_fault)


def test_named_instance_is_shown_with_its_server() -> None:
    target, _ = Target.parse(r"mssql://sa@db1\prod,db2/ds2")
    assert plan_sentences(RunPlan(targets=(target,)))[0].endswith(r"on host db1\prod or db2.")


WHOLESALE_PLAN = RunPlan(targets=(R630,), threads=10, workload=WHOLESALE, parameters={"warehouses": 20})


def test_wholesale_in_sentences() -> None:
    assert plan_sentences(replace(WHOLESALE_PLAN, think_time_ms=100)) == [
        "1 client × 10 users against 1 store of 20 warehouses on host r630-a.",
        "100 ms think time; 10 users per second connect, for each client.",
        "1 min warm-up, measured until stopped.",
        "Wholesale: specified mix, users at home warehouses.",
        "About 10 connections.",
        "At most 2\u202f700 NOPM by think time alone.",
    ]
    specified = WHOLESALE_PLAN.changed({"specified_times": True, "warehouses": None})
    sentences = plan_sentences(specified)
    assert sentences[0] == "1 client × 10 users against 1 store of the warehouses already built on host r630-a."
    assert sentences[1].startswith("Keying and think times as specified (21.0 s on average); ")
    assert sentences[-1] == "At most 12 NOPM by think time alone."
    assert closed_loop_sentence(specified).startswith("Closed-loop users, keying and think times as specified (21.0 s")
    assert closed_loop_sentence(WHOLESALE_PLAN).endswith(
        "a stall shows as one slow transaction per user, whatever it delayed."
    )


def test_names_are_shown_in_their_usual_spelling() -> None:
    open_loop = RunPlan(workload=WHOLESALE, rate=600.0, parameters={"mix": "hammerdb", "warehouse_choice": "all"})
    values = titled_values(open_loop)
    assert (values["Arrivals"], values["Mix"], values["Warehouse"]) == ("Poisson", "HammerDB", "all")
    assert "Wholesale: HammerDB mix, users at all warehouses." in plan_sentences(open_loop)
    assert "--mix hammerdb" in command_line(open_loop)
    target = Target.parse("mail://user@mx.lab/example.org")[0]
    profiles = [
        titled_values(RunPlan(workload=MAIL, targets=(target,), parameters={"profile": each}))["Profile"]
        for each in ("loadsim_average", "exchange_50", "heavy")
    ]
    assert profiles == ["LoadSim average", "Exchange 50", "heavy"]


def test_what_wholesale_changes() -> None:
    plan = replace(WHOLESALE_PLAN, targets=(Target(kind=EMBEDDED, database="wholesale"),), reset=True)
    assert touched_sentences(plan) == [
        "Orders, payments, deliveries and stock quantities are written into 1 store: wholesale on the embedded server.",
        "A store of 20 warehouses is built first if the embedded server does not have it yet.",
        "Before the run, rows that earlier runs added are removed, and rows that they changed are restored.",
    ]


def test_the_command_line_of_wholesale_runs_the_same_plan(folder: Path) -> None:
    parameters = {"warehouses": 7, "mix": "hammerdb", "specified_times": True, "warehouse_choice": "all"}
    _check_round_trip(folder, WHOLESALE_PLAN.changed(parameters))


def test_a_plan_of_mail_speaks_of_mail_domains() -> None:
    target = Target.parse("mail://user@mx.lab/example.org")[0]
    plan = RunPlan(workload=MAIL, targets=(target,), threads=100, parameters={"mailboxes": 100, "mailbox_mb": 10})
    said = [*plan_sentences(plan), *touched_sentences(plan), proposed_name(plan)]
    assert said[0] == "1 client × 100 users against 1 mail domain of 100 mailboxes of 10 MB on host mx.lab."
    assert "Messages and appointments are written into 1 mail domain: example.org on host mx.lab." in said
    assert said[-1] == "Mail, mx.lab, 1 × 100 users"
    assert not [each for each in said if re.search(r"\bstores?\b|\borders?\b|specified", each)]


def test_a_storage_run_says_what_becomes_of_its_file_and_which_volumes_it_measures() -> None:
    plan = RunPlan(workload="storage", targets=(Target.parse("storage:///data/f")[0],))
    assert "A file that is missing is written in full first, and removed at the end of the run." in touched_sentences(
        plan
    )
    probed = RunPlan(storage_probes=("/pg-log@db1=log",))  # type: ignore[arg-type]
    assert (
        "Before and after the run, the volume of /pg-log on db1 is driven alone for 12 s: sequential 8K writes, each"
        " synced." in plan_sentences(probed)
    )
    assert "--storage-probe /pg-log@db1=log" in command_line(probed)


def test_the_review_says_of_a_file_that_is_only_read_that_nothing_is_written() -> None:
    plan = RunPlan(workload="storage", targets=(Target.parse("storage://db1/data/f")[0],), threads=4)
    assert touched_sentences(plan) == [
        "Nothing is written into 1 file: /data/f on machine db1.",
        "A file that is missing is written in full first, and removed at the end of the run.",
    ]
    assert touched_sentences(plan.changed({"read_pct": 70}))[0] == (
        "Blocks are written into 1 file: /data/f on machine db1."
    )
    assert touched_sentences(plan.changed({"read_pct": 0}))[-1] == (
        "The files are used as they are; what the run writes takes the place of what was there."
    )
    assert touched_sentences(plan.changed({"reset": True}))[-1] == (
        "Before the run, each file is checked: nothing that earlier runs wrote has to be undone."
    )
    assert not [each for each in plan_sentences(plan) if re.search(r"\busers?\b|[Cc]onnect|think", each)]
    assert reach_sentence(plan) == "Random 8 KB I/Os, 100 % reads, queue depth 1."
