"""A time series of a host's counter or a meter's watts, as read from files.

``engine.analysis.host.files`` reads them, the library stores them with a run, charts and reports draw them on the run's
time axis.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.analysis.series.rates import Rates

Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

GAP_INTERVALS = 1.5


@dataclass(frozen=True, kw_only=True, eq=False)
class HostSeries:
    """What was measured at ``source`` (a host's name, or empty) of a ``device`` (a volume, an interface, a meter's
    channel, or empty).

    ``name`` is a ``HostFigure``'s value or, of other counters, the file's own, whose ``unit`` may be empty.
    ``utc_seconds`` (since 1970, by the clock that measured) ascend strictly, ``values`` are as many, NaN where the file
    has none. A value stands for the time since the one before, as the counters of hosts do. Raises ``ValueError``.
    """

    source: str
    device: str
    name: str
    unit: str
    utc_seconds: Values
    values: Values

    def __post_init__(self) -> None:
        if len(self.utc_seconds) != len(self.values):
            raise ValueError(f"{len(self.utc_seconds)} times for {len(self.values)} values")
        if not (np.diff(self.utc_seconds) > 0).all():
            raise ValueError("the times do not ascend")

    @property
    def label(self) -> str:
        """The text in a legend: ``Disk reads sda``."""
        return f"{self.name} {self.device}".rstrip()

    @cached_property
    def interval_seconds(self) -> float | None:
        """The median time between two samples; ``None`` with fewer than two."""
        return float(np.median(np.diff(self.utc_seconds))) if len(self.utc_seconds) > 1 else None

    @cached_property
    def begins(self) -> Values:
        """The time from which each value holds: that of the sample before, or one interval earlier if there is none or
        a gap."""
        interval = 1.0 if self.interval_seconds is None else self.interval_seconds
        if not len(self.utc_seconds):
            return self.utc_seconds
        before = np.concatenate(([-np.inf], self.utc_seconds[:-1]))
        begins: Values = np.where(self.after_gap, self.utc_seconds - interval, before)
        return begins

    @cached_property
    def after_gap(self) -> Flags:
        """Whether samples are missing before each one: more than one and a half intervals; true for the first."""
        limit = GAP_INTERVALS * (self.interval_seconds or 0.0)
        return np.concatenate(([True], np.diff(self.utc_seconds) > limit))[: len(self.utc_seconds)]

    def drawn(self, epoch_utc_seconds: float, shift_seconds: float = 0.0) -> tuple[Values, Values]:
        """The curve on a run's time axis, as (seconds since its epoch, values), with a NaN in each gap.

        ``shift_seconds`` is added to the series' times.
        """
        offset = shift_seconds - epoch_utc_seconds
        gaps = np.flatnonzero(self.after_gap)[1:]
        seconds: Values = np.insert(self.utc_seconds, gaps, self.begins[gaps]) + offset
        return seconds, np.insert(self.values, gaps, np.nan)


def by_second(series: HostSeries, epoch_utc_seconds: float, seconds: int, shift_seconds: float = 0.0) -> Rates:
    """The values in the middle of each of the first ``seconds`` of a run whose second 0 began at ``epoch_utc_seconds``.

    NaN where unknown: in the series' gaps, and before and after it. ``shift_seconds`` is added to the series' times.
    """
    middles = np.arange(seconds) + 0.5 + epoch_utc_seconds - shift_seconds
    places = np.searchsorted(series.utc_seconds, middles, side="left")
    values: Rates = np.full(seconds, np.nan)
    inside = np.flatnonzero(places < len(series.utc_seconds))
    holding = inside[series.begins[places[inside]] <= middles[inside]]
    values[holding] = series.values[places[holding]]
    return values
