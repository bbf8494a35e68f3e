"""A plan whose load has stages or a rate: what goes together, and what is refused before anything starts."""

import tomllib
from typing import Any

import pytest
import tomli_w

from engine.errors import BadInput
from engine.plan.load.stage import Stage
from engine.plan.load.staircase import Staircase
from engine.plan.plan import RunPlan

STAGES = (Stage(users=10, seconds=120), Stage(users=20, seconds=60, think_time_ms=5))


@pytest.mark.parametrize(
    "load",
    [
        {"stages": STAGES, "threads": 20},
        {"staircase": Staircase(users=10, seconds=120), "threads": 100},
        {"rate": 6000.0, "arrivals": "even"},
        {"stages": (Stage(rate=600, seconds=60),), "arrivals": "even"},
    ],
)
def test_plan_survives_toml(load: dict[str, Any]) -> None:
    plan = RunPlan(**load)
    assert RunPlan.from_dict(tomllib.loads(tomli_w.dumps(plan.to_dict()))) == plan


def test_stages_say_how_long_the_plan_measures_and_how_many_users_it_needs() -> None:
    plan = RunPlan.from_dict({"clients": 3, "stages": [{"users": 10, "seconds": 90}, {"users": 20, "seconds": 30}]})
    assert plan.measured_seconds == 120
    assert plan.minutes == 2
    assert plan.threads == 7  # 3 x 6 are fewer than 20
    assert RunPlan().changed({"stages": "8 users 1:00"}).threads == 8
    assert RunPlan(threads=50).changed({"stages": "8 users 1:00"}).threads == 50


def test_plan_without_such_a_load_is_written_as_before() -> None:
    assert not {"stages", "staircase", "rate", "arrivals"} & RunPlan().to_dict().keys()
    assert RunPlan().profile is None
    assert not RunPlan().is_open_loop


def test_open_loop_is_one_of_a_rate_or_of_stages_with_rates() -> None:
    assert RunPlan(rate=60).is_open_loop
    assert RunPlan(stages=(Stage(rate=60, seconds=60),)).is_open_loop
    assert not RunPlan(stages=STAGES, threads=20).is_open_loop


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"rate": 0}, "rate is 0; give a number from 0.01"),
        ({"stages": STAGES, "threads": 19}, "stages has 20 users, and the plan has 19; give 20 users to each client."),
        (
            {"stages": STAGES, "threads": 4, "clients": 3},
            "stages has 20 users, and the plan has 12; give 7 users to each client.",
        ),
        ({"staircase": "10:2:00"}, "the plan has 1 user; give it 10 users or more."),
        ({"rate": 60, "stages": STAGES}, "rate and stages are both given; give one of them."),
        ({"staircase": "1:2:00", "stages": STAGES}, "stages and staircase are both given"),
        ({"rate": 60, "think_time_ms": 20}, "an open loop has no think time"),
        (
            {"stages": STAGES, "threads": 20, "minutes": 30},
            "minutes is 30, and the stages last 3:00; leave minutes out.",
        ),
        ({"rate": 60, "arrivals": "evenly"}, "arrivals is 'evenly'; did you mean 'even'"),
        (
            {"workload": "wholesale", "rate": 60, "specified_times": True},
            "rate paces the users, and so do the specified",
        ),
        (
            {"stages": [{"users": 1, "seconds": 60}, {"rate": 60, "seconds": 60}]},
            "give all of them users, or all of them a rate",
        ),
        ({"stages": STAGES, "threads": 20, "faults": ["T+4:00 mark late"]}, "and measuring ends at 3:00"),
    ],
)
def test_load_that_can_not_be_run_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        RunPlan.from_dict(values)
    assert told in str(caught.value)
