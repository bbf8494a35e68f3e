"""Campaign files: a campaign as TOML, for people to write. A plan in it is a table, or the name of a plan file."""

from pathlib import Path

from engine.campaign.plan import CampaignPlan, plan_from_table
from engine.errors import BadInput
from engine.plan.file import parsed_toml, read_plan_file
from engine.plan.plan import RunPlan


def read_campaign_file(path: Path) -> CampaignPlan:
    """The campaign in a TOML file, with the plans of the plan files that it names, beside it or by their full paths.

    Raises ``BadInput`` that names the file and what is wrong in it.
    """
    plain = parsed_toml(path, "campaign file")
    plain.setdefault("name", path.stem)

    def read_plan(given: object) -> RunPlan:
        if not isinstance(given, str):
            return plan_from_table(given)
        return read_plan_file(path.parent / given)

    try:
        return CampaignPlan.from_dict(plain, read_plan)
    except BadInput as error:
        raise BadInput(f"campaign file {path}: {error.cause}", remedy=error.remedy) from error
