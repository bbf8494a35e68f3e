"""Which machines drive the clients of a run: each load machine with its number of clients.

The clients of a plan are placed in order: the first ones on the first load machine, and so on; this workstation drives
what is left.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from engine.errors import BadInput
from engine.machines.machine import WORKSTATION, checked_name
from engine.parameters.typed_text import read_list, read_whole, write_list
from engine.parameters.values import ValueType, Whole, did_you_mean

MOST_CLIENTS = 256
_CLIENTS = Whole(1, MOST_CLIENTS)
_KEYS = ("name", "clients")
_EXAMPLE = "write NAME=CLIENTS, such as load1=4"


@dataclass(frozen=True)
class LoadMachine:
    """A machine of the inventory and how many of the plan's clients it drives; raises ``BadInput``."""

    name: str
    clients: int

    def __post_init__(self) -> None:
        checked_name("name of a load machine", self.name)
        _CLIENTS.checked(f"clients of load machine '{self.name}'", self.clients)
        if self.name.casefold() == WORKSTATION:
            raise BadInput(f"load machine '{self.name}' is this one, which drives what is left; remove it.")

    @classmethod
    def from_dict(cls, plain: object) -> Self:
        """Read a load machine of a plan file; raises ``BadInput``."""
        if not isinstance(plain, Mapping):
            raise BadInput(f"a load machine is {plain!r}; give a table with name and clients.")
        for key in plain:
            if key not in _KEYS:
                raise BadInput(f"load machine key '{key}' is not known; {did_you_mean(str(key), _KEYS)}.")
        for key in _KEYS:
            if key not in plain:
                raise BadInput(f'a load machine has no {key}; give both, such as name = "load1", clients = 4.')
        return cls(plain["name"], plain["clients"])

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``load1=4``; raises ``BadInput``."""
        name, equals, clients = text.strip().partition("=")
        if not equals:
            raise BadInput(f"load machine '{text}' has no number of clients; {_EXAMPLE}.")
        return cls(name.strip(), read_whole(f"clients of load machine '{name.strip()}'", clients))

    def to_text(self) -> str:
        """The text that ``from_text`` reads back."""
        return f"{self.name}={self.clients}"


class LoadMachines(ValueType):
    """Load machines that differ, typed as ``load1=4, load2=4``."""

    is_list: ClassVar[bool] = True

    def checked(self, name: str, value: object) -> tuple[LoadMachine, ...]:
        if not isinstance(value, list | tuple):
            raise BadInput(f"{name} is not a list; give a list in square brackets.")
        machines = tuple(_checked_machines(name, value))
        seen: set[str] = set()
        for machine in machines:
            if machine.name.casefold() in seen:
                raise BadInput(f"{name} has '{machine.name}' twice; give it all of its clients at once.")
            seen.add(machine.name.casefold())
        return machines

    def read(self, name: str, text: str) -> tuple[str, ...]:
        return read_list(text)

    def write(self, value: Iterable[LoadMachine]) -> str:
        return write_list(self.one_by_one(value))

    def plain(self, value: Iterable[LoadMachine]) -> list[dict[str, Any]]:
        return [{"name": machine.name, "clients": machine.clients} for machine in value]

    def one_by_one(self, value: Iterable[LoadMachine]) -> list[str]:
        return [machine.to_text() for machine in value]


def check_enough_clients(machines: Iterable[LoadMachine], clients: int) -> None:
    """Raise ``BadInput`` when the load machines drive more clients than the plan has."""
    placed = sum(machine.clients for machine in machines)
    if placed > clients:
        raise BadInput(
            f"the load machines drive {placed} clients, and the plan has {clients}; give them at most {clients}, or"
            " more clients."
        )


def _checked_machines(name: str, values: Iterable[object]) -> Iterator[LoadMachine]:
    for number, each in enumerate(values, start=1):
        try:
            match each:
                case LoadMachine():
                    yield each
                case str():
                    yield LoadMachine.from_text(each)
                case _:
                    yield LoadMachine.from_dict(each)
        except BadInput as error:
            raise BadInput(f"{name}, number {number}: {error}") from error
