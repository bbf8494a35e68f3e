"""The readings of a run's collectors while it runs, by second and in bounded memory: what the Hosts view draws.

Only the figures that have a chart of their own are kept here; the library has all readings.
"""

import math
from dataclasses import dataclass

import numpy as np

from engine.analysis.host.chosen import ShownCounter
from engine.analysis.host.groups import panel_of
from engine.analysis.host.series import GAP_INTERVALS
from engine.analysis.series.rates import Rates
from engine.telemetry.host import CollectorStatus, HostReading, HostValue
from engine.telemetry.host_figure import SESSIONS, HostFigure

MOST_BINS = 7_200
_FIRST_BINS = 256
_LATE_SECONDS = 2.0


@dataclass(frozen=True)
class CounterKey:
    """A counter of a run: its collector's number, and its name for each device."""

    collector: int
    device: str
    name: str


class LiveCounter:
    """The values of one counter by second, at most ``MOST_BINS`` of them: a longer run is kept by two seconds, by four,
    and so on, each time as the mean of what is known."""

    def __init__(self, key: CounterKey, unit: str) -> None:
        self.key, self.unit = key, unit
        self.total, self.known_seconds = 0.0, 0
        self.newest, self.newest_at = math.nan, -math.inf
        self._bin_seconds = 1
        self._sums = np.zeros(_FIRST_BINS, dtype=np.float32)
        self._counts = np.zeros(_FIRST_BINS, dtype=np.uint32)

    @property
    def is_wait(self) -> bool:
        """Whether it counts what sessions of a database wait for."""
        return self.unit == SESSIONS

    @property
    def mean(self) -> float:
        """The mean of all known seconds; NaN without any."""
        return self.total / self.known_seconds if self.known_seconds else math.nan

    def add(self, value: float, at_seconds: float, interval_seconds: float) -> None:
        """Add a reading at a moment of the run: it stands for the time since the one before, after a gap for an
        interval. One that is not later than the one before is ignored."""
        if at_seconds <= self.newest_at or math.isnan(value):
            return
        is_continued = at_seconds - self.newest_at <= GAP_INTERVALS * interval_seconds
        # The seconds whose middle is in the time, as ``engine.analysis.host.series.by_second`` takes them.
        begin = math.floor(self.newest_at + 0.5) if is_continued else math.ceil(at_seconds - interval_seconds - 0.5)
        first, end = max(0, begin), math.floor(at_seconds + 0.5)
        self.newest, self.newest_at = value, at_seconds
        if end <= first:
            return
        self._make_room(end)
        for second in range(first, end):
            self._sums[second // self._bin_seconds] += value
            self._counts[second // self._bin_seconds] += 1
        self.total += value * (end - first)
        self.known_seconds += end - first

    def by_second(self, seconds: int) -> Rates:
        """The first ``seconds`` of the run; NaN where nothing is known."""
        values: Rates = np.full(-(-seconds // self._bin_seconds), np.nan)
        bins = min(len(self._sums), len(values))
        np.divide(self._sums[:bins], self._counts[:bins], out=values[:bins], where=self._counts[:bins] > 0)
        return np.repeat(values, self._bin_seconds)[:seconds]

    def now(self, at_seconds: float, interval_seconds: float) -> float | None:
        """The newest value, if it is not older than a reading may be."""
        is_new = at_seconds - self.newest_at <= GAP_INTERVALS * interval_seconds + _LATE_SECONDS
        return self.newest if is_new and not math.isnan(self.newest) else None

    def _make_room(self, end: int) -> None:
        while end > MOST_BINS * self._bin_seconds:
            self._sums, self._counts = _halved(self._sums), _halved(self._counts)
            self._bin_seconds *= 2
        needed = -(-end // self._bin_seconds)
        if needed > len(self._sums):
            more = min(MOST_BINS, max(needed, 2 * len(self._sums))) - len(self._sums)
            self._sums = np.concatenate([self._sums, np.zeros(more, dtype=self._sums.dtype)])
            self._counts = np.concatenate([self._counts, np.zeros(more, dtype=self._counts.dtype)])


class LiveHosts:
    """The collectors of a run by number, and what they have read."""

    def __init__(self) -> None:
        self.statuses: dict[int, CollectorStatus] = {}
        self.counters: dict[CounterKey, LiveCounter] = {}
        self._epoch: float | None = None

    def begin(self, epoch_utc_seconds: float) -> None:
        """Second 0 of the run begins at this moment; readings from before have no place on its axis."""
        self._epoch = epoch_utc_seconds

    def take(self, news: HostReading | CollectorStatus) -> None:
        """Replace the state of a collector, or add those values of a reading that have a chart."""
        if isinstance(news, CollectorStatus):
            self.statuses[news.number] = news
        elif self._epoch is not None:
            at_seconds, interval = news.utc_seconds - self._epoch, self._interval(news.collector)
            for value in news.values:
                if panel_of(value.name) is not None or value.unit == SESSIONS:
                    self._counter(news.collector, value).add(value.value, at_seconds, interval)

    def machine(self, collector: int) -> str:
        """The name of the machine that a collector reads."""
        status = self.statuses.get(collector)
        return f"collector {collector}" if status is None else status.machine

    def source(self, collector: int) -> str:
        """The way in which a collector reads its machine."""
        status = self.statuses.get(collector)
        return "" if status is None else status.source

    def shown_counters(self) -> list[ShownCounter]:
        """All counters, as ``DevicesInUse`` compares them."""
        return [
            ShownCounter(
                key=key,
                reader=key.collector,
                machine=self.machine(key.collector),
                device=key.device,
                name=key.name,
                mean=counter.mean,
            )
            for key, counter in self.counters.items()
        ]

    @property
    def has_power(self) -> bool:
        """Whether a meter or a management controller has ever been read."""
        return any(key.name == HostFigure.POWER for key in self.counters)

    def watts(self, at_seconds: float) -> float | None:
        """The power of all machines at a moment of the run, W; ``None`` unless each that is read is known.

        Of a machine with several readers those of one kind count, which are of its parts: meters rather than a
        management controller's slow averages.
        """
        by_machine: dict[str, dict[tuple[bool, str], list[float | None]]] = {}
        for key, counter in self.counters.items():
            if key.name == HostFigure.POWER:
                now = counter.now(at_seconds, self._interval(key.collector))
                kind = self._is_average(key.collector), self.source(key.collector)
                by_machine.setdefault(self.machine(key.collector), {}).setdefault(kind, []).append(now)
        watts = [_of_best(readers) for readers in by_machine.values()]
        known = [each for each in watts if each is not None]
        return sum(known) if known and len(known) == len(watts) else None

    def _is_average(self, collector: int) -> bool:
        status = self.statuses.get(collector)
        return status is not None and status.is_average

    def _interval(self, collector: int) -> float:
        status = self.statuses.get(collector)
        return 1.0 if status is None else status.interval_seconds

    def _counter(self, collector: int, value: HostValue) -> LiveCounter:
        key = CounterKey(collector, value.device, value.name)
        counter = self.counters.get(key)
        if counter is None:
            counter = self.counters[key] = LiveCounter(key, value.unit)
        return counter


def _of_best(readers: dict[tuple[bool, str], list[float | None]]) -> float | None:
    """The sum of all channels of the best kind of readers that is known now; slow averages are the last."""
    for _, values in sorted(readers.items(), key=lambda each: each[0][0]):
        channels = [each for each in values if each is not None]
        if len(channels) == len(values):
            return sum(channels)
    return None


def _halved(bins: np.ndarray) -> np.ndarray:
    even = bins if len(bins) % 2 == 0 else np.append(bins, bins.dtype.type(0))
    halved: np.ndarray = even.reshape(-1, 2).sum(axis=1, dtype=bins.dtype)
    return halved
