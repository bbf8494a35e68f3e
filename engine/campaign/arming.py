"""What a campaign can hurt: the names that are typed before it may begin."""

from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import ActStep, RunStep
from engine.faults.sentences import can_hurt, hurt_names, names_to_type


def campaign_names_to_type(campaign: CampaignPlan) -> tuple[str, ...]:
    """The names of what a campaign's actions, and the faults of its runs, can hurt; each once."""
    names: dict[str, None] = {}
    for _, step, plan in campaign.leaves():
        if isinstance(step, ActStep):
            names |= dict.fromkeys(hurt_names((step.injection,), plan.stores()))
        elif isinstance(step, RunStep):
            names |= dict.fromkeys(names_to_type(filter(can_hurt, plan.faults), plan.stores()))
    return tuple(names)
