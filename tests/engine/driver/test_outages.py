"""Whole runs through outages of a real server: what is counted, what the probe sees, and that everybody comes back."""

import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import psutil
import pytest

from engine.analysis.probe_series import Outage, ProbeSeries
from engine.databases.database import Timeouts
from engine.driver.messages import ProbedStore
from engine.record import RunState
from engine.sample import EventKind, Sample
from engine.target import Target
from tests.doubles.frozen import frozen, session_process
from tests.doubles.proxy import SilentProxy
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import MIX, OVER_SECONDS, Gathering, run_of, start_of, wait_for_state
from tests.waiting import wait_until

THREADS = 8
PATIENT = Timeouts(connect_seconds=5.0, statement_seconds=30.0, silence_seconds=10.0)
IMPATIENT = Timeouts(connect_seconds=1.0, statement_seconds=0.1, silence_seconds=5.0)
"""With these a call is cut 2.1 s after it began."""
THINK_TIME_MS = 250
MARGIN_SECONDS = 0.35
"""How far an outage that the probe saw may be from what was done: two slots, and what this machine is busy with."""


class Drill:
    """A run of one client until it is stopped, with its store probed."""

    def __init__(self, store: BuiltStore, target: Target, timeouts: Timeouts) -> None:
        self.sink = Gathering()
        self.store = store
        self.orders_before = store.count("orders")
        start = start_of(target, store.secret, threads=THREADS, timeouts=timeouts)
        start = replace(start, mix=replace(MIX, think_time_ms=THINK_TIME_MS))
        probed = ProbedStore(number=1, target=target, secret=store.secret)
        self.run = run_of(start, sink=self.sink, warmup_seconds=0, measured_seconds=0, stores=[probed])

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
        return time.monotonic() - self.run.epoch

    def await_users(self) -> list[Sample]:
        """Wait until no user is without a connection; the samples so far."""
        self.let_pass(1)
        wait_until(lambda: self.sink.samples[-1].reconnecting == 0, "all users are back")
        return list(self.sink.samples)

    def end(self) -> None:
        self.run.stop()
        assert self.run.wait(OVER_SECONDS)
        assert self.run.state is RunState.STOPPED
        assert [farewell.unfinished_users for farewell in self.run.farewells] == [0]

    def outages(self) -> list[Outage]:
        series = ProbeSeries()
        for sample in self.sink.probes:
            series.add(sample)
        return series.outages(1)

    def check_books(self) -> None:
        """Every acknowledged order is there, and beyond them at most those in doubt."""
        acknowledged = self.sink.total("purchases") - self.sink.total("rollbacks")
        stored = self.store.count("orders") - self.orders_before
        assert acknowledged <= stored <= acknowledged + self.sink.total("in_doubt")


@contextmanager
def drilled(store: BuiltStore, timeouts: Timeouts, target: Target | None = None) -> Iterator[Drill]:
    drill = Drill(store, target or store.target, timeouts)
    try:
        drill.begin()
        yield drill
        drill.end()
    finally:
        drill.run.stop_now()
        drill.run.wait(OVER_SECONDS)
    drill.check_books()


def froze(drill: Drill, seconds: int) -> tuple[float, float]:
    """Freeze the server until so many seconds are told; when that began and ended, in seconds of the run."""
    with drill.store.connect() as connection:
        hold: AbstractContextManager[None] = frozen(connection)
        with hold:
            began = drill.at()
            drill.let_pass(seconds)
            ended = drill.at()
    return began, ended


def assert_seen(drill: Drill, began: float, ended: float) -> None:
    (outage,) = drill.outages()
    assert outage.begin == pytest.approx(began, abs=MARGIN_SECONDS)
    assert outage.end == pytest.approx(ended, abs=MARGIN_SECONDS)


def test_a_freeze_within_everybodys_patience_is_a_gap_and_nothing_else(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT) as drill:
        began, ended = froze(drill, 4)
        drill.let_pass(2)

    assert_seen(drill, began, ended)
    assert drill.sink.total("in_doubt") == drill.sink.total("reconnects") == 0
    assert set(drill.sink.errors()) <= {"deadlock"}
    gap = [sample for sample in drill.sink.samples if began < sample.second and sample.second + 1 < ended]
    assert gap
    assert {sample.orders for sample in gap} == {0}
    assert {sample.working + sample.thinking for sample in gap} == {THREADS}


def test_a_freeze_beyond_their_patience_cuts_the_users_and_they_come_back_without_a_burst(
    built_store: BuiltStore,
) -> None:
    with drilled(built_store, IMPATIENT) as drill:
        usual = max(sample.orders for sample in drill.sink.samples)
        began, ended = froze(drill, 5)
        samples = drill.await_users()
        drill.let_pass(3)

    assert_seen(drill, began, ended)
    sink = drill.sink
    assert sink.total("reconnects") >= THREADS
    assert sink.errors()["timeout"] >= THREADS
    assert usual > 0
    after = [sample.orders for sample in sink.samples if sample.second >= int(ended)]
    # Each user thinks before it orders again; without that, all eight would order at once and more than usual.
    assert sum(after[:3]) <= 3 * 1.5 * usual
    assert sum(after) > 0
    assert samples[-1].working + samples[-1].thinking == THREADS

    (lost, *_), (*_, back) = sink.events_of(EventKind.CONNECTION_LOST), sink.events_of(EventKind.CONNECTION_BACK)
    assert began < lost.at_seconds < ended
    assert ended <= back.at_seconds
    assert "first after" in back.detail
    assert "last" in back.detail


def test_a_network_that_falls_silent_costs_no_user_for_good(built_store: BuiltStore) -> None:
    (server,) = built_store.target.hosts
    with (
        SilentProxy(server) as proxy,
        drilled(built_store, IMPATIENT, replace(built_store.target, hosts=(proxy.host,))) as drill,
    ):
        began = drill.at()
        assert proxy.silence() >= THREADS + 1
        drill.let_pass(4)
        drill.await_users()
        drill.let_pass(2)

    (outage,) = drill.outages()
    assert outage.begin == pytest.approx(began, abs=MARGIN_SECONDS)
    assert outage.end == pytest.approx(began + 1.0, abs=0.2 + MARGIN_SECONDS)  # then the probe has connected anew
    assert drill.sink.total("reconnects") == THREADS
    (back,) = drill.sink.events_of(EventKind.CONNECTION_BACK)
    assert back.detail.startswith(f"{THREADS} users: first after")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_a_killed_session_takes_all_the_others_along_and_all_come_back(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT) as drill:
        with built_store.connect() as connection:
            session_process(connection).kill()
        drill.let_pass(2)
        drill.await_users()

    assert drill.sink.total("reconnects") >= THREADS
    assert all(outage.end is not None for outage in drill.outages())
    (lost, *_) = drill.sink.events_of(EventKind.CONNECTION_LOST)
    assert lost.label == f"connection lost ×{THREADS}"


def test_a_run_that_loses_its_probe_says_so_and_goes_on(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT) as drill:
        (probe,) = (
            child
            for child in psutil.Process().children()
            if child.pid not in drill.run.client_pids.values() and b"spawn_main" in " ".join(child.cmdline()).encode()
        )
        probe.kill()
        wait_until(lambda: drill.sink.events_of(EventKind.WARNING), "the loss is told")
        samples = len(drill.sink.samples)
        wait_until(lambda: len(drill.sink.samples) >= samples + 2, "the run goes on")

    (warning,) = drill.sink.events_of(EventKind.WARNING)
    assert (warning.label, "signal 9" in warning.detail) == ("the probe is lost", True)
