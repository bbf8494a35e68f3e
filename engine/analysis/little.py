"""Bounds of a plan before it is run: its connections, and the highest rate that its think time allows.

Called by the plan's summary.
"""

from engine.plan.plan import RunPlan
from engine.workload.registry import find_workload


def connections(plan: RunPlan) -> int:
    """The connections that the run opens: one for each emulated user."""
    return len(plan.client_plans()) * plan.threads


def highest_rate(plan: RunPlan) -> float | None:
    """The workload's headline, such as OPM, that no server can exceed, since every user pauses after each transaction.

    Little's law for a closed system: N = X · (R + Z), so the throughput X is at most N / Z for N users of mean think
    time Z, reached when the response time R is nothing (J. D. C. Little, "A proof for the queuing formula L = λW",
    Operations Research 9, 1961; as the interactive response time law in P. J. Denning and J. P. Buzen, "The
    operational analysis of queueing network models", ACM Computing Surveys 10, 1978). Of X, the headline counts the
    share of its transaction in the mix. ``None`` without think time: then only the server sets a bound; and for an open
    loop and a load by stages, which say themselves what is due.
    """
    workload = find_workload(plan.workload)
    if plan.is_open_loop or plan.profile is not None:
        return None
    think_seconds = workload.mean_think_seconds(plan.parameters, plan.think_time_ms)
    if think_seconds == 0:
        return None
    counted_users = connections(plan) * workload.headline_share(plan.parameters)
    return counted_users * workload.headline.per_seconds / think_seconds
