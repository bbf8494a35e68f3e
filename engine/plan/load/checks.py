"""What a load by stages or at a rate needs of the rest of its plan, and what it leaves no room for."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from engine.errors import BadInput
from engine.parameters.typed_text import time_text
from engine.plan.load.profile import LoadProfile
from engine.plan.load.stage import Stage, rate_text
from engine.plan.load.staircase import Staircase
from engine.workload.registry import find_workload
from engine.workload.transaction import Metric

LOADS = ("rate", "stages", "staircase")
"""The fields of a plan that make another load than the same users throughout; a plan has one of them at most."""


class Loaded(Protocol):
    """What the checks read of a plan; implemented by ``engine.plan.plan.RunPlan``."""

    @property
    def workload(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    @property
    def threads(self) -> int: ...

    @property
    def think_time_ms(self) -> float: ...

    @property
    def users(self) -> int: ...

    @property
    def profile(self) -> LoadProfile | None: ...

    @property
    def is_open_loop(self) -> bool: ...

    @property
    def measured_seconds(self) -> int: ...


def check_load(plan: Loaded) -> None:
    """Raise ``BadInput`` for a load that the plan's users can't make, or that contradicts the rest of the plan."""
    given = [key for key in LOADS if getattr(plan, key) is not None]
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]} are both given; give one of them.")
    if find_workload(plan.workload).user is None:
        _check_without_users(plan, given)
    if not given:
        return
    profile = plan.profile
    if profile is not None and not profile.is_open_loop and profile.highest > plan.users:
        raise BadInput(
            f"{given[0]} has {profile.highest:g} users, and the plan has {plan.users}; give"
            f" {math.ceil(profile.highest * plan.threads / plan.users)} users to each client."
        )
    has_think_times = profile is not None and any(stage.think_time_ms is not None for stage in profile.stages)
    if find_workload(plan.workload).due_rate is not None:
        if has_think_times or profile is None or profile.is_open_loop:
            raise BadInput(
                f"{given[0]} paces the users, who have tasks due by their profile; give stages of users, or"
                " another rate_factor."
            )
        return
    if not find_workload(plan.workload).uses_think_time(plan.parameters):
        if plan.is_open_loop or has_think_times:
            raise BadInput(f"{given[0]} paces the users, and so do the specified times; leave one of them out.")
    elif plan.is_open_loop and plan.think_time_ms:
        raise BadInput(
            f"think_time_ms is {plan.think_time_ms:g}, and an open loop has no think time; leave it out, or the rate."
        )


def _check_without_users(plan: Loaded, given: list[str]) -> None:
    """What the load of a program leaves no room for."""
    if given:
        raise BadInput(f"{given[0]} paces users, and workload {plan.workload} has none; leave it out.")


def with_periods(stages: tuple[Stage, ...] | None, metric: Metric) -> tuple[Stage, ...] | None:
    """The stages with their rates as the metric is; raises ``BadInput`` for a rate of another period."""
    return None if stages is None else tuple(_in_period(each, metric) for each in stages)


def staircase_with_period(staircase: Staircase | None, metric: Metric) -> Staircase | None:
    """The same for a staircase."""
    return None if staircase is None else _in_period(staircase, metric)


_Rated = TypeVar("_Rated", Stage, Staircase)


def _in_period(rated: _Rated, metric: Metric) -> _Rated:
    if rated.rate is None:
        return rated
    if rated.per not in ("", metric.per):
        raise BadInput(
            f"rate {rate_text(rated.rate, rated.per)} is not per {metric.period}, as {metric.label} are; write it so,"
            f" as in 100/{metric.per}."
        )
    return replace(rated, per=metric.per)


def check_minutes(plan: Loaded, given: Mapping[str, Any]) -> None:
    """Raise ``BadInput`` where a run time is given that is not the sum of the stages."""
    minutes = given.get("minutes")
    if plan.profile is not None and minutes and math.ceil(round(minutes * 60, 6)) != plan.measured_seconds:
        raise BadInput(
            f"minutes is {minutes:g}, and the stages last {time_text(plan.measured_seconds)}; leave minutes out."
        )


def is_by_stages(values: Mapping[str, Any]) -> bool:
    """Whether the values of a plan's fields make a load by stages, which say how long it is measured."""
    return bool(values.get("stages") or values.get("staircase"))


def users_for(stages: tuple[Stage, ...], clients: int) -> int:
    """As many users for each of the clients as the stages need."""
    return math.ceil(max((stage.users or 0 for stage in stages), default=0) / clients)
