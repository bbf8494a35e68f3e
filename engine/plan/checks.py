"""What the targets and the faults of a plan need of the rest of it."""

from collections.abc import Iterable

from engine.errors import BadInput
from engine.faults.planned import PlannedFault
from engine.parameters.typed_text import time_text
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, Target
from engine.workload.workload import Workload


def check_subject(workload: Workload, targets: Iterable[Target]) -> None:
    """Raises ``BadInput`` for a target that is not what the workload runs on, such as a database for a mail load."""
    for target in targets:
        subject = kind_facts(target.kind).subject
        if subject is not workload.subject:
            raise BadInput(
                f"workload {workload.title} runs on {workload.subject.several}; target {target.url} is {subject.one};"
                f" give {workload.subject.target_form}, or another workload."
            )


def check_one_lab(targets: Iterable[Target]) -> None:
    """Raises ``BadInput`` for targets that use the embedded lab, of which there is one, in different forms."""
    forms = {(each.nodes, each.sync, each.failover): each.url for each in targets if each.kind == EMBEDDED}
    if len(forms) > 1:
        raise BadInput(
            f"the plan's targets {' and '.join(forms.values())} use the embedded server in different forms; give"
            " them the same nodes, sync and failover."
        )


def check_fault_times(faults: Iterable[PlannedFault], measured_seconds: int) -> None:
    """Raises ``BadInput`` for a fault after the end of measuring; ``measured_seconds`` is 0 where there is no end."""
    for fault in faults:
        if measured_seconds and fault.over_seconds >= measured_seconds:
            last = "is" if fault.over_seconds == fault.at_seconds else "ends"
            raise BadInput(
                f"fault '{fault.label}' {last} at {time_text(fault.over_seconds)} after measuring begins, and"
                f" measuring ends at {time_text(measured_seconds)}; give an earlier time or a longer run time."
            )
