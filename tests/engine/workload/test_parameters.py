"""The parameters of a workload that nobody knew are in plans, plan files, drafts, sentences and options."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.cli.workload_options import plan_options
from engine.draft.equivalent_command import command_line
from engine.draft.plan_draft import PlanDraft
from engine.draft.stored_draft import draft_from_dict, draft_to_dict
from engine.draft.wording import plan_sentences, titled_values
from engine.errors import BadInput
from engine.plan.file import read_plan_file, write_plan_file
from engine.plan.parameters import COMMON
from engine.plan.plan import RunPlan
from engine.plan.presets import load_keys
from engine.workload.registry import find_workload, workload_ids

CHANGED = {"blend": "drawn", "rolled_back": 2.5, "keying_minutes": 0.75, "waits": True, "prefix": "a, b"}


@pytest.fixture
def plan(toy: str) -> RunPlan:
    return RunPlan(workload=toy, threads=4, parameters=CHANGED)


def test_a_workload_is_found_by_its_entry_point(toy: str) -> None:
    assert workload_ids() == ("dvdstore", "wholesale", "brokerage", "mail", "storage", "toy")
    assert find_workload(toy).title == "Toy"
    with pytest.raises(BadInput, match="workload is 'toi'; did you mean 'toy'"):
        find_workload("toi")


def test_no_parameter_has_the_key_of_one_that_every_plan_has() -> None:
    assert not set(COMMON) & set(find_workload("dvdstore").keys)


def test_what_is_not_given_has_its_default(plan: RunPlan) -> None:
    assert plan.parameters == {"shops": 10, **CHANGED}
    assert plan.scale == 10


def test_a_plan_file_reads_back(plan: RunPlan, tmp_path: Path) -> None:
    write_plan_file(tmp_path / "plan.toml", plan)
    assert read_plan_file(tmp_path / "plan.toml") == plan
    assert RunPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"shops": 0}, "shops is 0; give a whole number from 1 to 10000."),
        ({"blend": "draw"}, "blend is 'draw'; did you mean 'drawn'."),
        ({"waits": 1}, "waits is 1; give true or false."),
        ({"n_searches": 3}, "'n_searches' is not a parameter of workload toy; "),
        ({"shop": 3}, "'shop' is not a parameter of workload toy; did you mean 'shops'."),
    ],
)
def test_a_wrong_value_gets_one_sentence(toy: str, parameters: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict({"workload": toy, "parameters": parameters})
    assert str(caught.value).startswith(sentence)


def test_another_workload_begins_with_its_defaults(toy: str) -> None:
    plan = RunPlan(threads=9, parameters={"n_searches": 7}).changed({"workload": toy, "shops": 3})
    assert (plan.threads, plan.parameters["shops"], plan.parameters["blend"]) == (9, 3, "specified")
    assert plan.changed({"blend": "drawn"}).parameters["shops"] == 3


def test_a_draft_makes_the_plan_and_is_kept(plan: RunPlan) -> None:
    draft = PlanDraft.from_plan(plan)
    assert draft.plan().parameters == plan.parameters
    assert draft_from_dict(json.loads(json.dumps(draft_to_dict(draft)))) == draft
    draft.typed["rolled_back"] = "much"
    assert draft.validate() == {"rolled_back": "Rolled back is 'much'; give a number."}
    draft.typed["rolled_back"] = "101"
    assert draft.validate() == {"rolled_back": "Rolled back is 101; give a number from 0 to 100."}
    assert draft.store_plan().parameters["shops"] == 10


def test_a_stored_draft_of_a_removed_workload_has_the_usual_one() -> None:
    assert draft_from_dict({"workload": "gone", "threads": "7"}) == PlanDraft(typed={"threads": "7"})


def test_sentences_and_values_name_the_parameters(plan: RunPlan) -> None:
    told = "Toy: blend drawn, rolled back 2.5 %, keying time 0:45, waits yes, prefix a, b."
    assert told in plan_sentences(plan)
    usual = plan.changed({"prefix": "", "waits": False})
    assert "Toy: blend drawn, rolled back 2.5 %, keying time 0:45, waits no." in plan_sentences(usual)
    values = titled_values(plan)
    assert (values["Workload"], values["Rolled back, %"], values["Keying time"]) == ("Toy", 2.5, "0:45")


def test_the_load_of_a_preset_is_made_of_them(toy: str) -> None:
    assert load_keys(toy)[-5:] == ("blend", "rolled_back", "keying_minutes", "waits", "prefix")


def test_the_options_are_made_of_them(plan: RunPlan) -> None:
    given: dict[str, object] = {}

    @click.command()
    @plan_options
    def command(**fields: object) -> None:
        given.update(fields)

    assert "--rolled-back" in CliRunner().invoke(command, ["--help"], catch_exceptions=False).output
    words = command_line(plan).split(" ", 2)[2]
    assert words == (
        "--workload toy --users 4 --blend drawn --rolled-back 2.5 --keying-minutes 0:45 --waits --prefix 'a, b'"
    )
    CliRunner().invoke(command, words, catch_exceptions=False)
    assert RunPlan().changed({key: value for key, value in given.items() if value not in (None, ())}) == plan


def test_a_workload_that_cannot_be_loaded_is_refused_with_its_name(toy: str, tmp_path: Path) -> None:
    (tmp_path / "toy_workload.py").write_text("import nothing_that_exists\n")
    with pytest.raises(BadInput, match=r"workload 'toy' can't be loaded \(ModuleNotFoundError: .*nothing_that_exists"):
        find_workload(toy)


def test_a_store_is_named_by_its_scale(toy: str) -> None:
    assert find_workload("dvdstore").scale.store("100MB") == "100MB store"
    assert find_workload("wholesale").scale.store("1W") == "store of 1 warehouse"
    assert find_workload(toy).scale.store("10") == "store of 10 shops"


def test_a_scale_of_several_parameters_is_one_scale(tmp_path: Path) -> None:
    plan = RunPlan(workload="brokerage", parameters={"customers": 5_000, "days": 3})
    scale = find_workload("brokerage").scale
    assert str(plan.scale) == "5000C3D"
    assert plan.with_scale(scale.read("1000C10D")).parameters == {"customers": 1_000, "days": 10}
    assert scale.store("5000C3D") == "store of 5\u202f000 customers and 3 days of trades"
    assert scale.options(plan.scale) == "--customers 5000 --days 3"
    write_plan_file(tmp_path / "plan.toml", plan)
    assert read_plan_file(tmp_path / "plan.toml") == plan


def test_days_have_a_usual_number_and_need_customers() -> None:
    assert str(RunPlan(workload="brokerage", parameters={"customers": 1_000}).scale) == "1000C10D"
    assert RunPlan(workload="brokerage").scale is None
    with pytest.raises(BadInput, match="days is 5 without customers; give both, or neither"):
        RunPlan(workload="brokerage", parameters={"days": 5})
    with pytest.raises(BadInput, match="customers is 1500; give thousands, such as 1000"):
        RunPlan(workload="brokerage", parameters={"customers": 1_500})


def test_customers_and_days_of_an_earlier_version_are_read() -> None:
    plan = RunPlan.from_dict({"workload": "brokerage", "parameters": {"customers": "5000x3"}})
    assert plan.parameters == {"customers": 5_000, "days": 3}
    assert draft_from_dict({"workload": "brokerage", "customers": "5000x3"}).scale() == plan.scale


def test_a_draft_says_which_field_of_a_scale_is_missing() -> None:
    draft = PlanDraft(workload="brokerage", typed={"customers": "", "days": "5"})
    assert draft.validate() == {
        "days": "Days is 5 without customers; give both, or neither for the store that is there."
    }
