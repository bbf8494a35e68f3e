"""The headline by the stores' own counts: read when measuring begins and when it ends, beside the clients' samples.

Called by the conductor, for workloads whose stores count what the headline does, such as orders numbered by district.
"""

import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

from engine.conduct.preflight import CheckedStore
from engine.databases.database import Timeouts
from engine.errors import TargetError, UserError
from engine.record.record import Phases, RunState
from engine.target.target import Target
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationReport
from engine.workload.transaction import Metric

_READ_SECONDS = 10.0
_log = logging.getLogger(__name__)


class _Reading(NamedTuple):
    """A store's high water and the moment, in seconds of the monotonic clock."""

    high_water: int
    at: float


_Readings = Mapping[str, Future[_Reading | None]]


class StoreCounts:
    """A ``Sink`` that has the stores' high water read, each by a thread of its own."""

    def __init__(self, metric: Metric, stores: Mapping[Target, CheckedStore], timeouts: Timeouts) -> None:
        self._metric = metric
        self._stores = stores
        self._timeouts = timeouts
        self._readers = ThreadPoolExecutor(max(1, len(stores)), thread_name_prefix="store-counts")
        self._began: _Readings = {}
        self._ended: _Readings = {}

    def set_state(self, state: RunState, _phases: Phases) -> None:
        if state is RunState.MEASURING and not self._began:
            self._began = self._read_all()
        elif state is not RunState.MEASURING and self._began and not self._ended:
            self._ended = self._read_all()

    def measures(self) -> dict[str, dict[str, str]]:
        """The headline of each store by its target's URL, under its name; empty for one that did not answer."""
        found = {}
        for url, ended in self._ended.items():
            first, last = self._began[url].result(), ended.result()
            if first is not None and last is not None and last.at > first.at:
                rate = self._metric.per_seconds * (last.high_water - first.high_water) / (last.at - first.at)
                found[url] = {f"{self._metric.label} by the store's numbers": str(int(rate))}
        self._readers.shutdown(wait=False)
        return found

    def begin(self, started_at: datetime) -> None: ...

    def write_sample(self, sample: Sample) -> None: ...

    def write_probe(self, sample: ProbeSample) -> None: ...

    def write_workstation(self, report: WorkstationReport) -> None: ...

    def write_event(self, event: RunEvent) -> None: ...

    def remove_event(self, number: int) -> None: ...

    def _read_all(self) -> _Readings:
        return {planned.url: self._readers.submit(self._read, each) for planned, each in self._stores.items()}

    def _read(self, checked: CheckedStore) -> _Reading | None:
        try:
            table = checked.endpoint.store(self._timeouts, checked.state.workload).open_lease()
            try:
                with table.in_time(_READ_SECONDS):
                    identity = table.identity()
            finally:
                table.close()
        except (TargetError, UserError) as error:
            _log.info("the numbers of a store were not read: %s", error)
            return None
        return None if identity is None else _Reading(identity[1], time.monotonic())
