"""The active and idle watts of a configuration's devices, and the headline rate for each watt.

Typed watts and those averaged from a meter's series by ``engine.analysis.host.figures`` are treated alike. Called by
the configurations, comparisons and reports.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.analysis.comparing.change import Change, change_of
from engine.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class DeviceWatts:
    """The power of one device (server, external storage …): mean watts under load, and idle; ``None`` is unknown.

    Raises ``BadInput`` for a device without a name and for negative or invalid watts.
    """

    device: str
    active_watts: float | None = None
    idle_watts: float | None = None

    def __post_init__(self) -> None:
        if not self.device.strip():
            raise BadInput("a device has watts and no name; give it one, such as server.")
        for name, watts in (("active", self.active_watts), ("idle", self.idle_watts)):
            if watts is not None and not (math.isfinite(watts) and watts >= 0):
                raise BadInput(f"the {name} watts of '{self.device}' are {watts:g}; give a number from 0.")


@dataclass(frozen=True, kw_only=True)
class PowerFigures:
    """The devices and their sums.

    A sum is ``None`` when the watts of one of its devices are unknown; these devices are named in ``unknown_active``
    and ``unknown_idle``.
    """

    devices: tuple[DeviceWatts, ...]
    active_watts: float | None
    idle_watts: float | None
    headline_rate_per_watt: float | None
    unknown_active: tuple[str, ...]
    unknown_idle: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What is missing in the sums; empty if nothing is."""
        if not self.devices:
            return "No watts are known."
        parts = (("active", self.unknown_active), ("idle", self.unknown_idle))
        missing = "; ".join(f"{what} watts of {', '.join(names)}" for what, names in parts if names)
        return f"Not known: {missing}." if missing else ""


def power_figures(devices: Sequence[DeviceWatts], headline_rate: float | None) -> PowerFigures:
    """The sums over the devices, and the headline rate per active watt; ``None`` if the watts are 0 or unknown.

    Raises ``BadInput`` for a device given twice.
    """
    for device, times in Counter(each.device for each in devices).items():
        if times > 1:
            raise BadInput(f"device '{device}' has watts {times} times; give each device once.")
    active = _sum([each.active_watts for each in devices])
    return PowerFigures(
        devices=tuple(devices),
        active_watts=active,
        idle_watts=_sum([each.idle_watts for each in devices]),
        headline_rate_per_watt=None if headline_rate is None or not active else headline_rate / active,
        unknown_active=tuple(each.device for each in devices if each.active_watts is None),
        unknown_idle=tuple(each.device for each in devices if each.idle_watts is None),
    )


@dataclass(frozen=True, kw_only=True)
class PowerChange:
    """The difference of two configurations' watts: the sums, the headline rate per watt, and each device that both
    have."""

    active: Change
    idle: Change
    headline_rate_per_watt: Change
    devices: tuple["DeviceChange", ...]


@dataclass(frozen=True, kw_only=True)
class DeviceChange:
    """The difference of the watts of the devices with one name."""

    device: str
    active: Change
    idle: Change


def power_change(figures: PowerFigures, base: PowerFigures) -> PowerChange:
    """How ``figures`` differ from ``base``."""
    before = {each.device: each for each in base.devices}
    return PowerChange(
        active=change_of(figures.active_watts, base.active_watts),
        idle=change_of(figures.idle_watts, base.idle_watts),
        headline_rate_per_watt=change_of(figures.headline_rate_per_watt, base.headline_rate_per_watt),
        devices=tuple(
            DeviceChange(
                device=each.device,
                active=change_of(each.active_watts, before[each.device].active_watts),
                idle=change_of(each.idle_watts, before[each.device].idle_watts),
            )
            for each in figures.devices
            if each.device in before
        ),
    )


def _sum(watts: Sequence[float | None]) -> float | None:
    known = [each for each in watts if each is not None]
    return math.fsum(known) if known and len(known) == len(watts) else None
