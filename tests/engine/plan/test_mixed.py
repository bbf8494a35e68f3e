"""Plans of mixed runs: several loads under one clock."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given

from engine.analysis.comparing.run_set import is_same_plan, plan_differences
from engine.errors import BadInput
from engine.plan.file import with_load_files
from engine.plan.mixed import RUN_KEYS
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from tests.engine.plans import PLANS

FIRST = {"targets": ["postgresql://me@db1/ds2"], "clients": 2, "threads": 8, "minutes": 1}
WHOLESALE = {"workload": "wholesale", "threads": 4, "parameters": {"warehouses": 3}}
BROKERAGE = {"workload": "brokerage", "targets": ["mariadb://me@db2/one"], "clients": 3, "rate": 2}


def a_mixed_plan(**values: Any) -> RunPlan:
    return RunPlan.from_dict({**FIRST, "load": [WHOLESALE, BROKERAGE], **values})


def test_mixed_plan_survives_json_and_toml() -> None:
    plan = a_mixed_plan(seed=7, faults=["T+10s mark pulled"], load_machine=[{"name": "load1", "clients": 4}])
    assert RunPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert RunPlan.from_dict(tomllib.loads(tomli_w.dumps(plan.to_dict()))) == plan
    wholesale, brokerage = plan.to_dict()["load"]
    assert set(brokerage) - set(wholesale) == {"arrivals", "rate"}
    assert not set(wholesale) & {*RUN_KEYS, "faults", "load_machine", "load_machines", "format_version"}


@given(plan=PLANS)
def test_plan_of_one_load_has_no_word_of_loads_and_is_its_only_load(plan: RunPlan) -> None:
    assert "load" not in plan.to_dict()
    assert "further_loads" not in plan.to_dict()
    assert plan.loads == (plan,)


def test_each_load_is_a_plan_by_itself_with_what_belongs_to_the_run() -> None:
    plan = a_mixed_plan(name="both", tags=["nightly"], seed=9, audit=True, faults=["T+10s mark pulled"])
    assert [load.workload for load in plan.loads] == ["dvdstore", "wholesale", "brokerage"]
    for load in plan.loads:
        assert not load.is_mixed
        assert [getattr(load, key) for key in RUN_KEYS] == [getattr(plan, key) for key in RUN_KEYS]
        assert load.faults == plan.faults
    assert [load.threads for load in plan.loads] == [8, 4, 1]
    assert plan.with_loads(plan.loads) == plan


def test_load_without_targets_drives_the_same_servers_in_its_own_database() -> None:
    assert [store.url for store in a_mixed_plan().stores()] == [
        "postgresql://me@db1:5432/ds2",
        "postgresql://me@db1:5432/wholesale",
        "mariadb://me@db2:3306/one",
    ]


def test_clients_are_numbered_through_and_each_names_its_load() -> None:
    plan = a_mixed_plan(load_machine=[{"name": "load1", "clients": 4}])
    clients = plan.client_plans()
    assert [(client.number, client.load, client.machine) for client in clients] == [
        (1, 0, "load1"),
        (2, 0, "load1"),
        (3, 1, "load1"),
        (4, 2, "load1"),
        (5, 2, ""),
        (6, 2, ""),
    ]
    of_loads = [client for load in plan.loads for client in load.client_plans()]
    assert [(each.label, each.target, each.machine) for each in of_loads] == [
        (each.label, each.target, each.machine) for each in clients
    ]
    assert [plan.workload_of(store) for store in plan.stores()] == ["dvdstore", "wholesale", "brokerage"]


def test_clients_of_two_loads_on_one_store_have_labels_of_their_own() -> None:
    plan = RunPlan.from_dict({**FIRST, "clients": 1, "load": [{"threads": 2}]})
    assert [client.label for client in plan.client_plans()] == ["ds2", "ds2 (DVD Store 2 2)"]
    assert plan.titles == ("DVD Store 2 1", "DVD Store 2 2")
    assert len(plan.stores()) == 1


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        ({"minutes": 3}, r"load 2 has minutes, which belongs to the run; give it once, outside of \[\[load\]\]\."),
        ({"faults": []}, r"load 2 has faults, which belongs to the run; give it once, outside of \[\[load\]\]\."),
        ({"load_machine": []}, "load 2 has load_machine, which belongs to the run"),
        ({"load": []}, "load 2 has load, which belongs to the run"),
        ({"stages": "10 users 1:00"}, r"load 2 has stages, which belongs to the run; leave it out\."),
        ({"thread": 3}, "load 2: plan key 'thread' is not known; did you mean 'threads'"),
        ({"threads": 0}, "load 2: threads is 0; give a whole number"),
        (3, r"load 2 is 3; give a table \[\[load\]\]"),
        (
            {"workload": "wholesale", "targets": ["postgresql://me@db1/ds2"]},
            "loads 1 and 2 drive the same database postgresql://me@db1:5432/ds2 with different workloads",
        ),
        ({"clients": 255}, "the plan has 257 clients; use at most 256"),
    ],
)
def test_wrong_load_is_refused_in_a_sentence(load: Any, sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^{sentence}"):
        RunPlan.from_dict({**FIRST, "load": [load]})


def test_load_with_loads_or_stages_is_refused() -> None:
    mixed = a_mixed_plan()
    with pytest.raises(BadInput, match="has loads itself"):
        RunPlan(further_loads=(mixed,))
    with pytest.raises(BadInput, match="has stages"):
        RunPlan(further_loads=(RunPlan.from_dict({"stages": "10 users 1:00", "workload": "wholesale"}),))


def test_plans_with_other_loads_differ_and_names_alone_make_no_difference() -> None:
    plan = a_mixed_plan()
    other = a_mixed_plan(load=[{**WHOLESALE, "threads": 5}, BROKERAGE])
    assert is_same_plan(plan, replace(plan, name="again", tags=("new",)))
    assert not is_same_plan(plan, other)
    assert plan_differences([plan, other]) == ("further loads",)


def test_name_says_what_each_load_is() -> None:
    assert proposed_name(a_mixed_plan()) == (
        "db1 and db2, DVD Store 2 2 × 8 users + Wholesale 1 × 4 users + Brokerage 3 × 1 users 2/s"
    )


def test_load_files_are_added_to_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "wholesale.toml"
    file.write_text('workload = "wholesale"\nminutes = 7\nthreads = 3\nwarehouses = 2\n', encoding="utf-8")
    first = RunPlan.from_dict({"targets": ["postgresql://me@db1/ds2"], "minutes": 5})
    plan = with_load_files(first, [file])
    assert [target.url for target in plan.loads[1].targets] == ["postgresql://me@db1:5432/wholesale"]
    assert (plan.loads[1].threads, plan.loads[1].minutes) == (3, 5)
    file.write_text('stages = "10 users 1:00"\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"wholesale.toml: load 2 has stages"):
        with_load_files(first, [file])
