"""Runs of one client through an outage of a real server, until they are stopped, with their store probed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from engine.analysis.series.probes import LEAST_OUTAGE_SECONDS, Outage, ProbeSeries
from engine.databases.database import Timeouts
from engine.driver.link import Launcher
from engine.driver.messages import ProbedStore
from engine.record.record import RunState
from engine.target.target import Target
from engine.telemetry.sample import Sample
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of, wait_for_state
from tests.lateness import Lateness, measured_lateness
from tests.waiting import wait_until

THREADS = 8
PATIENT = Timeouts(connect_seconds=5.0, statement_seconds=30.0, silence_seconds=10.0)
IMPATIENT = Timeouts(connect_seconds=1.0, statement_seconds=0.1, silence_seconds=5.0)
"""With these a call is cut 2.1 s after it began."""
THINK_TIME_MS = 250
MARGIN_SECONDS = 0.35
"""How far an outage that the probe saw may be from what was done, on a machine that has nothing else to do."""


class Drill:
    """A run of one client until it is stopped, with its store probed."""

    def __init__(
        self,
        store: BuiltStore,
        target: Target,
        timeouts: Timeouts,
        think_time_ms: float,
        lateness: Lateness,
        placement: Mapping[int, Launcher] | None = None,
    ) -> None:
        self.sink = Gathering()
        self._lateness = lateness
        self.store = store
        self.orders_before = store.count("orders")
        start = start_of(target, store.secret, threads=THREADS, timeouts=timeouts)
        start = replace(start, think_time_ms=think_time_ms)
        probed = ProbedStore(number=1, target=target, secret=store.secret)
        self.run = run_of(
            start, sink=self.sink, warmup_seconds=0, measured_seconds=0, stores=[probed], placement=placement
        )

    def begin(self) -> None:
        self.run.start()
        wait_for_state(self.sink, RunState.MEASURING)
        self.let_pass(3)

    def let_pass(self, seconds: int) -> None:
        """Wait until so many more seconds of the client and of the probe are told."""
        sink = self.sink
        samples, probes = len(sink.samples) + seconds, len(sink.probes) + seconds
        wait_until(lambda: len(sink.samples) >= samples and len(sink.probes) >= probes, "the seconds pass")

    def at(self) -> float:
        return self.run.timebase.at(time.monotonic())

    def await_users(self) -> list[Sample]:
        """Wait until no user is without a connection; the samples so far."""
        self.let_pass(1)
        wait_until(lambda: self.sink.samples[-1].reconnecting == 0, "all users are back")
        return list(self.sink.samples)

    def end(self) -> None:
        self.run.stop()
        assert self.run.wait(OVER_SECONDS)
        assert self.run.state is RunState.STOPPED
        assert [summary.unfinished_users for summary in self.sink.last_summaries()] == [0]

    @property
    def margin_seconds(self) -> float:
        """How far an outage that the probe saw may be from what was done, beside what else this machine did."""
        return MARGIN_SECONDS + 2 * self._lateness.worst_seconds

    def outages(self, *, least_seconds: float = LEAST_OUTAGE_SECONDS) -> list[Outage]:
        """What the probe saw, but for what this machine's own lateness can look like."""
        return self._outages(max(least_seconds, 2 * self._lateness.worst_seconds))

    def outage_at(self, second: float) -> Outage:
        """The outage that the probe saw in this moment, however short it was."""
        outages = self._outages(LEAST_OUTAGE_SECONDS)
        (found,) = (each for each in outages if each.begin <= second and (each.end is None or second <= each.end))
        return found

    def _outages(self, least_seconds: float) -> list[Outage]:
        series = ProbeSeries()
        for sample in tuple(self.sink.probes):
            series.add(sample)
        return series.outages(1, least_seconds=least_seconds)

    def check_books(self) -> None:
        """Every acknowledged order is there, and beyond them at most those in doubt."""
        acknowledged = self.sink.total("purchases") - self.sink.total("rollbacks")
        stored = self.store.count("orders") - self.orders_before
        assert acknowledged <= stored <= acknowledged + self.sink.total("in_doubt")


@contextmanager
def drilled(
    store: BuiltStore,
    timeouts: Timeouts,
    target: Target | None = None,
    *,
    think_time_ms: float = THINK_TIME_MS,
    placement: Mapping[int, Launcher] | None = None,
) -> Iterator[Drill]:
    with measured_lateness() as lateness:
        drill = Drill(store, target or store.target, timeouts, think_time_ms, lateness, placement)
        try:
            drill.begin()
            yield drill
            drill.end()
        finally:
            drill.run.stop_now()
            drill.run.wait(OVER_SECONDS)
    drill.check_books()
