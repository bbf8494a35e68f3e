"""The clients of a plan: who drives which store, and the label that each is reported under."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.plan.load_machines import LoadMachine
from engine.target.target import STORAGE, Target


@dataclass(frozen=True, kw_only=True)
class ClientPlan:
    """One client: a driver–target pair, with its number from 1 and the label it is reported under.

    ``machine`` is the load machine that drives it, by its name in the inventory; empty for this workstation. In a mixed
    run ``load`` is the index of the load that it belongs to.
    """

    number: int
    label: str
    target: Target
    machine: str = ""
    load: int = 0


def clients_of(driven: Sequence[Target], clients: int, placed: Iterable[LoadMachine] = ()) -> tuple[ClientPlan, ...]:
    """So many clients for each of the stores, in order, each with a label that no other has.

    The load machines ``placed`` drive the first ones, each as many as it is given.
    """
    machines = (machine.name for machine in placed for _ in range(machine.clients))
    shared = Counter(map(_name, driven))
    labels: set[str] = set()
    plans: list[ClientPlan] = []
    for store in driven:
        name = _name(store)
        if shared[name] > 1:
            name = f"{store.label or _place(store)}/{store.database.lstrip('/')}"
        for of in range(1, clients + 1):
            label = f"{name} #{of}" if clients > 1 else name
            while label in labels:
                label += "'"
            labels.add(label)
            number = len(plans) + 1
            plans.append(ClientPlan(number=number, label=label, target=store, machine=next(machines, "")))
    return tuple(plans)


def _name(store: Target) -> str:
    """The label that is typed, or the name of the database, the domain or the file."""
    return store.label or (store.database.rpartition("/")[2] if store.kind == STORAGE else store.database)


def _place(target: Target) -> str:
    return ",".join(str(host) for host in target.hosts) or target.storage.machine or target.kind
