"""The load machines of a run: that they are known before anything is changed anywhere, and that they can drive it.

What speaks to them is imported when a plan has some: other runs do not take the time that this takes.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from engine.databases.progress import IsCancelled
from engine.errors import UserError
from engine.figure_text import capitalised
from engine.machines.access import SshAccess
from engine.machines.inventory import Inventory
from engine.plan.plan import RunPlan
from engine.target.target import Target

if TYPE_CHECKING:
    from engine.cluster.connection import ClusterConnection
    from engine.cluster.dask_starter import DaskStarter


def check_load_machines(plan: RunPlan, inventory: Callable[[], Inventory]) -> None:
    """Raise ``UserError`` for a load machine that the inventory does not have."""
    if not plan.load_machines:
        return
    known = inventory()
    for machine in plan.load_machines:
        known.machine(machine.name)


def judge_load_machines(
    cluster: "ClusterConnection",
    plan: RunPlan,
    targets: Iterable[Target],
    inventory: Inventory,
    *,
    warn: Callable[[str], None],
    cancelled: IsCancelled,
) -> "DaskStarter":
    """What starts the agents of a plan, once all its machines have been asked.

    ``targets`` are where its stores are connected to. Raises ``Cancelled``, or ``UserError`` with a sentence for each
    reason why a machine can't be used.
    """
    from engine.cluster.dask_starter import DaskStarter
    from engine.cluster.preflight import Needs, judge_machine
    from engine.cluster.questions import local_facts

    names = [machine.name for machine in plan.load_machines]
    targets = list(targets)
    hosts = [host for target in targets for host in target.hosts]
    needs = Needs(kinds=[target.kind for target in targets], hosts=hosts, takes_busy=cluster.state.settings.takes_busy)
    own = local_facts()
    for validity in cluster.certificates.expiring():
        warn(f"The certificate of {validity.sentence}.")
    findings = {
        name: judge_machine(name, answers, own, needs)
        for name, answers in cluster.ask(names, needs.places, cancelled).items()
    }
    for found in findings.values():
        for warning in found.warnings:
            warn(capitalised(warning))
    if refusals := [refusal for found in findings.values() for refusal in found.refusals]:
        raise UserError(" ".join((refusals[0], *map(capitalised, refusals[1:]))))
    machines = [inventory.machine(name) for name in names]
    return DaskStarter(cluster, [each.access_of(SshAccess) for each in machines if each.has(SshAccess)])
