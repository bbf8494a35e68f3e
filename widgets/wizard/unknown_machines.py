"""Machines that a plan names and the inventory does not have: refused in the wizard, as the run would refuse them."""

from contextlib import suppress

from engine.draft.plan_draft import PlanDraft
from engine.errors import BadInput
from engine.machines.inventory import Inventory
from engine.machines.machine import WORKSTATION
from engine.parameters.values import did_you_mean
from engine.plan.load_machines import LoadMachine
from engine.plan.parameters import COMMON

_KEYS = ("load_machines", "machines")
_ADD = "add it in Menu, Machines…"


def unknown_machines(draft: PlanDraft, inventory: Inventory) -> dict[str, str]:
    """Field → one sentence on the first machine in it that is not known; a field that can't be read has none."""
    errors: dict[str, str] = {}
    for key in _KEYS:
        named: tuple[LoadMachine | str, ...] = ()
        with suppress(BadInput):
            named = draft.values([key])[key]
        names = [each.name if isinstance(each, LoadMachine) else each for each in named]
        if unknown := next((name for name in names if name not in inventory.names), None):
            offered = [name for name in inventory.names if key == "machines" or name != WORKSTATION]
            remedy = did_you_mean(unknown, offered, f"{_ADD}, or give one of") if offered else _ADD
            errors[key] = f"{COMMON[key].label}: '{unknown}' is not in the inventory; {remedy}."
    return errors
