"""What only targets on storage have."""

from dataclasses import dataclass
from typing import Any

from engine.target.host import check_printable


@dataclass(frozen=True, kw_only=True)
class StorageOptions:
    """Where the file is, and what may be done to it.

    ``machine`` is the machine of the inventory whose disk it is on; empty for this one. ``device`` is the name of a
    device whose data may be overwritten: only with it can the path be that of a device. ``reached`` are the values of
    the machine's SSH access, which are known once the target is resolved; they are never part of a URL or a plan.
    """

    machine: str = ""
    device: str = ""
    reached: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for name in ("machine", "device"):
            check_printable(name, getattr(self, name))
