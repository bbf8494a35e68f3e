"""The headline rate of every client and of all, second by second, as the charts draw it; updated in place.

Unknown seconds are gaps in all readings; in the total only where no client is known. Also gaps are the seconds of the
ramp before the first order, and those after the load was stopped, since the first of them is not whole.
``engine.analysis.series.rates`` defines the readings. A window does not extend beyond the begin of its phase: the ramp
has no orders, and with it the curve would climb for the length of the window. Until the phase has that length the
window is shorter.
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from engine.analysis.figures import WINDOW_SECONDS
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates, metric_values
from engine.record.record import Phases

_FIRST_ROOM = 1_024


class Reading(StrEnum):
    """The way in which orders become a rate, such as orders per minute."""

    RUNNING = "running"
    SECOND = "second"
    WINDOW = "window"


class HeadlineCurves:
    """The curves of one run. Row 0 is the total, the others are the clients; columns are seconds.

    The sums of orders from the start are kept, so that an update costs only what changed, and another reading needs no
    samples.
    """

    def __init__(
        self, run_data: RunData, reading: Reading = Reading.WINDOW, window_seconds: int = WINDOW_SECONDS
    ) -> None:
        self.reading = reading
        self.window_seconds = window_seconds
        self.end = 0
        self._run_data = run_data
        self._metric = run_data.headline.metric
        self._phases = run_data.phases
        self._full_end = 0
        rows = len(run_data.clients) + 1
        # Column s of the sums is of the seconds before s.
        self._orders = np.zeros((rows, _FIRST_ROOM + 1), dtype=np.int64)
        self._known = np.zeros((rows, _FIRST_ROOM + 1), dtype=np.int32)
        self._values = np.full((rows, _FIRST_ROOM), np.nan)

    def set_reading(self, reading: Reading, window_seconds: int = WINDOW_SECONDS) -> None:
        """Change the reading of the same orders; a window has ``window_seconds``."""
        if (reading, window_seconds) != (self.reading, self.window_seconds):
            self.reading, self.window_seconds = reading, window_seconds
            self._read(0)

    def update(self, changed_from: int | None = 0) -> None:
        """Update from the run.

        ``changed_from`` is the lowest second that changed since the last update, ``None`` when none did. Changes of the
        phases are detected here.
        """
        old, self.end = self.end, self._run_data.end
        first = min(old, self.end, self.end if changed_from is None else changed_from)
        self._grow(self.end)
        if first < self.end:
            self._sum(first)
        phases, self._phases = self._phases, self._run_data.phases
        full_end, self._full_end = self._full_end, self._run_data.full_end
        if phases != self._phases:
            first = 0
        elif full_end != self._full_end:
            first = min(first, full_end, self._full_end)
        self._read(first)

    def total(self) -> Rates:
        """The rate of all clients by second, before ``end``. A view: copy what must last."""
        return self._values[0, : self.end]

    def client(self, number: int) -> Rates:
        """The rate of client ``number`` by second, before ``end``. A view: copy what must last."""
        if number < 1:
            raise IndexError(f"clients are numbered from 1, not {number}")
        return self._values[number, : self.end]

    def _sum(self, first: int) -> None:
        """Update the sums from ``first`` on, row by row, which makes better use of the processor's caches."""
        all_orders = np.zeros(self.end - first, dtype=np.int64)
        any_known = np.zeros(self.end - first, dtype=np.bool_)
        for client in self._run_data.clients:
            orders = self._run_data.series.by_second(
                self._run_data.headline.names.n, client.number, first=first, end=self.end
            )
            known = ~np.isnan(orders)
            orders[~known] = 0
            whole = orders.astype(np.int64)
            all_orders += whole
            any_known |= known
            self._carry(client.number, first, whole, known)
        self._carry(0, first, all_orders, any_known)

    def _carry(self, row: int, first: int, orders: npt.NDArray[np.int64], known: npt.NDArray[np.bool_]) -> None:
        for sums, counts in ((self._orders[row], orders), (self._known[row], known)):
            added = sums[first + 1 : self.end + 1]
            np.cumsum(counts, out=added)
            added += sums[first]

    def _read(self, first: int) -> None:
        """Compute the values from ``first`` on."""
        if first >= self.end:
            return
        begins = self._begins(first)
        for row in range(len(self._values)):
            values = self._values[row, first : self.end]
            is_running = self.reading is Reading.RUNNING
            values[:] = self._running(row, first) if is_running else self._window(row, first, begins)
            values[np.diff(self._known[row, first : self.end + 1]) == 0] = np.nan
            values[max(0, self._full_end - first) :] = np.nan
            ramp = max(0, min([self.end, *_begun(self._phases)]) - first)
            values[:ramp][self._orders[row, first + 1 : first + 1 + ramp] == 0] = np.nan

    def _window(self, row: int, first: int, begins: npt.NDArray[np.int64]) -> Rates:
        orders, known = (
            sums[first + 1 : self.end + 1] - sums[begins] for sums in (self._orders[row], self._known[row])
        )
        rates: Rates = self._metric.per_seconds * orders / np.maximum(known, 1)
        return rates

    def _begins(self, first: int) -> npt.NDArray[np.int64]:
        """The first second of the window that ends with each second from ``first`` on."""
        window = 1 if self.reading is Reading.SECOND else self.window_seconds
        seconds = np.arange(first, self.end)
        edges = np.array([0, *_begun(self._phases)])
        phase_begins = edges[np.searchsorted(edges, seconds, side="right") - 1]
        begins: npt.NDArray[np.int64] = np.maximum(seconds + 1 - window, phase_begins)
        return begins

    def _running(self, row: int, first: int) -> Rates:
        """DVD Store 2's figure after each measured second; NaN outside of the measuring phase."""
        values = np.full(self.end - first, np.nan)
        measuring_from = self._phases.measuring_from
        if measuring_from is None:
            return values
        measuring_to = self.end if self._phases.measuring_to is None else min(self.end, self._phases.measuring_to)
        begin = max(first, measuring_from)
        if begin < measuring_to:
            sums = self._orders[row]
            seconds = np.arange(begin + 1, measuring_to + 1) - measuring_from
            orders = sums[begin + 1 : measuring_to + 1] - sums[measuring_from]
            values[begin - first : measuring_to - first] = metric_values(self._metric, orders, seconds)
        return values

    def _grow(self, seconds: int) -> None:
        capacity = self._values.shape[1]
        if seconds > capacity:
            more = max(seconds - capacity, capacity)
            self._orders = np.pad(self._orders, ((0, 0), (0, more)))
            self._known = np.pad(self._known, ((0, 0), (0, more)))
            self._values = np.pad(self._values, ((0, 0), (0, more)), constant_values=np.nan)


def _begun(phases: Phases) -> list[int]:
    """The first seconds of the phases after the ramp, as far as they are known, in order."""
    begins = (phases.warming_up_from, phases.measuring_from, phases.measuring_to)
    return sorted(second for second in begins if second is not None)
