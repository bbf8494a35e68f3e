"""The times in which a host's counter was over a limit, with hysteresis; called by the findings about hosts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.analysis.host.figures import UtcSpan
from engine.analysis.host.series import HostSeries


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A time over the limit begins with a value of ``enter`` or more, and ends with one below ``leave`` or with a gap.

    It counts when it lasts ``least_seconds``.
    """

    enter: float
    leave: float
    least_seconds: float


@dataclass(frozen=True, kw_only=True)
class BusyTime:
    """One such time, UTC seconds: ``first <= t < end``; the mean of its values by time, and the highest."""

    first: float
    end: float
    mean: float
    highest: float

    @property
    def seconds(self) -> float:
        return self.end - self.first


def busy_times(series: HostSeries, limit: Limit, span: UtcSpan, shift_seconds: float = 0.0) -> list[BusyTime]:
    """The times in a span in which a series was over a limit, in order.

    Values at the ends of the span count as far as they are in it. ``shift_seconds`` is added to the series' times.
    """
    begins = np.clip(series.begins + shift_seconds, span.first, span.end)
    ends = np.clip(series.utc_seconds + shift_seconds, span.first, span.end)
    with np.errstate(invalid="ignore"):
        is_high = (series.values >= limit.leave) & (ends > begins)
    places = np.flatnonzero(is_high)
    if not len(places):
        return []
    # A run of high values is broken by a lower or unknown value, and by a gap.
    is_first = np.concatenate(([True], np.diff(places) > 1)) | series.after_gap[places]
    parts = np.split(places, np.flatnonzero(is_first)[1:])
    return [found for part in parts for found in _time(series, limit, part, begins, ends)]


def _time(
    series: HostSeries, limit: Limit, places: np.ndarray, begins: np.ndarray, ends: np.ndarray
) -> Iterator[BusyTime]:
    entering = np.flatnonzero(series.values[places] >= limit.enter)
    if not len(entering):
        return
    held = places[entering[0] :]
    first, end = float(begins[held[0]]), float(ends[held[-1]])
    if end - first >= limit.least_seconds:
        values = series.values[held]
        mean = float(np.average(values, weights=ends[held] - begins[held]))
        yield BusyTime(first=first, end=end, mean=mean, highest=float(values.max()))
