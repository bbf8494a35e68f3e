"""What paces the users of a plan's load, for lists and headings: their think time, a rate, or what a workload has."""

from engine.plan.plan import RunPlan
from engine.workload.registry import find_workload


def uses_think_time(plan: RunPlan) -> bool:
    """Whether the users pause for the plan's think time between two transactions."""
    return not plan.is_open_loop and find_workload(plan.workload).uses_think_time(plan.parameters)


def has_schedule(plan: RunPlan) -> bool:
    """Whether users pause at all, so that response times as intended are known."""
    seconds = find_workload(plan.workload).mean_think_seconds(plan.parameters, plan.think_time_ms)
    return seconds > 0 and not plan.is_open_loop


def has_ramp(plan: RunPlan) -> bool:
    """Whether a load of the run has users, who connect one after the other."""
    return any(find_workload(load.workload).user is not None for load in plan.loads)


def pace_of(plan: RunPlan) -> str:
    """What paces the users, in a few words: ``20 ms think time``, ``profile average, 20 × its rate``."""
    workload = find_workload(plan.workload)
    if workload.user is None or workload.due_rate is not None:
        return workload.in_words(plan.parameters)
    if plan.is_open_loop:
        return "open loop"
    if uses_think_time(plan):
        return f"{plan.think_time_ms:g} ms think time"
    return "the workload's own keying and think times"


def paces_nobody(plan: RunPlan, key: str) -> bool:
    """Whether this value of a plan is for users of another kind than the plan's, or for users where it has none."""
    match key:
        case "think_time_ms":
            return not uses_think_time(plan)
        case "arrivals":
            return not plan.is_open_loop
        case "ramp_rate":
            return find_workload(plan.workload).user is None
    return False
