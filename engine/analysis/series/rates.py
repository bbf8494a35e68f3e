"""Counts by client and second, and the rates computed from them, the same during a run and for a stored one.

A second without a sample is unknown: NaN in a client's series, and in the total only where no client is known. The
headline metric, such as OPM, has three readings, here in orders per minute:

- running: floor(60 × orders ÷ seconds) since the measuring phase began, as DVD Store 2 prints it; a metric with
  decimals is rounded down to these;
- now: 60 × the orders of one second;
- window: 60 × the mean of the known seconds of a sliding window, which does not extend beyond the begin of its phase.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

from engine.analysis.headline import Headline
from engine.analysis.series.blocks import CountBlock, Seconds, Whole, block_of
from engine.analysis.series.field_counts import CHUNK_SECONDS, FieldCounts
from engine.telemetry.sample import COUNTS, CountNames, Sample
from engine.workload.transaction import Metric

Rates = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64 | np.int64]
"""Of a metric: whole numbers, unless it has decimals."""
Known = npt.NDArray[np.bool_]
FIELDS = tuple(name for name in COUNTS if name != "covers")
_LEVELS = ("working", "thinking", "inactive", "reconnecting", "down", "queue", "backlog")
_LONGEST = CountNames.of("").max_us
_FIRST_SECONDS = 600


class Series:
    """The counts of all samples of a run, for clients numbered from 1 to ``clients``.

    24 clients take 8.3 MB a day for every field that isn't zero throughout, twice that when it outgrows 32 bits.
    """

    def __init__(self, clients: int, *, seconds_hint: int = 0) -> None:
        """``seconds_hint`` is the probable length of the run; it may be longer."""
        self.clients = clients
        self.seconds = 0
        self._room = _in_chunks(max(_FIRST_SECONDS, seconds_hint))
        self._fields: dict[str, FieldCounts] = {}
        self._known = np.zeros((clients, self._room), dtype=np.bool_)
        self._last_known = [-1] * clients
        self._changed_from: int | None = None

    @classmethod
    def of(cls, clients: int, samples: Iterable[Sample]) -> "Series":
        series = cls(clients)
        for sample in samples:
            series.add(sample)
        return series

    def add(self, sample: Sample) -> None:
        """Add a sample, in any order.

        Its counts are spread evenly over the seconds that it covers; users by state and the longest response time are
        set in each of them.
        """
        if sample.covers != 1:
            self.add_block(block_of([sample]).counts)
            return
        row, second = sample.client - 1, sample.second
        self._note(row, second, second + 1)
        self._known[row, second] = True
        for name in FIELDS:
            if value := getattr(sample, name):
                self._field(name).add(row, second, value)
        for transaction, count in sample.transactions.items():
            for name, value in zip(_names_of(transaction), count[:3], strict=True):
                if value:
                    self._field(name).add(row, second, value)

    def add_block(self, block: CountBlock) -> None:
        """Add a block of a client's samples."""
        covers = block.counts.get("covers")
        if covers is None:
            return
        spans = None if bool((covers == 1).all()) else Spans(block.seconds, covers)
        seconds = block.seconds if spans is None else spans.seconds
        row, first, end = block.client - 1, int(seconds.min()), int(seconds.max()) + 1
        self._note(row, first, end)
        self._known[row, seconds] = True
        for name, values in block.counts.items():
            if name == "covers" or not values.any():
                continue
            if spans is None and len(seconds) == end - first:
                self._field(name).add_span(row, first, values)
            else:
                self._field(name).add_all(row, seconds, _over(spans, name, values))

    def count(self, field: str, *, client: int | None = None, first: int = 0, end: int | None = None) -> int:
        """The sum of a count over ``first <= second < end``, of one client or of all."""
        counts = self._fields.get(field)
        return 0 if counts is None else counts.sum(_rows(client), first, self._end(end))

    def largest(self, field: str, *, client: int | None = None, first: int = 0, end: int | None = None) -> int:
        counts = self._fields.get(field)
        return 0 if counts is None else int(counts.values(_rows(client), first, self._end(end)).max(initial=0))

    def known(self, client: int | None = None) -> Known:
        """Whether each second is known, of one client or of any; a view that must not be written to."""
        return self._known_between(client, 0, self.seconds)

    def by_second(self, field: str, client: int | None = None, *, first: int = 0, end: int | None = None) -> Rates:
        """A count second by second over ``first <= second < end``; NaN where it is unknown."""
        end = self._end(end)
        known = self._known_between(client, first, end)
        counts = self._fields.get(field)
        values: Rates
        if counts is None:
            values = np.zeros(len(known))
        elif client is None:
            values = counts.values(_rows(None), first, end).sum(axis=0, dtype=np.int64).astype(np.float64)
        else:
            values = counts.values(_rows(client), first, end)[0].astype(np.float64)
        values[~known] = np.nan
        return values

    def largest_by_second(self, field: str, *, first: int = 0, end: int | None = None) -> Rates:
        """The largest of all clients' counts by second over ``first <= second < end``; NaN where it is unknown."""
        end = self._end(end)
        known = self._known_between(None, first, end)
        counts = self._fields.get(field)
        values: Rates = np.zeros(len(known))
        if counts is not None:
            values = counts.values(_rows(None), first, end).max(axis=0).astype(np.float64)
        values[~known] = np.nan
        return values

    def last_known(self, client: int) -> int:
        """The last second with a sample of a client; -1 before the first."""
        return self._last_known[client - 1]

    def latest(self, field: str, client: int | None = None) -> int:
        """The sum of a count in each client's last known second: for users by state."""
        counts = self._fields.get(field)
        if counts is None:
            return 0
        rows = range(self.clients) if client is None else (client - 1,)
        return sum(counts.at(row, self._last_known[row]) for row in rows if self._last_known[row] >= 0)

    def take_changed_from(self) -> int | None:
        """The lowest second that changed since the last call; ``None`` when none did."""
        changed, self._changed_from = self._changed_from, None
        return changed

    def running(self, of: Headline, measuring_from: int, end: int, client: int | None = None) -> float | None:
        """The metric over the measured seconds before ``end``, floored; ``None`` before the first is over."""
        seconds = end - measuring_from
        if seconds <= 0:
            return None
        count = self.count(of.names.n, client=client, first=measuring_from, end=end)
        return of.metric.value(count, seconds)

    def window(
        self, of: Headline, end: int, window_seconds: int, client: int | None = None, *, not_before: int = 0
    ) -> float | None:
        """The metric over the known ones of the last ``window_seconds`` before ``end``; ``None`` when none is known.

        Seconds before ``not_before``, the begin of the phase, are left out.
        """
        counts = self.by_second(of.names.n, client, first=max(not_before, end - window_seconds), end=end)
        known = counts[~np.isnan(counts)]
        return of.metric.per_seconds * float(known.mean()) if len(known) else None

    def peak(self, of: Headline, first: int, end: int, window_seconds: int, client: int | None = None) -> float | None:
        """The highest value in a full window within ``first <= second < end``, floored; a short span is one window.

        An unknown second counts as 0 in its window, so that the peak was certainly reached.
        """
        counts = np.nan_to_num(self.by_second(of.names.n, client, first=first, end=end))
        window = min(window_seconds, len(counts))
        if window == 0:
            return None
        sums = np.convolve(counts, np.ones(window), mode="valid")
        return of.metric.value(int(sums.max()), window)

    def _field(self, name: str) -> FieldCounts:
        """The array of a field, allocated with its first count that isn't zero."""
        counts = self._fields.get(name)
        if counts is None:
            counts = self._fields[name] = FieldCounts(self.clients, self._room)
        return counts

    def _known_between(self, client: int | None, first: int, end: int) -> Known:
        if client is not None:
            return self._known[client - 1, first:end]
        known: Known = np.logical_or.reduce(self._known[:, first:end], axis=0)
        return known

    def _end(self, end: int | None) -> int:
        return self.seconds if end is None else min(end, self.seconds)

    def _note(self, row: int, first: int, end: int) -> None:
        """Allocate the seconds before ``end``, and note that those from ``first`` on change."""
        if end > self._room:
            self._grow(end)
        self.seconds = max(self.seconds, end)
        self._last_known[row] = max(self._last_known[row], end - 1)
        self._changed_from = first if self._changed_from is None else min(self._changed_from, first)

    def _grow(self, seconds: int) -> None:
        self._room = _in_chunks(max(seconds, 2 * self._room))
        known = np.zeros((self.clients, self._room), dtype=np.bool_)
        known[:, : self.seconds] = self._known[:, : self.seconds]
        self._known = known
        for counts in self._fields.values():
            counts.grow(self._room, self.seconds)


def metric_values(metric: Metric, counts: npt.NDArray[np.int64], seconds: npt.NDArray[np.int64]) -> Values:
    """The values of a metric, element by element, as ``Metric.value`` computes one of them."""
    if not metric.has_decimals:
        whole: Values = metric.per_seconds * counts // seconds
        return whole
    return _with_decimals(100 * metric.per_seconds * counts // seconds)


def rounded_down(metric: Metric, rates: Rates) -> Values:
    """Values of a metric with all their decimals, such as sums of means, as it has them."""
    if not metric.has_decimals:
        whole: Values = np.floor(rates).astype(np.int64)
        return whole
    return _with_decimals(np.floor(100 * rates).astype(np.int64))


def _with_decimals(hundredths: npt.NDArray[np.int64]) -> Values:
    values: Values = np.where(hundredths < 1_000, hundredths / 100, hundredths // 10 / 10)
    return values


class Spans:
    """The seconds that samples cover, concatenated: spreads counts over them.

    A sample covers the ``covers`` seconds that end with its own; one that covers more than there are begins at 0.
    """

    def __init__(self, seconds: Seconds, covers: Whole) -> None:
        lengths = np.minimum(covers.astype(np.int64), seconds + 1)
        self._sample = np.repeat(np.arange(len(seconds)), lengths)
        self._length = lengths[self._sample]
        self._place = np.arange(len(self._sample)) - (np.cumsum(lengths) - lengths)[self._sample]
        self.seconds: Seconds = (seconds + 1 - lengths)[self._sample] + self._place

    def hold(self, values: Whole) -> Seconds:
        """Each sample's value, repeated for every second that it covers."""
        return values.astype(np.int64)[self._sample]

    def spread(self, values: Whole) -> Seconds:
        """Each sample's count, spread over its seconds as evenly as integers allow."""
        counts = self.hold(values)
        parts: Seconds = counts * (self._place + 1) // self._length - counts * self._place // self._length
        return parts


def _over(spans: Spans | None, name: str, values: Whole) -> Whole:
    """A field's values over the seconds that their samples cover; without spans each covers its own."""
    if spans is None:
        return values
    return spans.hold(values) if name in _LEVELS or name.endswith(_LONGEST) else spans.spread(values)


_names_of = cache(CountNames.of)


def _rows(client: int | None) -> slice:
    return slice(None) if client is None else slice(client - 1, client)


def _in_chunks(seconds: int) -> int:
    return -(-seconds // CHUNK_SECONDS) * CHUNK_SECONDS
