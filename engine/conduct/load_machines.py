"""The load machines of a run: that they are known, before anything is changed anywhere."""

from collections.abc import Callable

from engine.machines.inventory import Inventory
from engine.plan.plan import RunPlan


def check_load_machines(plan: RunPlan, inventory: Callable[[], Inventory]) -> None:
    """Raise ``UserError`` for a load machine that the inventory does not have."""
    if not plan.load_machines:
        return
    known = inventory()
    for machine in plan.load_machines:
        known.machine(machine.name)
