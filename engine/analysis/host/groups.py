"""Groups the counters of hosts into charts: those with the same unit, if they can be read on the same axis.

Called by the window's host charts and by documents.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from engine.analysis.host.series import HostSeries

_MOST_TIMES_LOWER = 15.0
_NAMES = {
    "%": "utilisation",
    "ms": "latency",
    "ops/s": "operations",
    "1/s": "rates",
    "MB/s": "throughput",
    "Mb/s": "network",
    "MB": "memory",
    "W": "power",
    "s": "times",
    "MHz": "clock rate",
    "count": "counts",
    "": "without a unit",
}

_T = TypeVar("_T")


@dataclass(frozen=True)
class HostGroup(Generic[_T]):
    """The contents of one chart. ``rank`` is its number among those with its unit, from 0 for the highest values."""

    unit: str
    rank: int
    members: tuple[_T, ...]

    @property
    def name(self) -> str:
        """The name of the unit's quantity; of an unknown unit, the unit itself."""
        return _NAMES.get(self.unit, self.unit)

    @property
    def axis_title(self) -> str:
        """The name with the unit, unless the name is the unit."""
        return self.name if self.unit in ("", "count", self.name) else f"{self.name}, {self.unit}"


def host_groups(items: Iterable[_T], series_of: Callable[[_T], HostSeries]) -> list[HostGroup[_T]]:
    """The items grouped by unit, in the order of first occurrence, each unit split where scales differ too much.

    On an axis scaled to the highest of them, one that is fifteen times lower would be a flat line.
    """
    by_unit: dict[str, list[_T]] = {}
    for item in items:
        by_unit.setdefault(series_of(item).unit, []).append(item)
    return [
        HostGroup(unit, rank, tuple(members))
        for unit, of_unit in by_unit.items()
        for rank, members in enumerate(_by_scale(of_unit, series_of))
    ]


def _by_scale(items: list[_T], series_of: Callable[[_T], HostSeries]) -> list[list[_T]]:
    """The items split by their highest values; the order within a part is kept. Zeros fit anywhere."""
    highest = {place: _highest(series_of(item)) for place, item in enumerate(items)}
    parts: list[set[int]] = []
    top = 0.0
    for place in sorted(highest, key=lambda each: -highest[each]):
        if not parts or 0 < _MOST_TIMES_LOWER * highest[place] < top:
            parts.append(set())
            top = highest[place]
        parts[-1].add(place)
    return [[items[place] for place in sorted(part)] for part in parts]


def _highest(series: HostSeries) -> float:
    known = series.values[~np.isnan(series.values)]
    return float(np.abs(known).max()) if len(known) else 0.0
