"""The loads of a mixed run: several workloads, each with its own clients and targets, under one clock.

A plan is its own first load; the others are plans too, with what belongs to the run as the first one has it. Clients
are numbered through all loads.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from engine.errors import BadInput
from engine.parameters.values import did_you_mean
from engine.plan.clients import ClientPlan
from engine.plan.load_machines import LoadMachine
from engine.target.target import Target
from engine.workload.registry import find_workload

LOAD = "load"
"""The key of the further loads in plan files, where each is a table ``[[load]]``."""
LOAD_KEYS = (
    "workload",
    "targets",
    "clients",
    "databases",
    "threads",
    "think_time_ms",
    "ramp_rate",
    "rate",
    "arrivals",
    "parameters",
)
"""The fields of a plan that each load has by itself."""
RUN_KEYS = (
    "name",
    "note",
    "tags",
    "warmup_minutes",
    "minutes",
    "seed",
    "reset",
    "audit",
    "machines",
    "server_waits",
    "storage_probes",
)
"""The fields that belong to the run; a load has those of the first one, and its faults."""
MOST_LOADS = 16


class Load(Protocol):
    """What is read of a load here; implemented by ``engine.plan.plan.RunPlan``."""

    @property
    def workload(self) -> str: ...

    def client_plans(self) -> tuple[ClientPlan, ...]: ...

    def stores(self) -> tuple[Target, ...]: ...


def check_load_keys(number: int, plain: object, known: Sequence[str]) -> Mapping[str, Any]:
    """A load of a plan file, whose ``number`` counts from 2; raises ``BadInput`` for what belongs to the run.

    ``known`` are the keys of a whole plan: keys that are not among them are left to who reads the load.
    """
    if not isinstance(plain, Mapping):
        raise BadInput(f"load {number} is {plain!r}; give a table [[{LOAD}]] with a workload and its targets.")
    for key in plain:
        if key in known and key not in LOAD_KEYS:
            where = "leave it out" if key in ("stages", "staircase") else f"give it once, outside of [[{LOAD}]]"
            raise BadInput(f"load {number} has {key}, which belongs to the run; {where}.")
    return plain


def check_loads(loads: Sequence[Load]) -> None:
    """Raise ``BadInput`` where loads of different workloads drive the same store, or there are too many of them."""
    if len(loads) > MOST_LOADS:
        raise BadInput(f"the plan has {len(loads)} loads; use at most {MOST_LOADS}.")
    driven: dict[Target, int] = {}
    for number, load in enumerate(loads, start=1):
        for store in load.stores():
            first = driven.setdefault(store.with_label(""), number)
            if loads[first - 1].workload != load.workload:
                raise BadInput(
                    f"loads {first} and {number} drive the same database {store.url} with different workloads; give"
                    " each its own database."
                )


def machines_of(placed: Sequence[LoadMachine], before: int, clients: int) -> tuple[LoadMachine, ...]:
    """The load machines of as many ``clients`` as a load has, which come after those of the loads ``before`` it."""
    names = [machine.name for machine in placed for _ in range(machine.clients)][before : before + clients]
    return tuple(LoadMachine(name, count) for name, count in Counter(names).items())


def numbered(loads: Sequence[Load]) -> Iterator[ClientPlan]:
    """The clients of all loads, each with its number in the run, its load, and a label that no other has."""
    labels: set[str] = set()
    number = 0
    for index, load in enumerate(loads):
        for client in load.client_plans():
            number += 1
            label = client.label if client.label not in labels else f"{client.label} ({titles_of(loads)[index]})"
            labels.add(label)
            yield ClientPlan(number=number, label=label, target=client.target, machine=client.machine, load=index)


def titles_of(loads: Sequence[Load]) -> tuple[str, ...]:
    """What the loads are called: by their workloads, with a number where these are not different."""
    titles = [find_workload(load.workload).title for load in loads]
    shared, seen, found = Counter(titles), Counter[str](), []
    for title in titles:
        seen[title] += 1
        found.append(f"{title} {seen[title]}" if shared[title] > 1 else title)
    return tuple(found)


def load_named(loads: Sequence[Load], name: str) -> int:
    """The index of the load that is called so, with hyphens for spaces, or whose workload has this id.

    Raises ``BadInput`` that names the loads.
    """
    titles, workloads = titles_of(loads), [load.workload for load in loads]
    named = {each: place for place, each in enumerate(workloads) if workloads.count(each) == 1}
    named |= {title.lower().replace(" ", "-"): place for place, title in enumerate(titles)}
    key = name.strip().lower().replace(" ", "-")
    if key not in named:
        raise BadInput(f"load is '{name}'; {did_you_mean(key, named, 'the loads are')}.")
    return named[key]
