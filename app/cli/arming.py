"""The faults of a run on the command line: parsed from options, described, and confirmed by typing the names of what
they can hurt.

Called by `spindle run` and `spindle campaign`.
"""

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from app.cli.problems import print_notice
from engine.campaign.arming import campaign_names_to_type
from engine.errors import BadInput
from engine.faults.fault_text import parse_fault, parse_mark
from engine.faults.injections import FaultKind
from engine.faults.planned import PlannedFault
from engine.faults.sentences import can_hurt, fault_sentence, names_to_type
from engine.figure_text import capitalised, listed
from engine.parameters.typed_text import duration_of
from engine.plan.plan import RunPlan

if TYPE_CHECKING:
    from engine.campaign.plan import CampaignPlan

_REPEAT = re.compile(r"(?P<rounds>\d{1,4})(?:\s+times)?\s+every\s+(?P<every>\S+)", re.ASCII | re.IGNORECASE)


def faults_of(marks: Sequence[str], faults: Sequence[str], repeat: str | None) -> tuple[PlannedFault, ...]:
    """The faults of ``--mark``, ``--fault`` and ``--repeat-fault``. Raises ``BadInput``."""
    injected = [parse_fault(fault) for fault in faults]
    if repeat is not None:
        match = _REPEAT.fullmatch(repeat.strip())
        if match is None:
            raise BadInput(f"--repeat-fault is '{repeat}'; give a count and an interval, such as '5 every 60s'.")
        if not injected:
            raise BadInput("--repeat-fault repeats what --fault gives; give a --fault.")
        rounds, every = int(match["rounds"]), duration_of(match["every"])
        injected = [replace(fault, repeat=rounds, every_seconds=every) for fault in injected]
    return (*(parse_mark(mark) for mark in marks), *injected)


def arm(plan: RunPlan, names: Sequence[str]) -> None:
    """Print what the plan's faults will do; whatever they can hurt must be in ``names`` or is asked for at a prompt.

    Raises ``BadInput`` when a name was not confirmed.
    """
    for fault in plan.faults:
        if fault.kind is not FaultKind.MARK:
            print_notice(fault_sentence(fault))
    _confirm(names_to_type(filter(can_hurt, plan.faults), plan.stores()), names, "these faults")


def arm_campaign(campaign: "CampaignPlan", names: Sequence[str]) -> None:
    """As ``arm``, for the actions of a campaign and the faults of its plans."""
    _confirm(campaign_names_to_type(campaign), names, "these steps")


def _confirm(wanted: Iterable[str], given: Sequence[str], what: str) -> None:
    """Ask for each wanted name that was not given; where nobody can type, all of them are named at once."""
    missing = [name for name in wanted if name not in given]
    if missing and not (sys.stdin.isatty() and sys.stderr.isatty()):
        names = "its name" if len(missing) == 1 else "their names"
        options = " ".join(f"--yes-hurt {shlex.quote(name)}" for name in missing)
        raise BadInput(f"{what} can hurt {listed(missing)}; type {names}: {options}.")
    for name in missing:
        _ask(name, what)


def _ask(name: str, what: str) -> None:
    typed: str = click.prompt(f"{capitalised(what)} can hurt {name}. Type its name to arm them", default="", err=True)
    if typed.strip() != name:
        raise BadInput(f"'{typed.strip()}' is not {name}; nothing was armed or started.")
