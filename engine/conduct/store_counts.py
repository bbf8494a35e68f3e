"""The headline by the stores' own counts: read when measuring begins and when it ends, beside the clients' samples.

Called by the conductor, for workloads whose stores count what the headline does, such as orders numbered by district.
"""

import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from engine.conduct.preflight import CheckedStore
from engine.databases.database import Timeouts
from engine.databases.lease import OpenLease
from engine.driver.sinks import Sink
from engine.errors import TargetError, UserError
from engine.record.record import Phases, RunState
from engine.target.target import Target
from engine.workload.registry import find_workload

_READ_SECONDS = 10.0
_log = logging.getLogger(__name__)


class _Reading(NamedTuple):
    """A store's high water and the moment, in seconds of the monotonic clock."""

    high_water: int
    at: float


class StoreCounts(Sink):
    """A ``Sink`` that has the stores' high water read, each by a thread of its own.

    Each connects while the users do, so that it reads within milliseconds of the beginning and the end of measuring.
    The rate is that between the two moments of reading. Stores that don't count the headline of their workload are left
    out.
    """

    def __init__(self, stores: Mapping[Target, CheckedStore], timeouts: Timeouts) -> None:
        metrics = {planned: find_workload(checked.state.workload).headline for planned, checked in stores.items()}
        counting = {planned: metric for planned, metric in metrics.items() if metric.counted_by_store}
        self._metrics = {planned.url: metric for planned, metric in counting.items()}
        self._readers = {planned.url: _Reader(stores[planned], timeouts) for planned in counting}

    def set_state(self, state: RunState, _phases: Phases) -> None:
        for reader in self._readers.values():
            if state in (RunState.RAMPING, RunState.STARTING):
                reader.connect()
            elif state is RunState.MEASURING:
                reader.begin()
            elif state is RunState.STOPPING or state.is_final:
                reader.end()

    def measures(self) -> dict[str, dict[str, str]]:
        """The headline of each store by its target's URL, under its name; empty for one that did not answer."""
        found = {}
        for url, reader in self._readers.items():
            first, last = reader.readings()
            if first is not None and last is not None and last.at > first.at:
                metric = self._metrics[url]
                rate = metric.per_seconds * (last.high_water - first.high_water) / (last.at - first.at)
                found[url] = {metric.by_store_label: str(int(rate))}
        return found


class _Reader:
    """Reads one store, on a thread of its own that does one thing after the other; no method waits but ``readings``."""

    def __init__(self, checked: CheckedStore, timeouts: Timeouts) -> None:
        self._checked = checked
        self._timeouts = timeouts
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-counts")
        self._table: OpenLease | None = None
        self._connecting: Future[None] | None = None
        self._first: Future[_Reading | None] | None = None
        self._last: Future[_Reading | None] | None = None

    def connect(self) -> None:
        if self._connecting is None:
            self._connecting = self._thread.submit(self._connect)

    def begin(self) -> None:
        if self._first is None:
            self._first = self._thread.submit(self._read)

    def end(self) -> None:
        """Read a last time, if measuring has begun, and disconnect."""
        if self._last is not None:
            return
        self._last = self._thread.submit(self._read if self._first is not None else _nothing)
        self._thread.submit(self._disconnect)
        self._thread.shutdown(wait=False)

    def readings(self) -> tuple[_Reading | None, _Reading | None]:
        """The first and the last reading, ``None`` where there is none; waits for them."""
        return (_result(self._first), _result(self._last))

    def _connect(self) -> None:
        try:
            self._table = self._opened()
        except (TargetError, UserError) as error:
            _log.info("the numbers of a store can't be read: %s", error)

    def _read(self) -> _Reading | None:
        """A reading, over a new connection where the one from before was lost, as in a failover."""
        try:
            if self._table is not None:
                try:
                    return _reading(self._table)
                except TargetError:
                    self._disconnect()
            self._table = self._opened()
            return None if self._table is None else _reading(self._table)
        except (TargetError, UserError) as error:
            _log.info("the numbers of a store were not read: %s", error)
            return None

    def _opened(self) -> OpenLease | None:
        return self._checked.endpoint.store(self._timeouts, self._checked.state.workload).open_lease()

    def _disconnect(self) -> None:
        if self._table is not None:
            table, self._table = self._table, None
            table.close()


def _reading(table: OpenLease) -> _Reading | None:
    with table.in_time(_READ_SECONDS):
        began = time.monotonic()
        identity = table.identity()
        return None if identity is None else _Reading(identity[1], (began + time.monotonic()) / 2)


def _nothing() -> None:
    """There is nothing to read."""


def _result(reading: Future[_Reading | None] | None) -> _Reading | None:
    return None if reading is None else reading.result()
