import json

import pytest

from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.stored_draft import draft_from_dict, draft_to_dict
from engine.plan.plan import RunPlan
from engine.target.target import Target
from engine.workload.registry import BROKERAGE, MAIL, WHOLESALE


@pytest.fixture
def draft() -> PlanDraft:
    return PlanDraft(further_loads=[LoadDraft(WHOLESALE)])


def test_a_new_load_drives_the_first_loads_servers_in_its_usual_database(draft: PlanDraft) -> None:
    assert draft.validate() == {}
    second = draft.plan().loads[1]
    assert [target.url for target in second.targets] == ["embedded:///wholesale"]
    assert (second.clients, second.threads, second.value("warehouses").count) == (2, 8, 1)


def test_work_on_stores_has_those_of_all_loads(draft: PlanDraft) -> None:
    draft.typed["threads"] = "wrong"
    assert [store.database for store in draft.store_plan().stores()] == ["ds2", "wholesale"]


def test_a_plan_with_several_loads_is_typed_and_read_back() -> None:
    target = Target.parse("postgresql://me@db1/other")[0].with_label("second")
    second = RunPlan(targets=(target,), workload=WHOLESALE, threads=3, rate=600, parameters={"warehouses": 4})
    plan = RunPlan(further_loads=(second,), minutes=1, reset=True, audit=False)
    assert PlanDraft.from_plan(plan).plan() == plan


def test_a_kept_draft_has_its_loads_but_no_password(draft: PlanDraft) -> None:
    draft.further_loads[0].typed["threads"] = "wrong"
    assert draft_from_dict(json.loads(json.dumps(draft_to_dict(draft)))) == draft
    draft.further_loads[0].targets = "postgresql://me:secret@db1/wholesale"
    assert "contains a password" in draft.validate()["further_loads.0.targets"]
    assert "secret" not in json.dumps(draft_to_dict(draft)) + str(draft.validate())


def test_a_kept_load_of_an_unknown_workload_is_left_out(draft: PlanDraft) -> None:
    kept = draft_to_dict(draft)
    kept["further_loads"] += [{"workload": "nothing"}, "nothing"]
    assert draft_from_dict(kept) == draft


def test_errors_name_the_load_and_the_field(draft: PlanDraft) -> None:
    draft.further_loads.append(LoadDraft(BROKERAGE, typed={"threads": "x"}))
    assert list(draft.validate()) == ["further_loads.1.threads"]
    draft.further_loads[1] = LoadDraft(MAIL)
    assert "runs on mail servers" in draft.validate()["further_loads.1.targets"]
    draft.further_loads[1].targets = "mail://me@mail1/example.org"
    assert draft.validate() == {}


def test_two_workloads_on_one_database_are_refused(draft: PlanDraft) -> None:
    draft.further_loads[0].targets = "embedded:///ds2"
    assert "loads 1 and 2 drive the same database" in draft.validate()["further_loads"].lower()


def test_load_machines_may_drive_the_clients_of_all_loads(draft: PlanDraft) -> None:
    draft.typed["load_machines"] = "load1=4"
    assert draft.validate() == {}
    draft.further_loads.clear()
    assert list(draft.validate()) == ["load_machines"]


def test_another_workload_keeps_the_users(draft: PlanDraft) -> None:
    load = draft.further_loads[0]
    load.typed["threads"], load.targets = "5", "embedded:///mine"
    load.choose_workload(BROKERAGE)
    assert (load.typed["threads"], load.targets) == ("5", "")
    assert draft.plan().loads[1].workload == BROKERAGE
