"""Which counters of the machines are shown first: of disks and interfaces, the busiest so far or the one chosen.

Called by the Hosts view during a run and by the Host tab of a stored one, so that both show the same.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.analysis.host.groups import panel_of
from engine.telemetry.host_figure import HostFigure

_CLEARLY = 1.25
_USE_OF_DISK = (HostFigure.DISK_UTILISATION, HostFigure.DISK_TRANSFERS, HostFigure.DISK_READS, HostFigure.DISK_WRITES)
_USE_OF_INTERFACE = (HostFigure.NETWORK, HostFigure.NETWORK_RECEIVED, HostFigure.NETWORK_SENT)
# A sum makes its parts redundant on the same chart.
_PARTS = {
    HostFigure.DISK_TRANSFERS: (HostFigure.DISK_READS, HostFigure.DISK_WRITES),
    HostFigure.NETWORK: (HostFigure.NETWORK_RECEIVED, HostFigure.NETWORK_SENT),
}


class DeviceKind(StrEnum):
    """A kind of device of which a machine has several."""

    DISK = "disk"
    INTERFACE = "interface"


_FIGURES = {DeviceKind.DISK: _USE_OF_DISK, DeviceKind.INTERFACE: _USE_OF_INTERFACE}
_KIND_OF = {figure.value: kind for kind, figures in _FIGURES.items() for figure in figures}


class MachineDevice(NamedTuple):
    machine: str
    kind: DeviceKind


@dataclass(frozen=True, kw_only=True)
class ShownCounter:
    """A counter that could be shown. ``reader`` is what read it, such as a collector's number; ``mean`` is so far."""

    key: Hashable
    reader: int
    machine: str
    device: str
    name: str
    mean: float


class DevicesInUse:
    """The devices to show: the chosen ones, else the busiest, which is replaced only by a clearly busier one.

    ``chosen`` are device names by machine and kind; one that a machine lacks counts as none. ``by_use`` has all devices
    of a machine, whoever reads them. Two readers of a machine may know a device by other names: then each has a
    busiest of its own.
    """

    def __init__(self, chosen: Mapping[MachineDevice, str] | None = None) -> None:
        self.chosen = dict(chosen or {})
        self.by_use: dict[MachineDevice, dict[str, float]] = {}
        self._by_reader: dict[tuple[MachineDevice, int], dict[str, float]] = {}
        self._busiest: dict[Hashable, str] = {}

    def update(self, counters: Iterable[ShownCounter]) -> None:
        """Compare the devices again."""
        figures: dict[tuple[MachineDevice, int], dict[str, dict[str, float]]] = {}
        for each in counters:
            if (kind := _KIND_OF.get(each.name)) is not None:
                devices = figures.setdefault((MachineDevice(each.machine, kind), each.reader), {})
                devices.setdefault(each.device, {})[each.name] = 0.0 if math.isnan(each.mean) else each.mean
        self._by_reader = {
            (of, reader): {name: _use(of.kind, values) for name, values in devices.items()}
            for (of, reader), devices in figures.items()
        }
        self.by_use = {}
        for (of, _), uses in self._by_reader.items():
            known = self.by_use.setdefault(of, {})
            known.update({name: max(use, known.get(name, 0.0)) for name, use in uses.items()})
        for key, uses in (*self.by_use.items(), *self._by_reader.items()):
            busiest = max(uses, key=lambda name: uses[name])
            before = self._busiest.get(key)
            if before not in uses or uses[busiest] > _CLEARLY * uses[before]:
                self._busiest[key] = busiest

    def busiest(self, of: MachineDevice) -> str:
        """The device that is shown when none is chosen."""
        return self._busiest[of]

    def shown(self, of: MachineDevice) -> str:
        """The device that is shown."""
        chosen = self.chosen.get(of)
        return chosen if chosen is not None and chosen in self.by_use[of] else self._busiest[of]

    def first(self, counters: Sequence[ShownCounter]) -> set[Hashable]:
        """The keys of the counters to show first, after ``update``: one line for each machine, reader and chart, or
        two. Of devices those that are shown."""
        found = {(each.reader, each.machine, each.device, each.name) for each in counters}
        return {
            each.key
            for each in counters
            if panel_of(each.name) is not None
            and self._is_shown(each)
            and not any(
                (each.reader, each.machine, each.device, whole) in found
                for whole, parts in _PARTS.items()
                if each.name in parts
            )
        }

    def _is_shown(self, counter: ShownCounter) -> bool:
        kind = _KIND_OF.get(counter.name)
        if kind is not None:
            of = MachineDevice(counter.machine, kind)
            shown = self.shown(of)
            has_it = shown in self._by_reader[of, counter.reader]
            return counter.device == (shown if has_it else self._busiest[of, counter.reader])
        return not counter.device or counter.name in (HostFigure.POWER, HostFigure.REPLICATION_LAG)


def _use(kind: DeviceKind, figures: Mapping[str, float]) -> float:
    """How busy a device is: a disk by its utilisation, else its operations; an interface by what it carries."""
    if kind is DeviceKind.DISK and HostFigure.DISK_UTILISATION in figures:
        return figures[HostFigure.DISK_UTILISATION] + 1e-9 * figures.get(HostFigure.DISK_TRANSFERS, 0.0)
    return sum(value for name, value in figures.items() if name != HostFigure.DISK_UTILISATION)
