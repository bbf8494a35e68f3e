"""The power of the processors of this workstation by Intel's RAPL, which AMD's have too; Linux, readable by root only.

It is what the packages themselves take, without memory, disks, fans and the losses of the power supply: never the power
of the machine. Source: the kernel's documentation of the power capping framework (``power/powercap``).
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from engine.collect.clock import utc_now
from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.errors import UserError
from engine.telemetry.host import HostValue

POWERCAP = Path("/sys/class/powercap")
NAME = "Processor package power"
_ZONE = re.compile(r"intel-rapl:\d+")


class _Zone(NamedTuple):
    """A package: the file of its counter in µJ, and where that wraps around."""

    name: str
    counter: Path
    range_uj: int


def rapl_source(
    *,
    machine: str,
    interval_seconds: float = 1.0,
    powercap: Path = POWERCAP,
    clock: Callable[[], float] = monotonic,
) -> PolledSource:
    """Reads the watts of each processor package."""
    return PolledSource(
        name="RAPL (processor package)",
        interval_seconds=interval_seconds,
        open_reader=lambda _: _Packages(machine, powercap, clock),
    )


def can_read_rapl(powercap: Path = POWERCAP) -> bool:
    """Whether this machine's processors measure themselves, and we may read it. Most virtual machines have none of
    it."""
    return any(os.access(zone.counter, os.R_OK) for zone in _zones(powercap))


class _Packages:
    def __init__(self, machine: str, powercap: Path, clock: Callable[[], float]) -> None:
        self._machine = machine
        self._clock = clock
        self._zones = _zones(powercap)
        self._last: dict[str, tuple[float, int]] = {}

    def close(self) -> None:
        """Files are opened for each reading, so nothing is open."""

    def read(self) -> SourceReading | None:
        if not self._zones:
            raise UserError(f"{self._machine}: the processors tell no power (RAPL); measure the machine with a meter.")
        here, now = utc_now(), self._clock()
        watts = {zone.name: self._watts(zone, now) for zone in self._zones}
        values = tuple(HostValue(name, NAME, "W", each) for name, each in watts.items() if each is not None)
        return SourceReading(values=values, here_utc_seconds=here) if values else None

    def _watts(self, zone: _Zone, now: float) -> float | None:
        energy_uj = self._energy_uj(zone)
        last = self._last.get(zone.name)
        self._last[zone.name] = now, energy_uj
        if last is None:
            return None
        # At 250 W a usual range of 262,144 J wraps around every 17 minutes.
        grown_uj = energy_uj - last[1] + (zone.range_uj if energy_uj < last[1] else 0)
        return grown_uj / 1e6 / (now - last[0])

    def _energy_uj(self, zone: _Zone) -> int:
        try:
            return int(zone.counter.read_text(encoding="ascii"))
        except PermissionError as error:
            raise UserError(
                f"{self._machine}: {zone.counter} is readable by root only; run Spindle as root to read the processors'"
                " power, or leave it out."
            ) from error
        except (OSError, ValueError) as error:
            raise UserError(f"{self._machine}: {zone.counter} can't be read ({error}).") from error


def _zones(powercap: Path) -> list[_Zone]:
    """The zones of whole packages; their parts, and the platform's zone of laptops, are not."""
    found = []
    for folder in sorted(powercap.glob("intel-rapl:*")):
        try:
            name = (folder / "name").read_text(encoding="ascii").strip()
            range_uj = int((folder / "max_energy_range_uj").read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        if _ZONE.fullmatch(folder.name) and name.startswith("package"):
            found.append(_Zone(name, folder / "energy_uj", range_uj))
    return found
