"""Whether a fault is possible for the stores of a plan, judged by their targets; makes no connection.

Called by the plan's draft as one types, and before a run by ``engine.conduct.fault_tools``.
"""

from collections.abc import Sequence

from engine.errors import BadInput, Remedy, RemedyKind
from engine.faults.injections import Injection, LabInjection, SqlInjection
from engine.faults.lab_actions import check_action
from engine.faults.planned import PlannedFault
from engine.subject import Subject
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, Target

_WITHOUT_DATABASE = "inject a command, an SSH command or a Redfish reset, as SQL and lab actions need a database."


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
            if stores and not has_database(stores):
                raise BadInput(f"the run drives {kind_facts(stores[0].kind).subject.several}; {_WITHOUT_DATABASE}")
            if not driven:
                raise BadInput("the run drives no embedded server", remedy=Remedy(kind=RemedyKind.DRIVE_LAB))
            check_action(injection.action, nodes=driven[0].nodes, node=injection.node, value=injection.value)
        case SqlInjection() if injection.target > len(stores):
            raise BadInput(f"target is {injection.target}, and the plan has {len(stores)}; count from 1.")
        case SqlInjection() if not has_database([store := stores[injection.target - 1]]):
            raise BadInput(f"target {injection.target} is {kind_facts(store.kind).subject.one}; {_WITHOUT_DATABASE}")


def has_database(stores: Sequence[Target]) -> bool:
    """Whether any of these is in a database, on which alone SQL and lab actions work."""
    return any(kind_facts(store.kind).subject is Subject.DATABASE for store in stores)
