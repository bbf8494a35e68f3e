"""The figures of a running run, of a client or of all, from its samples as they come: what the live table shows."""

from collections import Counter, deque
from dataclasses import dataclass, field

from engine.analysis.latency import mean_ms, merged, percentile_ms
from engine.analysis.series import Series
from engine.record import Phases
from engine.sample import Sample

WINDOW_SECONDS = 10
USER_STATES = ("working", "thinking", "reconnecting", "down")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is known of one client, or of all, at a moment; ``None`` is not known.

    ``orders`` and ``rollback_pct`` count from the reset of the statistics, before it from the start; ``errors`` are
    all since the start; response times, milliseconds, are of the last ``WINDOW_SECONDS``.
    """

    opm_running: int | None
    opm_now: float | None
    opm_window: float | None
    orders: int
    rollback_pct: float | None
    mean_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    errors: dict[str, int] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)


class LiveFigures:
    """Takes in the samples of clients 1 to ``clients``; ``phases`` is kept up to date by its owner."""

    def __init__(self, clients: int) -> None:
        self.phases = Phases()
        self._series = Series(clients)
        self._recent: deque[Sample] = deque()
        self._newest: dict[int, Sample] = {}
        self._errors: dict[int, Counter[str]] = {number: Counter() for number in range(1, clients + 1)}

    def add(self, sample: Sample) -> None:
        self._series.add(sample)
        self._recent.append(sample)
        self._errors[sample.client].update(sample.errors)
        newest = self._newest.get(sample.client)
        if newest is None or newest.second < sample.second:
            self._newest[sample.client] = sample

    @property
    def elapsed_seconds(self) -> int:
        """The seconds since the run's epoch that samples tell of."""
        return self._series.seconds

    @property
    def end(self) -> int:
        """The second before which everything is known, and measured if measuring is over.

        The newest second is taken only when every client that told of the one before has told of it: half of the
        clients would look like half of the orders.
        """
        newest = self._series.seconds
        present = [sample.second for sample in self._newest.values() if sample.second >= newest - 2]
        known = newest if all(second == newest - 1 for second in present) else newest - 1
        return known if self.phases.measuring_to is None else min(known, self.phases.measuring_to)

    def of(self, client: int | None) -> Figures:
        """The figures of one client, or of all."""
        end, series = self.end, self._series
        while self._recent and self._recent[0].second < end - WINDOW_SECONDS:
            self._recent.popleft()
        recent = [s for s in self._recent if client in (None, s.client) and end - WINDOW_SECONDS <= s.second < end]
        times = merged(sample.histogram for sample in recent)
        first = self._first(end)
        orders = series.count("orders", client=client, first=first, end=end)
        rollbacks = series.count("rollbacks", client=client, first=first, end=end)
        return Figures(
            opm_running=self._running(client, end),
            opm_now=series.opm_window(end, 1, client),
            opm_window=series.opm_window(end, WINDOW_SECONDS, client),
            orders=orders,
            rollback_pct=100 * rollbacks / orders if orders else None,
            mean_ms=mean_ms(sum(s.order_us for s in recent), sum(s.orders for s in recent)),
            p95_ms=percentile_ms(times, 95),
            p99_ms=percentile_ms(times, 99),
            errors=self._errors_of(client),
            users=self._users_of(client),
        )

    def _first(self, end: int) -> int:
        measuring_from = self.phases.measuring_from
        return measuring_from if measuring_from is not None and measuring_from < end else 0

    def _running(self, client: int | None, end: int) -> int | None:
        if self.phases.measuring_from is None:
            return None
        return self._series.opm_running(self.phases.measuring_from, end, client)

    def _errors_of(self, client: int | None) -> dict[str, int]:
        total: Counter[str] = Counter()
        for number, counts in self._errors.items():
            if client in (None, number):
                total.update(counts)
        return dict(total.most_common())

    def _users_of(self, client: int | None) -> dict[str, int]:
        newest = [sample for number, sample in self._newest.items() if client in (None, number)]
        return {state: sum(getattr(sample, state) for sample in newest) for state in USER_STATES}
