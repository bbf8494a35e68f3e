"""The inventory: the machines of a home, in its file ``machines.toml``.

The file has a table for each machine, with a table for each way of reaching it; it holds no secret:

    [[machine]]
    name = "db1"
    roles = ["database_server"]

    [[machine.access]]
    kind = "ssh"
    host = "db1.lab"
    user = "root"
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import BadInput
from engine.files.atomic import atomic_file
from engine.files.lock import changing
from engine.files.toml import parsed_toml
from engine.machines.access import Access, LocalAccess, access_from_dict, access_to_dict
from engine.machines.machine import WORKSTATION, Machine, OneAccess
from engine.parameters.values import did_you_mean

_WHAT = "inventory"
_LOCAL: Access = LocalAccess()
_WORKSTATION = Machine(name=WORKSTATION, accesses=(_LOCAL,))
_KEYS = ("name", "roles", "access")


@dataclass(frozen=True)
class Inventory:
    """Machines with different names. The workstation is always among them; it is the first unless it was given."""

    machines: tuple[Machine, ...] = ()

    def __post_init__(self) -> None:
        names: dict[str, str] = {}
        for machine in self.machines:
            key = machine.name.casefold()
            if key in names:
                raise BadInput(f"name is '{machine.name}', and there is a machine '{names[key]}'; give another one.")
            names[key] = machine.name
        object.__setattr__(self, "machines", _with_workstation(self.machines))

    def __iter__(self) -> Iterator[Machine]:
        return iter(self.machines)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.machines)

    def machine(self, name: str) -> Machine:
        """The machine of a name; raises ``BadInput`` with the nearest one when there is none."""
        for machine in self.machines:
            if machine.name == name:
                return machine
        hint = did_you_mean(name, self.names, "add it, or give one of")
        raise BadInput(f"machine is '{name}', which is not in the inventory; {hint}.")

    def access_of(self, name: str, wanted: type[OneAccess]) -> OneAccess:
        """The access of a type to the machine of a name; raises ``BadInput`` when there is none."""
        return self.machine(name).access_of(wanted)

    def put(self, machine: Machine, *, instead_of: str = "") -> "Inventory":
        """This inventory with the machine, which replaces the one of the same name, or of the name ``instead_of``."""
        replaced = instead_of or machine.name
        if replaced not in self.names:
            return Inventory((*self.machines, machine))
        return Inventory(tuple(machine if each.name == replaced else each for each in self.machines))

    def without(self, name: str) -> "Inventory":
        """This inventory without a machine; raises ``BadInput`` when it is not there, or is the workstation."""
        gone = self.machine(name)
        if name == WORKSTATION:
            raise BadInput(f"machine '{WORKSTATION}' is the one that Spindle runs on; it can't be removed.")
        return Inventory(tuple(each for each in self.machines if each is not gone))

    def to_dict(self) -> dict[str, Any]:
        """The inventory as plain values for TOML, without the workstation if it is the first and has only its default
        access. ``from_dict`` reads it back.
        """
        machines = self.machines[1:] if self.machines[0] == _WORKSTATION else self.machines
        return {"machine": [machine_to_dict(each) for each in machines]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Inventory":
        """Read an inventory; raises ``BadInput`` that names the machine, the key or value, and the remedy."""
        for key in plain:
            if key != "machine":
                raise BadInput(f"key '{key}' is not known; {did_you_mean(key, ('machine',))}.")
        tables = plain.get("machine", [])
        if not isinstance(tables, list):
            raise BadInput("machine is not a list of tables; write [[machine]] before each machine.")
        return cls(tuple(_machine(each, at) for at, each in enumerate(tables, 1)))


def read_inventory(path: Path) -> Inventory:
    """The inventory in a file; without the file, that of the workstation alone. Raises ``BadInput`` that names both."""
    if not path.exists():
        return Inventory()
    plain = parsed_toml(path, _WHAT)
    try:
        return Inventory.from_dict(plain)
    except BadInput as error:
        raise BadInput(f"{_WHAT} {path}: {error.cause}", remedy=error.remedy) from error


def change_inventory(path: Path, change: Callable[[Inventory], Inventory]) -> None:
    """Apply ``change`` to the inventory in the file and write the result, under a lock against other programs.

    Comments in the file are lost. Raises what ``change`` raises, and ``UserError`` when the file can't be read or
    written; it is then as it was.
    """
    with changing(path):
        changed = change(read_inventory(path))
        with atomic_file(path) as file:
            file.write(tomli_w.dumps(changed.to_dict()).encode())


def machine_to_dict(machine: Machine) -> dict[str, Any]:
    """The machine as plain values for TOML and JSON."""
    return {
        "name": machine.name,
        "roles": [each.value for each in machine.roles],
        "access": [access_to_dict(each) for each in machine.accesses],
    }


def _machine(plain: object, at: int) -> Machine:
    if not isinstance(plain, Mapping):
        raise BadInput(f"machine {at} is not a table; write [[machine]] before it.")
    if "name" not in plain:
        raise BadInput(f"machine {at} has no name; give it one.")
    where = f"machine '{plain['name']}'"
    for key in plain:
        if key not in _KEYS:
            raise BadInput(f"{where}: key '{key}' is not known; {did_you_mean(str(key), _KEYS)}.")
    for key in ("roles", "access"):
        if not isinstance(plain.get(key, []), list):
            raise BadInput(f"{where}: {key} is {plain[key]!r}; give a list in square brackets.")
    try:
        accesses = tuple(access_from_dict(each) for each in plain.get("access", []))
        return Machine(name=plain["name"], roles=tuple(plain.get("roles", [])), accesses=accesses)
    except BadInput as error:
        raise BadInput(f"{where}: {error.cause}", remedy=error.remedy) from error


def _with_workstation(machines: tuple[Machine, ...]) -> tuple[Machine, ...]:
    """The machines with this workstation among them, and its local access among its accesses."""
    for at, machine in enumerate(machines):
        if machine.name == WORKSTATION:
            if _LOCAL in machine.accesses:
                return machines
            own = replace(machine, accesses=(_LOCAL, *machine.accesses))
            return (*machines[:at], own, *machines[at + 1 :])
    return (_WORKSTATION, *machines)
