import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.conducting import RunOptions
from app.cli.context import Context
from app.cli.run import demo_command
from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_draft import InjectionDraft
from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.stored_draft import draft_from_dict, draft_to_dict
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.faults.fitting import check_fits
from engine.faults.planned import PlannedFault
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.plan.presets import presets_of
from engine.target.target import EMBEDDED, MSSQL, MYSQL, POSTGRESQL, Target
from engine.workload.registry import BROKERAGE, DVD_STORE, MAIL, STORAGE, WHOLESALE
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.plans import PLANS
from tests.texts import lacks

TYPED = st.text("0123456789.,:-abMGB ", max_size=8)
KIND_NAMES = st.sampled_from([EMBEDDED, POSTGRESQL, MSSQL, MYSQL])
DRAFTS = st.builds(
    PlanDraft,
    targets=st.lists(st.builds(TargetDraft, kind=KIND_NAMES, hosts=TYPED), max_size=3),
    faults=st.lists(
        st.builds(
            FaultDraft,
            at=TYPED,
            label=TYPED,
            done=st.builds(InjectionDraft, kind=st.sampled_from(["mark", "lab", "sql"]), statement=TYPED, target=TYPED),
        ),
        max_size=3,
    ),
    audit=st.sampled_from([None, True, False]),
    typed=st.fixed_dictionaries(
        dict.fromkeys(("clients", "databases", "db_size", "threads", "think_time_ms", "minutes", "tags"), TYPED)
    ),
)


def fits(fault: PlannedFault, plan: RunPlan) -> bool:
    try:
        check_fits(fault, plan.stores())
    except BadInput:
        return False
    return True


def test_a_fresh_draft_is_the_demonstration() -> None:
    draft = PlanDraft()
    assert draft.validate() == {}
    assert draft.plan() == RunPlan(
        name="",
        clients=2,
        threads=8,
        think_time_ms=20,
        ramp_rate=10,
        warmup_minutes=0.1,
        minutes=0.8,
        reset=True,
        audit=True,
        parameters={"db_size": DbSize(100, "MB")},
    )


def test_demonstration_equals_that_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conducted: list[tuple[RunPlan, bool]] = []

    def conduct(_context: object, plan: RunPlan, run_options: RunOptions, **_: object) -> int:
        conducted.append((plan, run_options.reset))
        return 0

    monkeypatch.setattr("app.cli.conducting.conduct", conduct)
    demo_command.main(["--headless"], standalone_mode=False, obj=Context(find_places(tmp_path)))
    demonstration = replace(PlanDraft().plan(), name="Demonstration", reset=None, audit=None)
    assert conducted == [(demonstration, PlanDraft().reset)]


@given(PLANS)
def test_plan_round_trips_through_the_draft(plan: RunPlan) -> None:
    plan = replace(plan, tags=tuple(filter(None, (" ".join(tag.split()) for tag in plan.tags if "\0" not in tag))))
    plan = replace(plan, faults=tuple(fault for fault in plan.faults if fits(fault, plan)))
    plan = replace(plan, reset=bool(plan.reset), audit=bool(plan.audit))
    draft = PlanDraft.from_plan(plan)
    assert draft.validate() == {}
    assert draft.plan() == plan
    assert draft.plan().to_dict() == plan.to_dict()


def test_reset_and_audit_of_the_plan_override_the_defaults() -> None:
    said = PlanDraft.from_plan(RunPlan(reset=False, audit=False), reset=True, audit=True)
    assert (said.reset, said.audits) == (False, False)
    left_open = PlanDraft.from_plan(RunPlan(), reset=True, audit=True)
    assert (left_open.reset, left_open.audits) == (True, True)


def test_proposed_name_is_recomputed_for_a_copied_plan() -> None:
    driven = PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1")])
    for name in ("", "Demonstration", driven.proposed_name()):
        copied = PlanDraft.from_plan(replace(driven.plan(), name=name))
        assert copied.typed["name"] == ""
        copied.typed["threads"] = "32"
        assert copied.proposed_name() == "db1, 2 × 32 users, 20 ms"
    assert PlanDraft.from_plan(replace(driven.plan(), name="R630")).typed["name"] == "R630"


def test_default_name_of_old_drafts_is_dropped() -> None:
    assert draft_from_dict({"name": "Demonstration"}).typed["name"] == ""
    assert draft_from_dict({"name": "R630"}).typed["name"] == "R630"


@given(DRAFTS)
def test_draft_round_trips_valid_or_invalid(draft: PlanDraft) -> None:
    assert draft_from_dict(json.loads(json.dumps(draft_to_dict(draft)))) == draft


@given(DRAFTS)
def test_draft_makes_a_plan_only_without_errors(draft: PlanDraft) -> None:
    errors = draft.validate()
    if errors:
        with pytest.raises(BadInput) as error:
            draft.plan()
        assert str(error.value) in errors.values()
    else:
        assert PlanDraft.from_plan(draft.plan()).plan() == draft.plan()


@pytest.mark.parametrize(
    ("field", "typed", "parts"),
    [
        ("threads", "5000", ("Users per client", "5000", "1 to 1000")),
        ("threads", "", ("Users per client", "empty", "whole number")),
        ("think_time_ms", "-1", ("Think time", "-1", "0 to 3600000")),
        ("think_time_ms", "nan", ("Think time", "nan", "0 to 3600000")),
        ("ramp_rate", "0", ("Ramp rate", "0.01 to 10000")),
        ("pct_new_customers", "101", ("New customers", "101", "0 to 100")),
        ("db_size", "0", ("Store size", "0MB", "1MB to 1000GB")),
        ("db_size", "big", ("Store size", "'big'", "100MB or 40GB")),
        ("clients", "257", ("Clients per store", "257", "1 to 256")),
    ],
)
def test_invalid_field_error_names_field_value_and_range(field: str, typed: str, parts: tuple[str, ...]) -> None:
    draft = PlanDraft()
    draft.typed[field] = typed
    errors = draft.validate()
    assert set(errors) == {field}
    assert lacks(errors[field], *parts) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"targets": []}, "targets"),
        ({"targets": [TargetDraft(database="d" * 55)], "typed": {"databases": "2"}}, "databases"),
        ({"typed": {"clients": "100", "databases": "3"}}, "clients"),
    ],
)
def test_combined_error_is_reported_at_one_field(changes: dict[str, Any], field: str) -> None:
    assert list(PlanDraft(**changes).validate()) == [field]


def test_fault_after_the_end_is_reported_at_its_time() -> None:
    draft = PlanDraft(faults=[FaultDraft("0:10", "early"), FaultDraft("1:30", "late")], typed={"minutes": "1"})
    assert draft.validate() == {
        "faults.1.at": "It is at 1:30 after measuring begins, and measuring ends at 1:00; give an earlier time or a"
        " longer run time."
    }
    draft.typed["minutes"] = "2"
    assert draft.plan().faults[1] == PlannedFault(at_seconds=90, label="late")


def test_errors_of_targets_and_faults_have_their_index() -> None:
    draft = PlanDraft(targets=[TargetDraft(), TargetDraft(kind=POSTGRESQL)], faults=[FaultDraft("x", "Failover")])
    assert list(draft.validate()) == ["targets.1.hosts", "faults.0.at"]


@pytest.mark.parametrize(
    ("number", "unit", "size"),
    [("10GB", "MB", DbSize(10, "GB")), ("40", "GB", DbSize(40, "GB")), ("m", "MB", DbSize(1, "GB")), ("", "MB", None)],
)
def test_size_unit_may_be_separate_or_in_the_number(number: str, unit: str, size: DbSize | None) -> None:
    assert PlanDraft(size_unit=unit, typed={"db_size": number}).plan().scale == size


def test_stores_are_valid_with_an_invalid_load() -> None:
    draft = PlanDraft(typed={"threads": "none yet", "databases": "2", "db_size": "5", "seed": "7"})
    plan = draft.store_plan()
    assert [store.database for store in plan.stores()] == ["ds2_1", "ds2_2"]
    assert (plan.scale, plan.seed) == (DbSize(5, "MB"), 7)
    with pytest.raises(BadInput, match="host"):
        PlanDraft(targets=[TargetDraft(kind=POSTGRESQL)]).store_plan()


def test_foreign_stored_draft_is_a_new_draft() -> None:
    kept = {"targets": "none", "faults": [3], "threads": 9, "reset": "yes", "else": 1}
    assert draft_from_dict(kept) == PlanDraft()


def test_targets_are_those_of_the_plan() -> None:
    assert PlanDraft().plan().targets == (Target(kind=EMBEDDED),)


def test_impossible_fault_for_the_targets_is_reported() -> None:
    promote = FaultDraft("0:10", done=InjectionDraft(action="promote"))
    statement = FaultDraft("0:20", done=InjectionDraft(kind="sql", statement="SELECT 1", target="2"))
    draft = PlanDraft(faults=[promote, statement])
    errors = draft.validate()
    assert list(errors) == ["faults.0.done.kind", "faults.1.done.kind"]
    assert "needs a standby" in errors["faults.0.done.kind"]
    draft.targets, draft.typed["databases"] = [TargetDraft(shape="pair")], "2"
    assert draft.validate() == {}
    draft.targets = [TargetDraft(kind=POSTGRESQL, hosts="db1")]
    assert "no embedded server" in draft.validate()["faults.0.done.kind"]


def test_duplicate_store_has_a_warning() -> None:
    server = TargetDraft(kind=POSTGRESQL, hosts="db1", label="one")
    draft = PlanDraft(targets=[server, TargetDraft(), replace(server, label="another"), TargetDraft(kind=POSTGRESQL)])
    (warning,) = draft.warnings()
    assert lacks(warning, "Targets 1 and 3", "same store", "Clients per store") == []
    draft.targets[0] = replace(server, database="ds3")
    assert draft.warnings() == []


def test_warning_of_a_duplicate_store_has_the_workloads_words() -> None:
    draft = PlanDraft()
    draft.choose_workload(STORAGE)
    draft.targets *= 2
    assert draft.warnings() == [
        "Targets 1 and 2 are the same file, which then gets the threads of both. For more threads on one file, use"
        " Clients per file."
    ]


def test_audit_is_the_default_only_for_the_embedded_server() -> None:
    draft = PlanDraft()
    assert draft.audits
    draft.targets = [TargetDraft(), TargetDraft(kind=POSTGRESQL, hosts="db1")]
    assert not draft.audits
    draft.audit = True
    assert draft.audits
    assert PlanDraft.from_plan(draft.plan(), audit=draft.audit).audits
    assert not replace(PlanDraft(), audit=False).audits


def test_layout_is_used_only_for_sql_server() -> None:
    draft = PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1")])
    draft.layout.log.size_mb = "much"
    assert (draft.has_layout, draft.store_layout(), draft.validate()) == (False, None, {})
    draft.targets.append(TargetDraft(kind=MSSQL, hosts="db2"))
    assert draft.has_layout
    assert lacks(draft.validate()["layout.log"], "log", "'much'", "whole number") == []
    with pytest.raises(BadInput):
        draft.store_layout()
    draft.layout.log.size_mb = "500"
    layout = draft.store_layout()
    assert layout is not None
    assert layout.log.size_mb == 500
    assert layout.customers == layout_for(DbSize(100, "MB")).customers
    assert draft_from_dict(json.loads(json.dumps(draft_to_dict(draft)))) == draft
    draft.typed["db_size"] = ""
    assert draft.store_layout() is None


def test_another_workload_keeps_what_every_plan_has() -> None:
    draft = PlanDraft(
        targets=[
            TargetDraft(kind="postgresql", hosts="db1"),
            TargetDraft(kind="postgresql", hosts="db2", database="w"),
        ],
        typed={"threads": "many", "think_time_ms": "7", "n_searches": "9", "name": "night"},
    )
    before = deepcopy(draft)
    draft.choose_workload(WHOLESALE)
    assert [target.database for target in draft.targets] == ["wholesale", "w"]
    assert [draft.typed[key] for key in ("threads", "think_time_ms", "name", "warehouses")] == [
        "many",
        "7",
        "night",
        "1",
    ]
    assert "n_searches" not in draft.typed
    assert list(draft.validate()) == ["threads"]
    draft.choose_workload(DVD_STORE)
    assert [target.database for target in draft.targets] == ["ds2", "w"]
    assert draft.typed == before.typed | {"n_searches": "3"}


def test_a_target_that_the_workload_cannot_be_run_on_says_which_workload_to_choose_and_stays_when_it_is_chosen() -> (
    None
):
    server = TargetDraft.from_target(Target.parse("mail://user@mx1/example.org")[0])
    draft = PlanDraft(targets=[server])
    assert draft.validate() == {
        "targets.0.kind": "Workload DVD Store 2 runs on databases, and this target is a mail server; choose workload"
        " Mail on the page Database, or another kind."
    }
    draft.choose_workload(MAIL)
    assert draft.targets == [server]
    assert draft.validate() == {}
    draft.targets = [TargetDraft(kind=POSTGRESQL, hosts="db1")]
    assert "workload DVD Store 2 or Wholesale or Brokerage on the page Mailboxes" in draft.validate()["targets.0.kind"]


@pytest.mark.parametrize("workload", [DVD_STORE, WHOLESALE, BROKERAGE, MAIL, STORAGE])
def test_the_load_at_first_is_the_first_preset(workload: str) -> None:
    chosen, own = PlanDraft(), PlanDraft()
    chosen.choose_workload(workload)
    own.typed["threads"] = "64"
    own.choose_workload(workload)
    further = LoadDraft(DVD_STORE)
    further.choose_workload(workload)
    quick = presets_of(workload)[0].values
    assert all(draft.has(quick) for draft in (PlanDraft(workload=workload), chosen, LoadDraft(workload), further))
    assert own.typed["threads"] == "64"


def test_the_workload_that_is_chosen_already_changes_nothing() -> None:
    draft = PlanDraft(typed={"n_searches": "9"})
    draft.choose_workload(DVD_STORE)
    assert draft == PlanDraft(typed={"n_searches": "9"})


def test_a_draft_of_wholesale_is_stored_and_made_into_a_plan() -> None:
    draft = PlanDraft(workload=WHOLESALE, typed={"warehouses": "10 warehouses", "specified_times": "yes"})
    assert draft_from_dict(json.loads(json.dumps(draft_to_dict(draft)))) == draft
    plan = draft.plan()
    assert (str(plan.scale), plan.parameters["specified_times"]) == ("10W", True)
    assert str(draft.store_plan().scale) == "10W"
    assert PlanDraft.from_plan(plan).plan() == plan
    draft.typed["warehouses"] = "0"
    assert draft.validate()["warehouses"].startswith("Warehouses is '0'; give ")


def test_stages_say_how_long_the_plan_measures_whatever_is_typed() -> None:
    draft = PlanDraft(typed={"minutes": "30", "threads": "5", "stages": "4 users 1:00, 10 users 0:30"})
    plan = draft.plan()

    assert plan.measured_seconds == 90
    assert draft.load_plan().measured_seconds == 90
    assert PlanDraft.from_plan(plan).plan() == plan
    assert draft.profile() == plan.profile
    draft.faults = [FaultDraft("1:00", "in time"), FaultDraft("2:00", "late")]
    assert list(draft.validate()) == ["faults.1.at"]


@pytest.mark.parametrize(
    ("typed", "field", "told"),
    [
        (
            {"stages": "11 users 1:00", "threads": "5"},
            "stages",
            "Stages has 11 users, and the plan has 10; give 6 users",
        ),
        ({"staircase": "100:2:00"}, "staircase", "Staircase adds 100 users at each step"),
        ({"rate": "600", "stages": "4 users 1:00"}, "rate", "Rate and stages are both given"),
        ({"rate": "600", "think_time_ms": "20"}, "rate", "Think_time_ms is 20, and an open loop has no think time"),
        ({"stages": "4 clients 1:00"}, "stages", "Stages: stage '4 clients 1:00' can't be read"),
        ({"rate": "0"}, "rate", "Rate is 0; give a number"),
    ],
)
def test_wrong_load_is_reported_at_its_field(typed: dict[str, str], field: str, told: str) -> None:
    (found,) = PlanDraft(typed=typed).validate().items()
    assert found[0] == field
    assert found[1].startswith(told)
