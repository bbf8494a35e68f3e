"""Counts by client and second, and the rates that follow from them: the same live and years later.

A second for which no sample came is unknown: it stays NaN in a client's series, and only where no client is known
does the total's. OPM has three readings, each in orders per minute:

- running: floor(60 × orders ÷ seconds) since the measuring phase began, as DVD Store 2 prints it;
- now: 60 × the orders of one second;
- window: 60 × the mean of the known seconds of a sliding window.
"""

from collections.abc import Iterable
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from engine.sample import Sample

Counts = npt.NDArray[np.int64]
Rates = npt.NDArray[np.float64]
FIELDS = tuple(
    field.name for field in fields(Sample) if field.name not in ("client", "second", "covers", "errors", "histogram")
)
_LEVELS = frozenset(("working", "thinking", "reconnecting", "down", "order_us_max"))
_FIRST_SECONDS = 600


class Series:
    """The whole numbers of every sample of a run, for clients numbered from 1 to ``clients``."""

    def __init__(self, clients: int) -> None:
        self.seconds = 0
        self._values = np.zeros((len(FIELDS), clients, _FIRST_SECONDS), dtype=np.int64)
        self._known = np.zeros((clients, _FIRST_SECONDS), dtype=np.bool_)

    @classmethod
    def of(cls, clients: int, samples: Iterable[Sample]) -> "Series":
        series = cls(clients)
        for sample in samples:
            series.add(sample)
        return series

    def add(self, sample: Sample) -> None:
        """Take a sample in, in any order.

        What it counts over several seconds is spread evenly over them; users by state and the longest response time
        hold for each of them.
        """
        self._grow(sample.second + 1)
        row = sample.client - 1
        first = max(0, sample.second + 1 - sample.covers)
        span = sample.second + 1 - first
        for number, name in enumerate(FIELDS):
            value = getattr(sample, name)
            if span == 1 or name in _LEVELS:
                self._values[number, row, first : sample.second + 1] += value
            elif value:
                self._values[number, row, first : sample.second + 1] += spread(value, span)
        self._known[row, first : sample.second + 1] = True

    def count(self, field: str, *, client: int | None = None, first: int = 0, end: int | None = None) -> int:
        """The sum of a count over ``first <= second < end``, of one client or of all."""
        return int(self._rows(field, client)[:, first : self.seconds if end is None else end].sum())

    def largest(self, field: str, *, client: int | None = None, first: int = 0, end: int | None = None) -> int:
        values = self._rows(field, client)[:, first : self.seconds if end is None else end]
        return int(values.max(initial=0))

    def by_second(self, field: str, client: int | None = None) -> Rates:
        """A count second by second; NaN where it is unknown."""
        rows = slice(None) if client is None else slice(client - 1, client)
        values: Rates = self._rows(field, client)[:, : self.seconds].sum(axis=0).astype(np.float64)
        values[~self._known[rows, : self.seconds].any(axis=0)] = np.nan
        return values

    def latest(self, field: str, client: int | None = None) -> int:
        """The count of each client's last known second, summed: for users by state."""
        rows = range(len(self._known)) if client is None else range(client - 1, client)
        number = FIELDS.index(field)
        total = 0
        for row in rows:
            known = np.flatnonzero(self._known[row, : self.seconds])
            total += int(self._values[number, row, known[-1]]) if len(known) else 0
        return total

    def opm_running(self, measuring_from: int, end: int, client: int | None = None) -> int | None:
        """DVD Store 2's figure for the measured seconds before ``end``; ``None`` before the first is over."""
        seconds = end - measuring_from
        if seconds <= 0:
            return None
        return 60 * self.count("orders", client=client, first=measuring_from, end=end) // seconds

    def opm_window(self, end: int, window_seconds: int, client: int | None = None) -> float | None:
        """OPM over the known seconds among the last ``window_seconds`` before ``end``; ``None`` when none is known."""
        orders = self.by_second("orders", client)[max(0, end - window_seconds) : end]
        known = orders[~np.isnan(orders)]
        return 60 * float(known.mean()) if len(known) else None

    def opm_peak(self, first: int, end: int, window_seconds: int, client: int | None = None) -> int | None:
        """The highest OPM of a full window within ``first <= second < end``, floored; a short span is one window.

        An unknown second adds nothing to its window, so that the peak is one that was surely reached.
        """
        orders = np.nan_to_num(self.by_second("orders", client)[first:end])
        window = min(window_seconds, len(orders))
        if window == 0:
            return None
        sums = np.convolve(orders, np.ones(window), mode="valid")
        return int(60 * sums.max() // window)

    def _rows(self, field: str, client: int | None) -> Counts:
        values: Counts = self._values[FIELDS.index(field)]
        return values if client is None else values[client - 1 : client]

    def _grow(self, seconds: int) -> None:
        self.seconds = max(self.seconds, seconds)
        room = self._known.shape[1]
        if seconds > room:
            more = max(seconds - room, room)
            self._values = np.concatenate([self._values, np.zeros((*self._values.shape[:2], more), np.int64)], axis=2)
            self._known = np.concatenate([self._known, np.zeros((len(self._known), more), np.bool_)], axis=1)


def spread(value: int, seconds: int) -> Counts:
    """A count over several seconds as whole numbers that add up to it, as even as they can be."""
    marks = np.arange(seconds + 1, dtype=np.int64) * value // seconds
    parts: Counts = np.diff(marks)
    return parts
