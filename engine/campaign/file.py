"""Campaign files: a campaign as TOML, for people to write. A plan in it is a table, or the name of a plan file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.campaign.plan import CampaignPlan, plan_from_table
from engine.errors import BadInput
from engine.files.toml import parsed_toml
from engine.plan.file import read_plan_file
from engine.plan.plan import RunPlan


def read_campaign_file(path: Path) -> CampaignPlan:
    """The campaign in a TOML file, with the plans of the plan files that it names, beside it or by their full paths.

    Raises ``BadInput`` that names the file and what is wrong in it.
    """
    plain = parsed_toml(path, "campaign file")
    plain.setdefault("name", path.stem)
    try:
        return _campaign(plain, path.parent)
    except BadInput as error:
        raise BadInput(f"campaign file {path}: {error.cause}", remedy=error.remedy) from error


def read_campaign_text(text: str, folder: Path) -> CampaignPlan:
    """The campaign in TOML that is being written; plan files that it names are looked for in ``folder``.

    Raises ``BadInput``.
    """
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"this is not TOML: {error}; fix that line.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
        raise BadInput("this holds a value that can't be read; fix it.") from error
    return _campaign(plain, folder)


def _campaign(plain: Mapping[str, Any], folder: Path) -> CampaignPlan:
    def read_plan(given: object) -> RunPlan:
        return read_plan_file(folder / given) if isinstance(given, str) else plan_from_table(given)

    return CampaignPlan.from_dict(plain, read_plan)
