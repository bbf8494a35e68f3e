"""The volumes that are measured before and after a run: each is a folder on the volume, and the load to measure it
with."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from engine.errors import BadInput
from engine.machines.machine import checked_name
from engine.parameters.typed_text import read_list, write_list
from engine.parameters.values import ValueType, did_you_mean

LOG, RANDOM_WRITE, RANDOM_READ, MIXED = "log", "write", "read", "mixed"
PROBE_LOADS = {
    LOG: "sequential 8K writes, each synced",
    RANDOM_WRITE: "random 8K writes",
    RANDOM_READ: "random 8K reads",
    MIXED: "random 8K I/Os, 70 % reads",
}
"""The loads that a volume can be measured with, each in words."""
_EXAMPLE = "write FOLDER[@MACHINE][=LOAD], such as /data@db1=log"


@dataclass(frozen=True, kw_only=True)
class StorageProbe:
    """A folder on the volume, the machine of the inventory that has it (empty: this one), and the load.

    Raises ``BadInput``.
    """

    folder: str
    machine: str = ""
    load: str = LOG

    def __post_init__(self) -> None:
        if not self.folder.startswith("/") or not self.folder.isprintable():
            raise BadInput(f"folder is '{self.folder}'; give its whole path, such as /data.")
        if self.machine:
            checked_name("machine", self.machine)
        if self.load not in PROBE_LOADS:
            raise BadInput(f"load is '{self.load}'; {did_you_mean(self.load, PROBE_LOADS, 'give one of')}.")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``/data@db1=log``; raises ``BadInput``."""
        place, has_load, load = text.strip().rpartition("=")
        folder, has_machine, machine = (place if has_load else load).rpartition("@")
        if not has_machine:
            folder, machine = machine, ""
        return cls(folder=folder.rstrip("/") or folder, machine=machine, load=load if has_load else LOG)

    def to_text(self) -> str:
        """The text that ``from_text`` reads back."""
        return f"{self.folder}{f'@{self.machine}' if self.machine else ''}={self.load}"


class StorageProbes(ValueType):
    """Probes of volumes, typed as ``/pg-log@db1=log, /pg-data@db1=mixed``."""

    is_list: ClassVar[bool] = True

    def checked(self, name: str, value: object) -> tuple[StorageProbe, ...]:
        if not isinstance(value, list | tuple):
            raise BadInput(f"{name} is not a list; give a list in square brackets.")
        return tuple(dict.fromkeys(_checked(name, each) for each in value))

    def read(self, name: str, text: str) -> tuple[str, ...]:
        return read_list(text)

    def write(self, value: Iterable[StorageProbe]) -> str:
        return write_list(self.one_by_one(value))

    def plain(self, value: Iterable[StorageProbe]) -> list[str]:
        return self.one_by_one(value)

    def one_by_one(self, value: Iterable[StorageProbe]) -> list[str]:
        return [probe.to_text() for probe in value]


def _checked(name: str, value: object) -> StorageProbe:
    if isinstance(value, StorageProbe):
        return value
    if not isinstance(value, str):
        raise BadInput(f"{name} has {value!r}; {_EXAMPLE}.")
    try:
        return StorageProbe.from_text(value)
    except BadInput as error:
        raise BadInput(f"{name} has '{value}', whose {error.cause.rstrip('.')}; {_EXAMPLE}.") from error
