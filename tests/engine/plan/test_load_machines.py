import json
import tomllib
from typing import Any

import pytest
import tomli_w

from engine.analysis.comparing.run_set import is_same_plan, plan_differences
from engine.draft.equivalent_command import command_line
from engine.draft.plan_draft import PlanDraft
from engine.draft.wording import plan_sentences
from engine.errors import BadInput
from engine.plan.load_machines import LoadMachine
from engine.plan.plan import RunPlan

PLAN = RunPlan(clients=5, load_machines=(LoadMachine("load1", 2), LoadMachine("load2", 2)))


def test_a_plan_with_load_machines_survives_json_and_toml() -> None:
    plain = PLAN.to_dict()
    assert plain["load_machine"] == [{"name": "load1", "clients": 2}, {"name": "load2", "clients": 2}]
    assert RunPlan.from_dict(json.loads(json.dumps(plain))) == PLAN
    assert RunPlan.from_dict(tomllib.loads(tomli_w.dumps(plain))) == PLAN
    tables = (f'[[load_machine]]\nname = "{name}"\nclients = 2\n' for name in ("load1", "load2"))
    by_hand = "\n".join(["clients = 5", *tables])
    assert RunPlan.from_dict(tomllib.loads(by_hand)) == PLAN
    assert not {"load_machine", "load_machines"} & RunPlan().to_dict().keys()


def test_clients_are_placed_in_order_and_the_rest_stays_here() -> None:
    assert [each.machine for each in PLAN.client_plans()] == ["load1", "load1", "load2", "load2", ""]
    assert [each.machine for each in RunPlan(clients=2).client_plans()] == ["", ""]


def test_the_same_is_typed_as_texts() -> None:
    assert RunPlan(clients=5).changed({"load_machines": ("load1=2", " load2 = 2")}) == PLAN
    draft = PlanDraft.from_plan(PLAN)
    assert draft.typed["load_machines"] == "load1=2, load2=2"
    assert draft.plan().load_machines == PLAN.load_machines
    assert "--load-machine load1=2 --load-machine load2=2" in command_line(PLAN)
    assert "Load machine load1 drives 2 clients, load2 2 and this workstation 1." in plan_sentences(PLAN)


def test_another_placement_is_another_plan() -> None:
    other = RunPlan(clients=5)
    assert plan_differences([PLAN, other]) == ("load machines",)
    assert not is_same_plan(PLAN, other)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("load1",), "load_machines, number 1: load machine 'load1' has no number of clients; write NAME=CLIENTS"),
        (("load1=two",), "clients of load machine 'load1' is 'two'"),
        (("load1=0",), "clients of load machine 'load1' is 0; give a whole number from 1 to 256."),
        (("=2",), "name of a load machine is ''; give a letter first"),
        (("workstation=1",), "load machine 'workstation' is this one"),
        (("a=1", "A=1"), "load_machines has 'A' twice; give it all of its clients at once."),
        (
            ("a=2", "b=1"),
            "the load machines drive 3 clients, and the plan has 2; give them at most 2, or more clients.",
        ),
        ([{"name": "a"}], "a load machine has no clients; give both"),
        (
            [{"name": "a", "clients": 1, "cpus": 4}],
            "load machine key 'cpus' is not known; known keys are",
        ),
        ([{"name": "a", "clients": True}], "clients of load machine 'a' is True"),
        ([7], "a load machine is 7; give a table with name and clients."),
        ("a=1", "load_machines is not a list; give a list in square brackets."),
    ],
)
def test_what_can_not_be_placed_is_refused(given: Any, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict({"clients": 2, "load_machine": given})
    assert words in str(caught.value)


def test_the_wizard_shows_the_error_at_the_field() -> None:
    draft = PlanDraft(typed={"clients": "2", "load_machines": "a=3"})
    (field, sentence), *_ = draft.validate().items()
    assert field == "load_machines"
    assert "drive 3 clients" in sentence


def test_a_plan_names_them_by_one_key() -> None:
    with pytest.raises(BadInput, match="'load_machines' is not known; did you mean 'load_machine'"):
        RunPlan.from_dict({"load_machines": []})
