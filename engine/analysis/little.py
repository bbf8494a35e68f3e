"""Bounds of a plan before it is run: its connections, and the most orders that its think time allows.

Called by the plan's summary.
"""

from engine.plan.plan import RunPlan

_MS_PER_MINUTE = 60_000


def connections(plan: RunPlan) -> int:
    """The connections that the run opens: one for each emulated user."""
    return len(plan.client_plans()) * plan.threads


def highest_opm(plan: RunPlan) -> float | None:
    """The orders per minute that no server can exceed, since every user pauses after each order.

    Little's law for a closed system: N = X · (R + Z), so the throughput X is at most N / Z for N users of mean think
    time Z, reached when the response time R is nothing (J. D. C. Little, "A proof for the queuing formula L = λW",
    Operations Research 9, 1961; as the interactive response time law in P. J. Denning and J. P. Buzen, "The
    operational analysis of queueing network models", ACM Computing Surveys 10, 1978). ``None`` without think time:
    then only the server sets a bound.
    """
    if plan.think_time_ms == 0:
        return None
    return connections(plan) * _MS_PER_MINUTE / plan.think_time_ms
