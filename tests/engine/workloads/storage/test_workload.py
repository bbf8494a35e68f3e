"""The storage workload as a plan: what it refuses, and what is said of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.conduct.after_run import audit_after_run
from engine.draft.equivalent_command import command_line
from engine.draft.plan_draft import PlanDraft
from engine.draft.wording import plan_sentences
from engine.errors import BadInput, UserError
from engine.library.library import Library
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from engine.target.target import Target
from engine.workload.registry import find_workload
from engine.workloads.storage.bindings.storage.program import access_of
from tests.app.runs import a_run

FILE = Target.parse("storage:///data/file")[0]


def a_plan(**parameters: Any) -> RunPlan:
    plan = RunPlan(workload="storage", targets=(FILE,), threads=4, minutes=0.5, reset=False, audit=False)
    return plan.changed({"file_size": "50GB", "queue_depth": 8, **parameters})


def test_nothing_that_paces_users_is_said_of_threads() -> None:
    said = " ".join(plan_sentences(a_plan()))
    assert "1 client × 4 threads against 1 file of 51200MB on this machine." in said
    assert "random I/Os of 8 KB, 100 % reads, 8 outstanding per thread" in said
    assert all(word not in said for word in ("user", "think", "connect"))
    assert proposed_name(a_plan()) == "Storage, 1 × 4 threads, random 8 KB I/Os, 100 % reads, queue depth 8"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": 100}, "rate paces users, and workload storage has none"),
        ({"audit": True}, "audit is on, and workload storage acknowledges nothing"),
        ({"targets": (Target.parse("postgresql://db1/ds2")[0],)}, "workload Storage runs on storage"),
        ({"queue_depth": 0}, "queue_depth is 0"),
        ({"file_size": "0MB"}, "file_size is '0MB'; give a size from 1MB"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        a_plan(**changes)


def test_the_plan_is_read_back_from_its_values_and_its_draft() -> None:
    plan = a_plan(read_pct=70, synced_writes=True)
    assert RunPlan.from_dict(plan.to_dict()) == plan
    assert PlanDraft.from_plan(plan).plan() == plan
    assert "--file-size 51200MB" in command_line(plan)
    assert command_line(plan.changed({"think_time_ms": 20, "ramp_rate": 5})) == command_line(plan)


def test_the_published_loads_have_the_published_settings() -> None:
    loads = [each for each in find_workload("storage").loads if "as published" in each.name]
    accesses = []
    for load in loads:
        plan = a_plan(**load.values)
        assert (plan.threads, plan.measured_seconds) == (4, 30)
        accesses.append(access_of(FILE, plan.parameters, plan.threads, plan.seed))
    assert [each.read_pct for each in accesses] == [100, 0]
    assert {(each.block_kb, each.file_mb, each.pattern, each.cached) for each in accesses} == {
        (8, 51_200, "random", False)
    }


def test_the_other_loads_of_a_mixed_run_are_audited() -> None:
    database = {"targets": ["postgresql://me@db1/ds2"], "workload": "dvdstore"}
    storage = {"targets": ["storage:///data/f"], "workload": "storage"}
    for loads in ((database, storage), (storage, database)):
        plan = RunPlan.from_dict({**loads[0], "audit": True, "load": [loads[1]]})
        assert plan.audit
        assert {load.workload: load.audit for load in plan.loads} == {"dvdstore": True, "storage": None}
        assert RunPlan.from_dict(plan.to_dict()) == plan
        assert PlanDraft.from_plan(plan).audited == ["order"]
    with pytest.raises(BadInput, match="audit is on, and workload storage acknowledges nothing"):
        RunPlan.from_dict({**storage, "audit": True, "load": [{**storage, "targets": ["storage:///data/g"]}]})


def test_a_run_of_storage_alone_has_nothing_to_audit(tmp_path: Path) -> None:
    record = a_run(plan=RunPlan(workload="storage", targets=(Target.parse("storage:///data/f")[0],)), totals=None)
    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        library.add_imported(replace(record, client_labels=("f",)), (), ())
        with pytest.raises(UserError, match="is of Storage, whose clients record nothing to look for"):
            audit_after_run(
                library,
                record.run_id,
                lambda target: pytest.fail(target.url),
                report_progress=lambda _: None,
                cancelled=lambda: False,
            )
        assert library.run(record.run_id).audit is None


def test_clients_are_called_after_their_files() -> None:
    def labels(*urls: str) -> list[str]:
        plan = RunPlan(workload="storage", targets=tuple(Target.parse(url)[0] for url in urls))
        return [each.label for each in plan.client_plans()]

    assert labels("storage:///data/a", "storage://db1/log/b") == ["a", "b"]
    assert labels("storage:///data/a", "storage://db1/data/a") == ["storage/data/a", "db1/data/a"]
