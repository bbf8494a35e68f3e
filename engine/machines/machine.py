"""A machine that runs are measured on or with: its name, its roles, and the ways in which it is reached."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from engine.errors import BadInput
from engine.machines.access import Access, SshAccess, WinRmAccess
from engine.parameters.values import did_you_mean

WORKSTATION = "workstation"
"""The name of the machine that Spindle runs on; it is always in the inventory."""
OneAccess = TypeVar("OneAccess", bound=Access)
_NAME = re.compile(r"[^\W\d_][\w.-]{0,62}")


class Role(StrEnum):
    """What a machine is for; it may have several roles, or none."""

    DATABASE_SERVER = "database_server"
    STORAGE = "storage"
    LOAD_MACHINE = "load_machine"
    POWER_METER = "power_meter"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine of the inventory; it may be reached in several ways, also in several of one kind."""

    name: str
    roles: tuple[Role, ...] = ()
    accesses: tuple[Access, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name("name", self.name))
        object.__setattr__(self, "roles", tuple(dict.fromkeys(read_role(each) for each in self.roles)))
        object.__setattr__(self, "accesses", tuple(self.accesses))
        for at, access in enumerate(self.accesses):
            if access in self.accesses[:at]:
                raise BadInput(f"machine '{self.name}' has {access.title} at {access.place} twice; remove one of them.")

    @property
    def host(self) -> str:
        """The host name or address of the machine itself; raises ``BadInput`` when no access has one."""
        for access in self.accesses:
            if isinstance(access, SshAccess | WinRmAccess):
                return access.host
        raise BadInput(f"machine is '{self.name}', whose own host is not known; add an SSH access to it.")

    def has(self, wanted: type[Access]) -> bool:
        """Whether it can be reached in a way of this type."""
        return any(isinstance(each, wanted) for each in self.accesses)

    def access_of(self, wanted: type[OneAccess]) -> OneAccess:
        """The first access of a type; raises ``BadInput`` when the machine has none."""
        for access in self.accesses:
            if isinstance(access, wanted):
                return access
        has = ", ".join(dict.fromkeys(each.title for each in self.accesses)) or "no access at all"
        raise BadInput(
            f"machine is '{self.name}', which can't be reached by {wanted.title} (it has {has});"
            " add that access to the machine, or choose another one."
        )


def checked_name(key: str, name: object) -> str:
    """The name of a machine, given under a key; raises ``BadInput``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput(
            f"{key} is {name!r}; give a letter first, then letters, digits, '.', '-' or '_', at most 63 in all."
        )
    return name


def read_role(typed: object) -> Role:
    """A role as it is stored or typed, ``database_server`` or ``database server``; raises ``BadInput``."""
    word = str(typed).strip().lower().replace(" ", "_").replace("-", "_")
    if word not in tuple(Role):
        labels = tuple(each.label for each in Role)
        raise BadInput(f"role is '{typed}'; {did_you_mean(str(typed), labels, 'give one of')}.")
    return Role(word)
