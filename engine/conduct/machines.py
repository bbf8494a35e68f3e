"""The machines that a run reads: from their names in its plan to its collectors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.collect.collector_process import CollectorStart
from engine.collect.source import Source
from engine.collect.sources import sources_of
from engine.collect.sources.database_waits import DatabaseWaits
from engine.conduct.preflight import CheckedStore
from engine.errors import BadInput, UserError
from engine.machines.access import Access
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine
from engine.secrets import Secret
from engine.subject import Subject
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, Host, Target


@dataclass(frozen=True, kw_only=True)
class ReadMachines:
    """The collectors of a run, and what its record says of them: no secret is in that."""

    starts: tuple[CollectorStart, ...] = ()
    described: tuple[dict[str, Any], ...] = ()


def read_machines(
    names: Sequence[str],
    inventory: Callable[[], Inventory],
    find_secret: Callable[[str], Secret | None],
    *,
    notify: Callable[[str], None],
) -> ReadMachines:
    """A collector for each source of each named machine. Nothing is connected, but the keyring may be asked.

    ``notify`` gets a sentence for an access that can't be read beside others that can. Raises ``BadInput`` for an
    unknown name, with the nearest one, and for a machine of which no access can be read.
    """
    starts: list[CollectorStart] = []
    described: list[dict[str, Any]] = []
    known = inventory() if names else Inventory()
    for machine in map(known.machine, names):
        sources = []
        for access, make_source, source in _readable(machine, find_secret, notify):
            start = CollectorStart(number=len(starts) + 1, machine=machine.name, make_source=make_source)
            starts.append(start)
            sources.append(_described(start.number, access, source))
        described.append({"name": machine.name, "sources": sources})
    return ReadMachines(starts=tuple(starts), described=tuple(described))


def with_server_waits(machines: ReadMachines, stores: Mapping[Target, CheckedStore]) -> ReadMachines:
    """The same with a collector for each database server from inside, which connects to the first of its stores."""
    starts, described = list(machines.starts), list(machines.described)
    by_server: dict[tuple[str, tuple[Host, ...]], list[tuple[Target, CheckedStore]]] = {}
    for planned, checked in stores.items():
        target = checked.endpoint.target
        if kind_facts(target.kind).subject is not Subject.DATABASE:
            continue
        by_server.setdefault((target.kind, target.hosts), []).append((planned, checked))
    for same in by_server.values():
        planned, checked = same[0]
        name = EMBEDDED if planned.kind == EMBEDDED else planned.hosts[0].name
        databases = tuple(each.endpoint.target.database for _, each in same)
        make_source = partial(DatabaseWaits, checked.endpoint.target, checked.endpoint.secret, databases)
        starts.append(CollectorStart(number=len(starts) + 1, machine=name, make_source=make_source))
        source = _description(len(starts), "database", planned.url, make_source())
        described.append({"name": name, "sources": [source]})
    return ReadMachines(starts=tuple(starts), described=tuple(described))


def _readable(
    machine: Machine, find_secret: Callable[[str], Secret | None], notify: Callable[[str], None]
) -> Sequence[tuple[Access, Callable[[], Source], Source]]:
    """The sources of all accesses that can be read, each with what makes it in the collectors' process."""
    found = []
    problems: list[str] = []
    for access in machine.accesses:
        secret = find_secret(access.secret_name) if access.secret_name else None
        try:
            sources = sources_of(access, secret, machine=machine.name)
        except UserError as error:
            problems.append(str(error))
            continue
        for place, source in enumerate(sources):
            found.append((access, partial(_source, access, secret, machine.name, place), source))
    if not found:
        why = f" ({problems[0].rstrip('.')})" if problems else ""
        raise BadInput(f"machine '{machine.name}' has no access that can be read{why}; add one, such as SSH.")
    for problem in problems:
        notify(problem)
    return found


def _source(access: Access, secret: Secret | None, machine: str, place: int) -> Source:
    """The source of an access, made in the collectors' process."""
    return sources_of(access, secret, machine=machine)[place]


def _described(number: int, access: Access, source: Source) -> dict[str, Any]:
    return _description(number, access.kind.value, access.place, source)


def _description(number: int, access: str, place: str, source: Source) -> dict[str, Any]:
    return {
        "collector": number,
        "access": access,
        "place": place,
        "source": source.name,
        "interval_seconds": source.interval_seconds,
        "is_average": source.is_average,
    }
