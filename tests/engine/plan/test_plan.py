import json
import math
import tomllib
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.plan.plan import RunPlan
from engine.target.target import Target
from tests.engine.plans import PLANS, TARGETS, of_one_lab

WHOLE_FIELDS = ("clients", "databases", "threads", "n_searches", "search_batch_size", "n_line_items", "seed")
NUMBER_FIELDS = ("think_time_ms", "ramp_rate", "warmup_minutes", "minutes", "pct_new_customers")


def _target(url: str, label: str = "") -> Target:
    return Target.parse(url)[0].with_label(label)


def _labels(*targets: Target, clients: int = 1, databases: int = 1) -> list[str]:
    plan = RunPlan(targets=targets, clients=clients, databases=databases)
    return [client.label for client in plan.client_plans()]


@given(plan=PLANS)
def test_a_plan_survives_json_and_toml(plan: RunPlan) -> None:
    assert RunPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert RunPlan.from_dict(tomllib.loads(tomli_w.dumps(plan.to_dict()))) == plan


@pytest.mark.parametrize("field", WHOLE_FIELDS)
@pytest.mark.parametrize("value", [-1, True, "8", 1.0, math.nan, None, 2**70, []])
def test_a_whole_number_field_refuses_the_rest(field: str, value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict({field: value})
    assert str(caught.value).startswith(f"{field} is {value!r}; give a whole number from ")


@pytest.mark.parametrize("field", NUMBER_FIELDS)
@pytest.mark.parametrize("value", [-1, -0.001, True, False, "8", math.nan, math.inf, -math.inf, None, 10**400, []])
def test_a_number_field_refuses_the_rest(field: str, value: Any) -> None:
    with pytest.raises(BadInput, match=f"^{field} is "):
        RunPlan.from_dict({field: value})


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("threads", 1, 1_000),
        ("clients", 1, 256),
        ("think_time_ms", 0, 3_600_000),
        ("ramp_rate", 0.01, 10_000),
        ("minutes", 0, 525_600),
        ("pct_new_customers", 0, 100),
        ("n_line_items", 1, 10),
    ],
)
def test_the_ends_of_a_range(field: str, least: float, most: float) -> None:
    for value in (least, most):
        assert RunPlan.from_dict({field: value}).value(field) == value
    with pytest.raises(BadInput, match=f"from {least} to {most}"):
        RunPlan.from_dict({field: most + 1})
    with pytest.raises(BadInput, match=f"from {least} to {most}"):
        RunPlan.from_dict({field: least - 1})


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ({"thread": 8}, "did you mean 'threads'"),
        ({"bogus": 8}, "known keys are"),
        ({"name": 7}, "name is 7"),
        ({"note": ["x"]}, "note is"),
        ({"name": "\udcff"}, "UTF-8"),
        ({"tags": "one"}, "tags is not a list"),
        ({"tags": [1]}, "tags is 1"),
        ({"db_size": 10}, "db_size is '10'"),
        ({"targets": []}, "no target"),
        ({"targets": [1]}, "needs a url"),
        ({"targets": [{"label": "x"}]}, "needs a url"),
        ({"targets": [{"url": "embedded:///x", "labl": "x"}]}, "did you mean 'label'"),
        ({"targets": [{"url": "embedded:///x", "label": 3}]}, "label is 3"),
        ({"faults": "5:00 Failover"}, "faults is not a list"),
        ({"faults": [{"at_seconds": 5}]}, "has no label"),
        ({"faults": [{"at_seconds": 60, "label": "x"}], "minutes": 1}, "fault 'x' is at 1:00 after measuring begins"),
        ({"workload": "dvdstor"}, "workload is 'dvdstor'; did you mean 'dvdstore'"),
        ({"workload": "?"}, "workload is '?'; give one of dvdstore"),
        ({"workload": [1]}, "workload is [1]; give a text"),
        ({"parameters": 3}, "parameters is 3; give a table"),
        (
            {"parameters": {"n_serch": 3}},
            "'n_serch' is not a parameter of workload dvdstore; did you mean 'n_searches'",
        ),
        ({"parameters": {"threads": 3}}, "'threads' is not a parameter of workload dvdstore"),
        ({"parameters": {"n_searches": 101}}, "n_searches is 101; give a whole number from 1 to 100"),
        ({"parameters": {"n_searches": 2}, "n_searches": 2}, "n_searches is given twice"),
        ({"pct_newcustomers": 20}, "did you mean 'pct_new_customers'"),
        ({"format_version": 3}, "newer"),
        ({"format_version": 3, "unheard_of": 1}, "newer"),
        ({"format_version": True}, "format_version is True"),
    ],
)
def test_a_wrong_plan_is_refused_with_its_reason(plain: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict(plain)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "targets",
    [
        ["postgresql://me:hunter2@db/ds2"],
        [{"url": "postgresql://me:hunter2@db/ds2"}],
        "postgresql://me:hunter2@db/ds2",
        {"url": "postgresql://me:hunter2@db/ds2"},
        [["postgresql://me:hunter2@db/ds2"]],
        [{"url": "postgresql://me:hunter2@db/ds2", "port": 1}],
    ],
)
def test_a_plan_takes_no_password_and_repeats_none(targets: Any) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict({"targets": targets})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("minutes", "seconds"), [(0, 0), (0.2, 12), (0.1, 6), (1 / 3, 20), (0.001, 1), (1.01, 61), (525_600, 31_536_000)]
)
def test_fractions_of_minutes_count_in_whole_seconds(minutes: float, seconds: int) -> None:
    assert RunPlan(minutes=minutes).measured_seconds == seconds
    assert RunPlan(warmup_minutes=min(minutes, 1_440)).warmup_seconds == min(seconds, 86_400)


@given(targets=st.lists(TARGETS, min_size=1, max_size=5), clients=st.integers(1, 5), databases=st.integers(1, 5))
def test_labels_and_numbers_are_unique(targets: list[Target], clients: int, databases: int) -> None:
    plan = RunPlan(targets=of_one_lab(targets), clients=clients, databases=databases)
    plans = plan.client_plans()
    assert len({client.label for client in plans}) == len(targets) * clients * databases
    assert [client.number for client in plans] == list(range(1, len(plans) + 1))


def test_a_fault_may_lie_anywhere_before_the_end() -> None:
    late = PlannedFault(at_seconds=59.999, label="late")
    assert RunPlan(minutes=1, faults=(late,)).faults == (late,)
    assert RunPlan(minutes=0, faults=(late,)).faults == (late,)
    with pytest.raises(BadInput, match=r"at 0:59.999 .* measuring ends at 0:30; give an earlier time"):
        RunPlan(minutes=0.5, faults=(late,))


def test_a_fault_in_a_plan_may_be_written_as_it_is_typed() -> None:
    plan = RunPlan.from_dict({"minutes": 2, "faults": ["T+40s freeze primary for 5s", {"at_seconds": 5, "label": "x"}]})
    assert [fault.label for fault in plan.faults] == ["Freeze primary", "x"]
    assert RunPlan.from_dict(plan.to_dict()) == plan
    with pytest.raises(BadInput, match="did you mean 'kill primary'"):
        RunPlan.from_dict({"faults": ["T+40s kil primary"]})


def test_a_fault_has_to_be_over_before_the_run_is() -> None:
    frozen = parse_fault("T+40s freeze primary for 15s repeat 2 every 30s")
    assert RunPlan(minutes=2, faults=(frozen,)).faults == (frozen,)
    with pytest.raises(BadInput, match=r"fault 'Freeze primary' ends at 1:25 .* and measuring ends at 1:00"):
        RunPlan(minutes=1, faults=(frozen,))


def test_a_plan_without_faults_is_written_as_it_always_was() -> None:
    assert "faults" not in RunPlan().to_dict()


def test_labels_say_no_more_than_is_needed() -> None:
    one, two = _target("postgresql://db1"), _target("postgresql://db2")
    other = _target("postgresql://db1/other")
    assert _labels(one) == ["ds2"]
    assert _labels(one, clients=2) == ["ds2 #1", "ds2 #2"]
    assert _labels(one, databases=2) == ["ds2_1", "ds2_2"]
    assert _labels(one, other) == ["ds2", "other"]
    assert _labels(one, two, other) == ["db1:5432/ds2", "db2:5432/ds2", "other"]


def test_a_given_label_is_kept() -> None:
    named = _target("postgresql://db1", "before")
    one, two = _target("postgresql://db2"), _target("postgresql://db3")
    assert _labels(named, one, two) == ["before", "db2:5432/ds2", "db3:5432/ds2"]
    assert _labels(named, databases=2) == ["before/ds2_1", "before/ds2_2"]


def test_a_store_named_twice_is_driven_twice_and_is_one_store() -> None:
    plan = RunPlan(targets=(_target("postgresql://db"), _target("postgresql://db:5432/ds2", "again")), databases=2)
    assert [store.database for store in plan.stores()] == ["ds2_1", "ds2_2"]
    assert len(plan.client_plans()) == 4


@pytest.mark.parametrize(("clients", "databases"), [(256, 2), (2, 256), (256, 256)])
def test_too_many_clients_together(clients: int, databases: int) -> None:
    with pytest.raises(BadInput, match=f"{clients * databases} clients; use at most 256"):
        RunPlan(clients=clients, databases=databases)


def test_a_store_whose_numbered_name_is_too_long_is_refused_with_the_plan() -> None:
    with pytest.raises(BadInput, match="55 bytes"):
        RunPlan(targets=(_target(f"postgresql://db/{'d' * 54}"),), databases=2)


def test_the_size_that_was_found() -> None:
    assert str(RunPlan().with_scale("S").scale) == "10MB"


def test_a_plan_drives_the_embedded_lab_in_one_shape() -> None:
    pair = _target("embedded:///one?nodes=2&sync=on&failover=fast")
    RunPlan(targets=(pair, pair.with_database("two"), _target("postgresql://db/ds2")))
    with pytest.raises(BadInput, match="different forms; give them the same nodes, sync and failover"):
        RunPlan(targets=(pair, _target("embedded:///two")))
