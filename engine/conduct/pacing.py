"""A client's share of a plan's load by stages or at a rate."""

from engine.plan.load.profile import share_of
from engine.plan.load.stage import Stage
from engine.plan.plan import RunPlan
from engine.workload.pacing import PacedStage, PacingPlan
from engine.workload.registry import find_workload


def pacing_of(plan: RunPlan, client: int) -> PacingPlan | None:
    """What paces the users of a client, numbered from 0; ``None`` where the load is the same throughout.

    A rate counts units of the headline; what is due are transactions, of which it counts a share.
    """
    workload, profile = find_workload(plan.workload), plan.profile
    if workload.due_rate is not None:
        return _by_user(plan, client, workload.due_rate(plan.parameters))
    if profile is None and plan.rate is None:
        return None
    clients = len(plan.client_plans())
    counted = workload.headline.per_seconds * workload.headline_share(plan.parameters)

    def paced(stage: Stage) -> PacedStage:
        think_time_ms = plan.think_time_ms if stage.think_time_ms is None else stage.think_time_ms
        return PacedStage(
            seconds=stage.seconds,
            users=share_of(stage.users or 0, client, clients),
            think_seconds=workload.mean_think_seconds(plan.parameters, think_time_ms),
            rate=(stage.rate or 0.0) / counted,
        )

    stages = (Stage(seconds=1, rate=plan.rate),) if profile is None else profile.stages
    return PacingPlan(stages=tuple(map(paced, stages)), client=client, clients=clients, arrivals=plan.arrivals)


def _by_user(plan: RunPlan, client: int, due_rate: float) -> PacingPlan:
    """Each user of the client has its own transactions due; in stages only so many users have."""
    clients = len(plan.client_plans())
    stages = (
        (PacedStage(seconds=1, users=plan.threads, rate=due_rate),)
        if plan.profile is None
        else tuple(
            PacedStage(seconds=each.seconds, users=share_of(each.users or 0, client, clients), rate=due_rate)
            for each in plan.profile.stages
        )
    )
    return PacingPlan(stages=stages, client=client, clients=clients, is_per_user=True)
