"""Groups the counters of hosts into charts: one for each of the common figures, and one for each other unit.

Called by the window's host charts, live and stored, and by documents.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from engine.analysis.host.series import Values
from engine.telemetry.host_figure import HostFigure

_MOST_TIMES_LOWER = 15.0
_PANELS: dict[str, tuple[str, ...]] = {
    "CPU": (HostFigure.CPU,),
    "disk utilisation": (HostFigure.DISK_UTILISATION,),
    "disk operations": (HostFigure.DISK_TRANSFERS, HostFigure.DISK_READS, HostFigure.DISK_WRITES),
    "network": (HostFigure.NETWORK, HostFigure.NETWORK_RECEIVED, HostFigure.NETWORK_SENT),
    "memory used": (HostFigure.MEMORY_USED,),
    "power": (HostFigure.POWER,),
    "replication lag": (HostFigure.REPLICATION_LAG,),
    "log written": (HostFigure.LOG_WRITTEN,),
    "buffer hits": (HostFigure.BUFFER_HITS,),
}
_PANEL_OF = {figure: panel for panel, figures in _PANELS.items() for figure in figures}
_NAMES = {
    "%": "utilisation",
    "ms": "latency",
    "ops/s": "operations",
    "1/s": "rates",
    "MB/s": "throughput",
    "Mb/s": "network rates",
    "MB": "memory",
    "W": "power",
    "°C": "temperature",
    "s": "times",
    "MHz": "clock rate",
    "count": "counts",
    "sessions": "sessions by wait",
    "": "without a unit",
}


class Counter(Protocol):
    """What is known of a counter here; a ``HostSeries`` is one."""

    @property
    def name(self) -> str: ...

    @property
    def unit(self) -> str: ...

    @property
    def values(self) -> Values: ...


_T = TypeVar("_T")


@dataclass(frozen=True)
class HostGroup(Generic[_T]):
    """The contents of one chart. ``rank`` is its number among those of its name, from 0 for the highest values."""

    name: str
    unit: str
    rank: int
    members: tuple[_T, ...]

    @property
    def axis_title(self) -> str:
        """The name with the unit, unless the name is the unit."""
        return self.name if self.unit in ("", "count", "sessions", self.name) else f"{self.name}, {self.unit}"


def panel_of(name: str) -> str | None:
    """The chart of a common figure; ``None`` for a counter that shares a chart with others of its unit."""
    return _PANEL_OF.get(name)


def host_groups(
    items: Iterable[_T], counter_of: Callable[[_T], Counter], *, by_scale: bool = True
) -> list[HostGroup[_T]]:
    """The items grouped: the common figures first, always in the same order, then other units as they first occur.

    With ``by_scale`` a group is split where scales differ too much: on an axis scaled to the highest of them, one that
    is fifteen times lower would be a flat line.
    """
    by_chart: dict[tuple[str, str], list[_T]] = {}
    for item in items:
        counter = counter_of(item)
        name = panel_of(counter.name) or _NAMES.get(counter.unit, counter.unit)
        by_chart.setdefault((name, counter.unit), []).append(item)
    order = list(_PANELS)
    charts = sorted(by_chart, key=lambda chart: order.index(chart[0]) if chart[0] in order else len(order))
    return [
        HostGroup(name, unit, rank, tuple(members))
        for name, unit in charts
        for rank, members in enumerate(
            _by_scale(by_chart[name, unit], counter_of) if by_scale else [by_chart[name, unit]]
        )
    ]


def _by_scale(items: list[_T], counter_of: Callable[[_T], Counter]) -> list[list[_T]]:
    """The items split by their highest values; the order within a part is kept. Zeros fit anywhere."""
    highest = {place: _highest(counter_of(item)) for place, item in enumerate(items)}
    parts: list[set[int]] = []
    top = 0.0
    for place in sorted(highest, key=lambda each: -highest[each]):
        if not parts or 0 < _MOST_TIMES_LOWER * highest[place] < top:
            parts.append(set())
            top = highest[place]
        parts[-1].add(place)
    return [[items[place] for place in sorted(part)] for part in parts]


def _highest(counter: Counter) -> float:
    known = counter.values[~np.isnan(counter.values)]
    return float(np.abs(known).max()) if len(known) else 0.0
