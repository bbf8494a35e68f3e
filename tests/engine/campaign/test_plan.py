"""Campaigns as values and as files: they read back as they were written, and everything wrong is one sentence."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from engine.campaign.conditions import LoadBelow, PortOpen, ServiceActive, SqlAnswers, parse_condition
from engine.campaign.fields import field_of
from engine.campaign.file import read_campaign_file
from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import OnFailure, RunStep, SearchStep, SweepStep, WaitStep
from engine.campaign.units import rounds_at, rounds_of
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from resources import read_text
from tests.engine.campaign.examples import CAMPAIGNS, CONDITIONS, RUN_PLAN, campaign, cycle, search, sweep


@given(CAMPAIGNS)
def test_a_campaign_reads_back_from_json(plan: CampaignPlan) -> None:
    assert CampaignPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@given(CONDITIONS)
def test_a_condition_reads_back_from_its_text(text: str) -> None:
    condition = parse_condition(text)
    assert parse_condition(condition.text) == condition


def test_conditions_mean_what_they_say() -> None:
    assert parse_condition("port [::1]:5432") == PortOpen("::1", 5432)
    assert parse_condition("service postgresql on root@r630") == ServiceActive("postgresql", "root@r630")
    assert parse_condition("load below 0.5") == LoadBelow(0.5)
    assert parse_condition("sql 'SELECT 2' on host2 of target 3") == SqlAnswers("SELECT 2", "2", 3)


def test_a_file_names_its_plan_and_takes_the_files_name(tmp_path: Path) -> None:
    (tmp_path / "r630.toml").write_text('minutes = 2.0\nthreads = 7\ntargets = ["embedded:///ds2"]\n')
    file = tmp_path / "night.toml"
    file.write_text('plan = "r630.toml"\n[[steps]]\nkind = "sweep"\n[steps.over]\ndatabases = [4, 8, 24]\n')

    plan = read_campaign_file(file)

    assert (plan.name, plan.plan.threads) == ("night", 7)
    (step,) = plan.steps
    assert isinstance(step, SweepStep)
    assert step.points == ({"databases": 4}, {"databases": 8}, {"databases": 24})
    assert step.steps == (RunStep(),)


def test_the_file_in_the_help_is_a_campaign(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", read_text("help", "campaigns.md"), flags=re.DOTALL)
    (tmp_path / "r630.toml").write_text('minutes = 30.0\ntargets = ["postgresql://me@r630/ds2"]\n')
    (tmp_path / "campaign.toml").write_text(block)
    plan = read_campaign_file(tmp_path / "campaign.toml")
    assert [step.kind.value for step in plan.steps] == ["cycle", "sweep", "search"]


def test_the_size_counts_the_steps_within_a_cycle() -> None:
    run = {"kind": "run"}
    assert campaign(run).size == "1 step"
    assert campaign({"kind": "cycle", "repeat": 3, "steps": [{"kind": "reset"}, run]}, run).size == "3 steps"


def test_two_fields_are_swept_the_last_one_first() -> None:
    (step,) = campaign(sweep(databases=[4, 8], think_time_ms=[20, 100])).steps
    assert isinstance(step, SweepStep)
    assert [tuple(point.values()) for point in step.points] == [(4, 20), (4, 100), (8, 20), (8, 100)]


def test_a_failed_wait_can_leave_out_its_round() -> None:
    wait = {"kind": "wait", "for": "sql", "at_deadline": "skip"}
    (step,) = campaign({"kind": "cycle", "steps": [wait, {"kind": "run"}]}).steps
    assert not isinstance(step, SearchStep)
    assert [getattr(each, "on_failure", None) for each in getattr(step, "steps", ())] == [
        OnFailure.SKIP, OnFailure.STOP,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({}, "step 1: kind is missing; give one of reset, act, wait, idle, run, cycle, sweep, search."),
        ({"kind": "swep"}, "step 1: kind is 'swep'; did you mean 'sweep'."),
        ({"kind": "idle"}, "step 1 (idle): minutes is missing; give it."),
        (
            {"kind": "wait", "for": "sql", "deadline": 5},
            "step 1 (wait): key 'deadline' is not known; did you mean 'deadline_seconds'.",
        ),
        ({"kind": "idle", "minuts": 2}, "step 1 (idle): key 'minuts' is not known; did you mean 'minutes'."),
        ({"kind": "wait", "for": "prot r630:1"}, "step 1 (wait): for is 'prot r630:1'; did you mean 'port'."),
        (
            {"kind": "wait", "for": "sql", "at_deadline": "skip"},
            "step 1 (wait): at_deadline is 'skip', which is for steps of a cycle, sweep or search; give stop or"
            " continue.",
        ),
        (
            {"kind": "act", "do": "kil primary"},
            "step 1 (act): 'kil primary' is not a known action; did you mean 'kill primary'?",
        ),
        (
            {"kind": "cycle", "steps": [{"kind": "run"}, {"kind": "cycle", "steps": []}]},
            "step 1.2 (cycle): steps nest one level only; take it out of the step around it.",
        ),
        (
            {"kind": "cycle", "steps": [{"kind": "idle", "minutes": -1}]},
            "step 1.1 (idle): minutes is -1; give a number above 0, at most 10080.",
        ),
        (sweep(databasses=[4]), "step 1 (sweep): field 'databasses' is not known; did you mean 'databases'."),
        (sweep(users=[4]), "step 1 (sweep): field 'users' is not known; plans call it 'threads'."),
        (sweep(databases=[4, 0]), "step 1 (sweep): databases is 0; give a whole number from 1 to 256."),
        (
            sweep(warehouses=[4]),
            "step 1 (sweep): field 'warehouses' is one of Wholesale, and the plan's workload is DVD Store 2; leave it"
            " out.",
        ),
        (sweep(targets=[1, 2]), "step 1 (sweep): targets is 2; give a whole number from 1 to 1."),
        (sweep(threads=[4, 4]), "step 1 (sweep): over.threads has a value twice; give each once."),
        (
            sweep(threads=[4], databases=[1], clients=[1]),
            "step 1 (sweep): over has 3 fields; give one or two, such as databases = [4, 8, 24].",
        ),
        (
            search(hold=["p95ms < 4"]),
            "step 1 (search): hold 'p95ms < 4': figure 'p95ms' is not known for DVD Store 2; did you mean 'p95'.",
        ),
        (
            search(hold=["p95 is low"]),
            "step 1 (search): hold is 'p95 is low'; write a figure, <, <=, > or >=, and a limit, such as"
            " p95 <= 20 ms.",
        ),
        (
            search(hold=["p95 < 4 %"]),
            "step 1 (search): hold 'p95 < 4 %' is a change, and a search has no baseline; give a value in ms, without +"
            " or -.",
        ),
        (
            search(hold=["opm>=-3"]),
            "step 1 (search): hold 'opm >= -3' is a change, and a search has no baseline; give a value, without + or"
            " -.",
        ),
        (
            search(hold=["errors < 4 ms"]),
            "step 1 (search): hold 'errors < 4 ms' has a limit in ms; give the limit of errors without a unit.",
        ),
        (
            search(hold=["recovery < 4 s"]),
            "step 1 (search): hold 'recovery < 4 s': recovery is not measured at a point; choose another figure, such"
            " as p95.",
        ),
        (search(to=1), "step 1 (search): to is 1, and from is 1; give a higher number than from."),
        (search(to=1001), "step 1 (search): threads is 1001; give a whole number from 1 to 1000."),
        (
            search(resolution=0.5),
            "step 1 (search): resolution is 0.5, and threads is a whole number; give a whole number.",
        ),
        (
            search(steps=[{"kind": "reset"}]),
            "step 1 (search): steps has no run, so that nothing would be measured; add one of kind = \"run\".",
        ),
        (
            {"kind": "run", "with": {"minutes": 0}},
            "step 1 (run): minutes is 0 in the plan, which runs until it is stopped; give the plan minutes.",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_step_is_one_sentence(step: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        campaign(step)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ({"steps": []}, "the campaign has no name; give it one."),
        ({"name": "a"}, "the campaign has no steps; give it one."),
        ({"name": "a", "steps": []}, "the campaign has no steps; give at least one under [[steps]]."),
        ({"name": "a", "step": []}, "campaign key 'step' is not known; did you mean 'steps'."),
        ({"name": "a", "steps": 1}, "steps is not a list of tables; write each under [[steps]]."),
        ({"name": "a", "steps": [], "format_version": 2},
         "format_version is 2; this version of Spindle reads 1; use a newer version."),
        ({"name": "a", "plan": {"threds": 1}, "steps": [cycle()]},
         "plan key 'threds' is not known; did you mean 'threads'."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_campaign_is_one_sentence(plain: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        CampaignPlan.from_dict(plain)
    assert str(error.value) == sentence


def test_a_plan_file_that_is_missing_is_named_with_its_step(tmp_path: Path) -> None:
    file = tmp_path / "night.toml"
    file.write_text('[plan]\nminutes = 1.0\n[[steps]]\nkind = "run"\nplan = "gone.toml"\n')
    with pytest.raises(BadInput) as error:
        read_campaign_file(file)
    assert str(error.value) == (
        f"campaign file {file}: step 1 (run): plan file {tmp_path / 'gone.toml'} does not exist; check its name."
    )


def test_leaves_name_what_is_done_with_which_plan() -> None:
    plan = campaign(sweep(threads=[3, 5]), {"kind": "run", "with": {"threads": 9}}, search(to=64))
    found = [(number, step.kind.value, run_plan.threads) for number, step, run_plan in plan.leaves()]
    assert found == [
        *((1, kind, users) for users in (3, 5) for kind in ("reset", "run")),
        (2, "run", 9),
        *((3, kind, users) for users in (1, 64) for kind in ("reset", "run")),
    ]
    assert RUN_PLAN["threads"] == 2


def test_runs_of_several_steps_are_named_by_their_plans_or_their_numbers() -> None:
    own = {"kind": "run", "plan": RUN_PLAN | {"name": "New server"}}
    for second, names in (
        (own, ["tested, Old server", "tested, New server"]),
        ({"kind": "run"}, ["tested, step 1", "tested, step 2"]),
    ):
        plan = campaign({"kind": "run"}, second, name="tested")
        plan = replace(plan, plan=replace(plan.plan, name="Old server"))
        units = [unit for number in (1, 2) for work in rounds_of(plan, number) for unit in work.units]
        assert [unit.run_name for unit in units] == names


def test_the_load_itself_is_a_field() -> None:
    stages = ["10 users 0:10, 20 users 0:10", "5 users 0:15"]
    plan = campaign({"kind": "sweep", "over": {"stages": stages}}, search(field="rate", to=600))
    units = [unit for work in rounds_of(plan, 1) for unit in work.units]
    assert [unit.plan.measured_seconds for unit in units] == [20, 15]
    (unit,) = rounds_at(plan, 2, {"rate": 300.0})
    assert unit.units[-1].plan.rate == 300
    assert CampaignPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@pytest.mark.parametrize(
    ("workload", "target", "instead"),
    [("mail", "mail://user@mx.lab/example.org", "rate_factor"), ("storage", "storage:///data/f", "queue_depth")],
)
def test_a_think_time_is_no_field_of_a_load_that_has_none(workload: str, target: str, instead: str) -> None:
    plan = RunPlan.from_dict({"workload": workload, "targets": [target]})
    with pytest.raises(BadInput, match=f"field 'think_time_ms' is not used by .*; change {instead}"):
        field_of(plan, "think_time_ms")
    assert field_of(plan, instead).key == instead


@pytest.mark.parametrize(
    ("condition", "words"),
    [("sql", "SQL"), ("sql 'SELECT sql' on host2", "SQL 'SELECT sql' on host2"), ("ping r630", "ping r630")],
)
def test_a_wait_is_told_with_the_usual_spelling_of_sql(condition: str, words: str) -> None:
    assert WaitStep(condition=parse_condition(condition)).sentence == f"Wait for {words}, at most 10 min"
