"""The command line that runs a plan, and the plan file that a plan needs which options can't express.

Called by the wizard's review and by the page of a stored plan.
"""

import re
import shlex
from typing import Any

from engine.faults.fault_text import fault_text, mark_text
from engine.faults.injections import FaultKind
from engine.parameters.parameter import Flag, Minutes, Parameter
from engine.parameters.typed_text import write_number
from engine.plan.naming import name_of
from engine.plan.pace import paces_nobody
from engine.plan.plan import RunPlan
from engine.target.target import Target

_DEFAULTS = RunPlan()


def command_line(plan: RunPlan) -> str:
    """The ``spindle run`` of this plan for a shell, with every option that is not its default, and no password.

    A plan that options can't express is named as the plan file that it has to be saved as first: one with several
    loads, one whose targets have labels, or with a text that no argument can carry.
    """
    return shlex.join(["spindle", "run", *([plan_file_name(plan)] if needs_plan_file(plan) else _options(plan))])


def needs_plan_file(plan: RunPlan) -> bool:
    """Whether the options of ``spindle run`` can't say all of this plan."""
    texts = (plan.name, plan.note, *plan.tags, *(fault.label for fault in plan.faults))
    return (
        plan.is_mixed
        or any("\0" in text for text in texts)
        or not all(_is_url_enough(target) for target in plan.targets)
    )


def plan_file_name(plan: RunPlan) -> str:
    """A file's name for the plan, from its run's: ``r630-ssd-20-ms.toml``."""
    slug = re.sub(r"[^a-z0-9]+", "-", name_of(plan).lower().replace(" × ", "x")).strip("-")
    return f"{slug or 'plan'}.toml"


def _options(plan: RunPlan) -> list[str]:
    words: list[str] = []
    if plan.targets != _DEFAULTS.targets:
        words += [word for target in plan.targets for word in ("--target", target.url)]
    words += ["--workload", plan.workload] if plan.workload != _DEFAULTS.workload else []
    for key, each in plan.described().items():
        is_said_by_stages = key == "minutes" and plan.profile is not None
        if not is_said_by_stages and not paces_nobody(plan, key):
            words += _option(each, plan.value(key))
    for fault in plan.faults:
        is_mark = fault.kind is FaultKind.MARK and not fault.is_fault
        words += ["--mark", mark_text(fault)] if is_mark else ["--fault", fault_text(fault)]
    return words


def _option(parameter: Parameter, value: Any) -> list[str]:
    """The option of a parameter with its value; none for the default."""
    option = f"--{parameter.option_name}"
    if value == parameter.default:
        return []
    if isinstance(parameter.type, Flag):
        return [option if value else f"--no-{parameter.option_name}"]
    if parameter.type.is_list:
        return [word for text in parameter.type.one_by_one(value) for word in (option, text)]
    if isinstance(parameter.type, Minutes) and value == int(value):
        return [option, write_number(value)]
    return [option, parameter.write(value)]


def _is_url_enough(target: Target) -> bool:
    if ";" in target.url:  # the options take several targets in one text, split there
        return False
    return Target.parse(target.url)[0] == target
