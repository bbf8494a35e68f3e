"""Whether a fault is possible for the stores of a plan, judged by their targets; makes no connection.

Called by the plan's draft as one types, and before a run by ``engine.conduct.fault_tools``.
"""

from collections.abc import Sequence

from engine.errors import BadInput, Remedy, RemedyKind
from engine.faults.injections import Injection, LabInjection, SqlInjection
from engine.faults.lab_actions import check_action
from engine.faults.planned import PlannedFault
from engine.target.target import EMBEDDED, Target


def check_fits(fault: PlannedFault, stores: Sequence[Target]) -> None:
    """Raise ``BadInput`` when what the fault does, or what ends it, needs a target that is not there."""
    for injection in (fault.injection, fault.end):
        if injection is not None:
            check_injection_fits(injection, stores)


def check_injection_fits(injection: Injection, stores: Sequence[Target]) -> None:
    """Raise ``BadInput`` when one injection needs a target that is not there."""
    match injection:
        case LabInjection():
            driven = [store for store in stores if store.kind == EMBEDDED]
            if not driven:
                raise BadInput("the run drives no embedded server", remedy=Remedy(kind=RemedyKind.DRIVE_LAB))
            check_action(injection.action, nodes=driven[0].nodes, node=injection.node, value=injection.value)
        case SqlInjection() if injection.target > len(stores):
            raise BadInput(f"target is {injection.target}, and the plan has {len(stores)}; count from 1.")
