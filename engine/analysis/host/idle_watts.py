"""The watts of an idle device: the mean of a meter's readings, and how far they spread.

Called by what measures them before a run or within a campaign; a configuration keeps the means.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

from engine.analysis.host.power import DeviceWatts
from engine.figure_text import decimal


@dataclass(frozen=True, kw_only=True)
class IdleWatts:
    """``source`` is the way in which the device was read, ``is_average`` marks one whose values are slow averages.

    ``deviation_watts`` is the standard deviation of the readings, 0 for a single one.
    """

    device: str
    source: str
    is_average: bool
    readings: int
    mean_watts: float
    lowest_watts: float
    highest_watts: float
    deviation_watts: float

    @classmethod
    def of(cls, device: str, source: str, watts: Sequence[float], *, is_average: bool) -> "IdleWatts":
        """From at least one reading."""
        return cls(
            device=device,
            source=source,
            is_average=is_average,
            readings=len(watts),
            mean_watts=fmean(watts),
            lowest_watts=min(watts),
            highest_watts=max(watts),
            deviation_watts=stdev(watts) if len(watts) > 1 else 0.0,
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON and for a campaign's journal."""
        return asdict(self)


def together(meters: Sequence[IdleWatts]) -> IdleWatts:
    """What several meters of one device measured at the same time, each a part of it; at least one.

    The extremes need not have been at the same moment, so the sum spreads no further than these say.
    """
    if len(meters) == 1:
        return meters[0]
    return IdleWatts(
        device=meters[0].device,
        source=meters[0].source,
        is_average=any(each.is_average for each in meters),
        readings=min(each.readings for each in meters),
        mean_watts=math.fsum(each.mean_watts for each in meters),
        lowest_watts=math.fsum(each.lowest_watts for each in meters),
        highest_watts=math.fsum(each.highest_watts for each in meters),
        deviation_watts=math.hypot(*(each.deviation_watts for each in meters)),
    )


def total_watts(measured: Iterable[IdleWatts]) -> float:
    """The sum of the devices' means."""
    return math.fsum(each.mean_watts for each in measured)


def idle_sentence(measured: Sequence[IdleWatts]) -> str:
    """``Idle: server 181.0 W, storage 189.5 W; together 370.5 W.``"""
    devices = ", ".join(f"{each.device} {decimal(each.mean_watts, 1)} W" for each in measured)
    together = f"; together {decimal(total_watts(measured), 1)} W" if len(measured) > 1 else ""
    return f"Idle: {devices}{together}."


def with_idle_watts(typed: Sequence[DeviceWatts], measured: Iterable[IdleWatts]) -> tuple[DeviceWatts, ...]:
    """A configuration's watts with the idle ones replaced by those measured.

    Devices are the same if they have the same name, in any case; others are added.
    """
    found = {each.device.casefold(): each for each in typed}
    for each in measured:
        key = each.device.casefold()
        kept = found.get(key, DeviceWatts(device=each.device))
        found[key] = DeviceWatts(
            device=kept.device, active_watts=kept.active_watts, idle_watts=round(each.mean_watts, 1)
        )
    return tuple(found.values())
