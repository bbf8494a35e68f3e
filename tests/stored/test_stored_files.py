"""A library and plan files of an earlier version are read, and exported as that version exported them.

JSON and CSV may have more keys and columns by now, as ``resources/help/file-formats.md`` says; what they had is equal.
"""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.library.judgement import run_recoveries
from engine.conduct.interrupted import settle_library
from engine.library.library import Library
from engine.plan.file import read_plan_file
from engine.plan.plan import RunPlan
from engine.report.result import plan_document, result, write_csv

REVISION_0006 = Path(__file__).parent / "revision_0006"
PLANS = json.loads((REVISION_0006 / "plans.json").read_text(encoding="utf-8"))
RUNS = json.loads((REVISION_0006 / "runs.json").read_text(encoding="utf-8"))
_PERCENTILES = ("rt_p50_ms", "rt_p95_ms", "rt_p99_ms")
RUN_IDS = {run["name"]: run["run_id"] for run in RUNS}


def changed(stored: Any, now: Any, path: str = "") -> Iterator[str]:
    """Where a value is no longer what was stored; mappings may have more keys, all else is the same."""
    if isinstance(stored, dict) and isinstance(now, dict):
        for key, value in stored.items():
            if key in now:
                yield from changed(value, now[key], f"{path}.{key}")
            else:
                yield f"{path}.{key} is gone"
    elif isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        for number, (before, after) in enumerate(zip(stored, now, strict=True)):
            yield from changed(before, after, f"{path}[{number}]")
    elif (type(stored), stored) != (type(now), now):
        yield f"{path} was {stored!r} and is {now!r}"


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_file_is_read_as_before(name: str) -> None:
    plan = read_plan_file(REVISION_0006 / name)

    assert plan == RunPlan.from_dict(PLANS[name])
    assert list(changed(PLANS[name], json.loads(json.dumps(plan_document(plan))))) == []


def test_every_key_of_a_plan_written_by_hand_has_its_value() -> None:
    plan = read_plan_file(REVISION_0006 / "by_hand.toml")

    assert (plan.name, plan.note, plan.tags) == ("Two racks", "By hand", ("nightly", "R630"))
    assert [(store.kind, store.database, store.label) for store in plan.targets] == [
        ("postgresql", "ds2", ""),
        ("mssql", "ds2", "prod"),
        ("mariadb", "ds2", "maria"),
        ("mysql", "shop", ""),
        ("embedded", "ds2", ""),
    ]
    assert [client.label for client in plan.client_plans()][:4] == [
        "db1:5432,db2:5433/ds2_1 #1",
        "db1:5432,db2:5433/ds2_1 #2",
        "db1:5432,db2:5433/ds2_2 #1",
        "db1:5432,db2:5433/ds2_2 #2",
    ]
    assert (len(plan.client_plans()), len(plan.stores()), str(plan.scale)) == (30, 15, "40GB")
    assert (plan.threads, plan.think_time_ms, plan.ramp_rate) == (32, 20.0, 5.0)
    assert (plan.warmup_seconds, plan.measured_seconds, plan.seed) == (300, 1_800, 2**63 - 1)
    assert (plan.reset, plan.audit) == (True, False)
    assert [(fault.kind.value, fault.at_seconds, fault.label) for fault in plan.faults] == [
        ("mark", 300.0, "Enclosure pulled"),
        ("lab", 40.0, "Kill primary"),
        ("lab", 60.0, "Freeze"),
        ("command", 600.0, "Run /opt/tool --option two words"),
        ("command", 660.0, "Run one; two"),
        ("sql", 720.0, "SELECT pg_promote()"),
        ("redfish", 780.0, "ForceOff by bmc"),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The stored library, opened as a program does that finds it; one of its runs was killed and never settled."""
    path = tmp_path_factory.mktemp("home") / "library.sqlite"
    shutil.copy(REVISION_0006 / "library.sqlite", path)
    told: list[str] = []
    with Library.open(path, notify=told.append) as opened:
        settled = settle_library(opened)
        assert [run.name for run in settled.interrupted] == ["killed"]
        yield opened
    assert told == []


def test_the_library_lists_its_runs_and_sets(library: Library) -> None:
    assert [run.run_id for run in library.runs()] == [run["run_id"] for run in RUNS]
    assert [(run.state.value, run.name) for run in library.runs(deleted=True)] == [("stopped", "stopped in order")]
    [run_set] = library.sets.all()
    assert (run_set.name, run_set.configuration, len(run_set.run_ids)) == ("SSD, 2 ms", "R630, SSD", 3)
    assert [each.name for each in library.configurations.all()] == ["R630, HDD", "R630, SSD"]
    measured = library.host.of_run(run_set.run_ids[-1])
    assert [each.note for each in measured] == ["", "", "", "meter behind the enclosure"]


@pytest.mark.parametrize("name", RUN_IDS)
def test_a_stored_run_has_the_json_that_it_had(library: Library, name: str) -> None:
    record = library.run(RUN_IDS[name])
    document = result(record, library.events(record.run_id), run_recoveries(library, record.run_id))

    [stored] = [run for run in RUNS if run["name"] == name]
    assert list(changed(stored, json.loads(json.dumps(document)))) == []


@pytest.mark.parametrize("name", RUN_IDS)
def test_a_stored_run_has_the_seconds_that_it_had(library: Library, name: str) -> None:
    """But for percentiles, which could then exceed the longest time of their second by half a bucket."""
    record, file = library.run(RUN_IDS[name]), io.StringIO()
    write_csv(file, record, library.samples(record.run_id))

    stored = (REVISION_0006 / "seconds" / f"{record.run_id}.csv").read_text(encoding="utf-8")
    before, after = list(csv.DictReader(io.StringIO(stored))), list(csv.DictReader(io.StringIO(file.getvalue())))
    for row in before:
        if longest_us := int(row["order_us_max"] or 0):
            row |= {key: str(min(float(row[key]), longest_us / 1000)) for key in _PERCENTILES if row[key]}
    assert len(before) > 0
    assert list(changed(before, after)) == []
