"""A client process by itself: the test is the run at the other end of its pipe."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engine.audit.ledger_reading import read_ledger
from engine.databases.database import Timeouts
from engine.databases.rounds import are_compiled
from engine.driver.child_process import process_context
from engine.driver.client_process import run_clients
from engine.driver.messages import (
    AllConnected,
    Begin,
    ClientStart,
    HealthReport,
    Ready,
    StartOrdering,
    Stop,
)
from engine.driver.start_gate import Pace
from engine.driver.tally import SecondTally
from engine.driver.time_slices import MAIN_THREAD_TIME_SLICE_US, SHARED_TIME_SLICE_US
from engine.driver.timebase import Timebase
from engine.driver.user_loop import UserLoop
from engine.histogram import unpack
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.telemetry.workstation import ProcessSummary
from engine.workloads.dvdstore.transactions import TRANSACTIONS
from tests.doubles.proxy import SilentProxy
from tests.engine.conftest import BuiltStore
from tests.engine.driver.kernel_time_slices import all_time_slices_us, needs_time_slices, policies, time_slice_us
from tests.engine.driver.runs import PARAMETERS, USERS_THERE, start_of
from tests.waiting import wait_until

WAIT_SECONDS = 120.0
THREADS = 4
TURN_US = 450


class Client:
    """A client process and all its messages."""

    def __init__(self, *starts: ClientStart, main: Callable[..., None] = run_clients, context: Any = None) -> None:
        context = context or process_context()
        self.pipe: Connection[Any, Any]
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=main, args=(theirs, starts), daemon=True)
        self.process.start()
        theirs.close()
        self.heard: list[Any] = []
        self._to_hear: deque[Any] = deque()

    def listen_until(self, enough: Callable[[Any], bool]) -> None:
        """Receive the client's messages until the awaited one has come."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.heard or not enough(self.heard[-1]):
            while not self._to_hear:
                assert self.pipe.poll(max(0.0, deadline - time.monotonic())), f"waited in vain; heard {self.heard}"
                self._to_hear.extend(self.pipe.recv())
            self.heard.append(self._to_hear.popleft())

    def begin(self, *, go: bool = True, loops: int = 1, users_may_preempt: bool = True) -> None:
        """Fix the epoch; without ``go`` the users connect and wait."""
        self.listen_until(lambda message: isinstance(message, Ready))
        timebase = Timebase(time.monotonic() + 0.1)
        self.pipe.send(
            Begin(timebase=timebase, user_time_slice_us=TURN_US, users_may_preempt=users_may_preempt, loops=loops)
        )
        if go:
            self.pipe.send(StartOrdering(at_seconds=0.0, measuring_from=0, pace=Pace()))

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.heard if isinstance(message, kind)]

    def exit_code(self) -> int | None:
        self.process.join(WAIT_SECONDS)
        return self.process.exitcode


@pytest.fixture
def launch() -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def launched(*starts: ClientStart, **values: Any) -> Client:
        clients.append(Client(*starts, **values))
        return clients[-1]

    yield launched
    for client in clients:
        client.pipe.close()
        client.process.kill()
        client.process.join(WAIT_SECONDS)
        client.process.close()


Launch = Callable[..., Client]


def start(store: BuiltStore, **values: Any) -> ClientStart:
    return start_of(store.target, store.secret, threads=THREADS, **values)


def at_work(client: Client) -> Client:
    """The client, once its users have ordered something."""
    client.begin()
    client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)
    return client


def test_client_sends_ready_samples_and_an_end_message(built_store: BuiltStore, launch: Launch) -> None:
    client_start = start(built_store)
    client = launch(client_start)
    client.begin()
    client.listen_until(lambda _: client.of(AllConnected) and any(sample.second >= 1 for sample in client.of(Sample)))
    client.pipe.send(Stop(within_seconds=10))
    client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    assert client.exit_code() == 0
    assert client.heard[0] == Ready(pid=client.process.pid)
    assert client.of(AllConnected) == [AllConnected(client=1)]
    seconds = [sample.second for sample in client.of(Sample)]
    assert seconds == list(range(len(seconds)))
    assert client.heard[-1].unfinished_users == 0


@pytest.mark.parametrize("loops", [1, 2])
def test_clients_of_one_process_send_separate_samples(
    built_store: BuiltStore, launch: Launch, tmp_path: Path, loops: int
) -> None:
    starts = [
        replace(start_of(built_store.target, built_store.secret, client=number, threads=number), ledger=str(path))
        for number in (2, 3)
        for path in [tmp_path / "a-run" / f"client-{number}.ledger"]
    ]
    before = built_store.count("orders")
    process = launch(*starts)
    process.begin(loops=loops)
    process.listen_until(lambda _: {sample.client for sample in process.of(Sample) if sample.of("order").n} == {2, 3})
    process.pipe.send(Stop(within_seconds=10))
    process.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    assert process.exit_code() == 0
    assert len(process.of(Ready)) == 1
    assert sorted(connected.client for connected in process.of(AllConnected)) == [2, 3]
    placed = 0
    for number in (2, 3):
        samples = [sample for sample in process.of(Sample) if sample.client == number]
        assert [sample.second for sample in samples] == list(range(len(samples)))
        assert {sample.thinking + sample.working + sample.down for sample in samples} == {number}, "its own users"
        ledger = read_ledger(tmp_path / "a-run" / f"client-{number}.ledger", "a-run", number)
        assert ledger.is_complete
        assert len(ledger.acknowledged) == sum(sample.of("purchase").n - sample.rollbacks for sample in samples) > 0
        placed += len(ledger.acknowledged)
    assert placed == built_store.count("orders") - before
    signs = process.of(HealthReport)
    assert {(each.process, each.usable_processors) for each in signs} == {(2, loops if are_compiled() else 1)}
    assert 0 < sum(each.orders for each in signs) <= sum(sample.of("order").n for sample in process.of(Sample))
    *_, summary = process.of(ProcessSummary)
    assert (summary.clients, summary.unfinished_users) == ((2, 3), 0)


def test_the_time_of_every_step_is_in_the_sample_of_its_second(built_store: BuiltStore, launch: Launch) -> None:
    client = at_work(launch(start(built_store)))
    last = client.heard[-1].second + 2
    client.listen_until(lambda message: isinstance(message, Sample) and message.second == last)
    client.pipe.send(Stop(within_seconds=10))
    client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    samples = client.of(Sample)
    assert sum(sample.of("purchase").n for sample in samples) > 0
    for sample in samples:
        assert list(sample.transactions) == [each.id for each in TRANSACTIONS]
        for count in sample.transactions.values():
            assert count.histogram is not None
            assert sum(unpack(count.histogram).values()) == count.n


def test_nobody_orders_before_the_clock_starts(built_store: BuiltStore, launch: Launch) -> None:
    client = launch(start(built_store))
    client.begin(go=False)
    client.listen_until(lambda message: isinstance(message, AllConnected))
    client.listen_until(lambda message: isinstance(message, Sample) and message.thinking == THREADS)
    assert sum(sample.of("login").n + sample.of("new_customer").n for sample in client.of(Sample)) == 0

    client.pipe.send(StartOrdering(at_seconds=0.0, measuring_from=0, pace=Pace()))
    client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)


def test_a_client_that_is_stopped_before_the_clock_starts_leaves(built_store: BuiltStore, launch: Launch) -> None:
    client = launch(start(built_store))
    client.begin(go=False)
    client.listen_until(lambda message: isinstance(message, AllConnected))
    client.pipe.send(Stop(within_seconds=10))
    client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    assert client.exit_code() == 0
    assert client.heard[-1].unfinished_users == 0


def test_client_exits_if_its_run_ends_before_the_epoch(
    built_store: BuiltStore, launch: Launch, capfd: pytest.CaptureFixture[str]
) -> None:
    client = launch(start(built_store))
    client.pipe.close()

    assert client.exit_code() == 0
    assert capfd.readouterr().err == ""


def test_client_exits_if_its_run_has_ended(
    built_store: BuiltStore, launch: Launch, capfd: pytest.CaptureFixture[str]
) -> None:
    client = launch(start(built_store))
    client.begin()
    client.listen_until(lambda message: isinstance(message, AllConnected))

    client.pipe.close()

    assert client.exit_code() == 1
    assert capfd.readouterr().err == ""


def hang_in_the_loop(pipe: "Connection[Any, Any]", starts: Sequence[ClientStart]) -> None:
    """A client process whose user loop never comes back from its first round, as if a driver hung in it."""
    UserLoop._round = lambda _: threading.Event().wait()  # type: ignore[method-assign, assignment, return-value]
    run_clients(pipe, starts)


def test_hanging_loop_has_samples_of_zero(built_store: BuiltStore, launch: Launch) -> None:
    client = launch(start(built_store), main=hang_in_the_loop)
    client.begin()
    client.listen_until(lambda message: isinstance(message, Sample) and message.second == 2)

    assert [sample.second for sample in client.of(Sample)] == [0, 1, 2]
    assert {sample.of("order").n for sample in client.of(Sample)} == {0}
    client.pipe.send(Stop(within_seconds=0))
    client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)


def fail_to_count(pipe: "Connection[Any, Any]", starts: Sequence[ClientStart]) -> None:
    """A client process with a fault of our own where samples are made."""

    def faulty(*_: object) -> NoReturn:
        raise ValueError("a fault of our own")

    SecondTally.take = faulty  # type: ignore[method-assign]
    run_clients(pipe, starts)


def test_process_that_can_not_count_ends_with_a_reason(
    built_store: BuiltStore, launch: Launch, capfd: pytest.CaptureFixture[str]
) -> None:
    # What is forked writes to the standard error that was there when its fork server began.
    client = launch(start(built_store), main=fail_to_count, context=multiprocessing.get_context("spawn"))
    client.begin()

    assert client.exit_code() == 1
    assert "a fault of our own" in capfd.readouterr().err


@needs_time_slices
def test_timekeeper_thread_has_shorter_time_slices(built_store: BuiltStore, launch: Launch) -> None:
    client = at_work(launch(start(built_store)))
    pid = client.process.pid
    assert pid is not None
    assert time_slice_us(pid, thread=pid) == MAIN_THREAD_TIME_SLICE_US, "the main thread's"
    assert all_time_slices_us(pid) == {MAIN_THREAD_TIME_SLICE_US, TURN_US}
    assert policies(pid) == {os.SCHED_OTHER}


@needs_time_slices
def test_batch_policy_applies_to_users_and_not_the_timekeeper(built_store: BuiltStore, launch: Launch) -> None:
    client = launch(start(built_store))
    client.begin(users_may_preempt=False)
    client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)
    pid = client.process.pid
    assert pid is not None
    assert all_time_slices_us(pid) == {MAIN_THREAD_TIME_SLICE_US, SHARED_TIME_SLICE_US}
    assert policies(pid) == {os.SCHED_OTHER, os.SCHED_BATCH}
    assert os.sched_getscheduler(pid) == os.SCHED_OTHER, "the main thread's"


@pytest.mark.skipif(os.name == "nt", reason="a process has no signals here")
def test_client_ignores_ctrl_c(built_store: BuiltStore, launch: Launch) -> None:
    client = launch(start(built_store))
    client.begin()
    client.listen_until(lambda message: isinstance(message, Sample))

    assert client.process.pid is not None
    os.kill(client.process.pid, signal.SIGINT)

    client.listen_until(lambda message: isinstance(message, Sample) and message.second == 1)
    assert client.process.is_alive()


def test_internal_error_is_reported_and_not_printed(
    built_store: BuiltStore, launch: Launch, capfd: pytest.CaptureFixture[str]
) -> None:
    impossible = replace(
        start(built_store), parameters={**PARAMETERS, "search_batch_size": 2**60}
    )  # no int4 has so many rows
    client = launch(impossible)
    client.begin()
    # One event for each second in which users ended.
    client.listen_until(lambda _: sum(int(each.label.rpartition("×")[2]) for each in client.of(RunEvent)) == THREADS)
    client.listen_until(lambda message: isinstance(message, Sample) and message.down == THREADS)

    for failed in client.of(RunEvent):
        assert (failed.kind, failed.client) == (EventKind.CLIENT_FAILED, 1)
        assert failed.label.startswith("users ended by a fault of Spindle's own ×")
        assert failed.detail.startswith(("OverflowError: ", "error: "))  # the compiled exchange's, or struct's
    assert capfd.readouterr().err == ""


def test_statement_timeout_is_counted_and_users_continue(built_store: BuiltStore, launch: Launch) -> None:
    client = at_work(launch(start(built_store, timeouts=Timeouts(statement_seconds=0.3))))
    with built_store.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE products")
        client.listen_until(lambda message: isinstance(message, RunEvent))
    client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)

    assert {name for sample in client.of(Sample) for name in sample.errors} <= {"timeout", "deadlock"}
    assert sum(sample.reconnects for sample in client.of(Sample)) == 0
    labels = [event.label for event in client.of(RunEvent) if not event.label.startswith("deadlock")]
    assert labels == ["timeout: canceling statement due to statement timeout"]


def test_silent_server_is_detected_and_disconnected(built_store: BuiltStore, launch: Launch) -> None:
    before = built_store.count("orders")
    timeouts = Timeouts(connect_seconds=20, statement_seconds=1.0)
    with SilentProxy(built_store.target.hosts[0]) as proxy:
        target = replace(built_store.target, hosts=(proxy.host,))
        client = launch(start_of(target, built_store.secret, threads=THREADS, timeouts=timeouts))
        client.begin()
        client.listen_until(lambda message: isinstance(message, AllConnected))
        client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)

        frozen = proxy.silence()
        client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n == 0)
        client.listen_until(lambda _: sum(sample.reconnects for sample in client.of(Sample)) >= THREADS)
        client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n > 0)
        client.pipe.send(Stop(within_seconds=10))
        client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    samples = client.of(Sample)
    assert frozen == THREADS
    assert sum(sample.reconnects for sample in samples) == THREADS
    assert sum(sample.errors.get("timeout", 0) for sample in samples) >= THREADS
    labels = [event.label for event in client.of(RunEvent) if event.kind is EventKind.TARGET_ERROR]
    assert "timeout: no answer within 3 s; the connection was cut" in labels
    acknowledged = sum(sample.of("purchase").n - sample.rollbacks for sample in samples)
    in_doubt = sum(sample.in_doubt for sample in samples)
    assert acknowledged <= built_store.count("orders") - before <= acknowledged + in_doubt


def test_outage_has_samples_of_zero_and_late_calls_are_cut(built_store: BuiltStore, launch: Launch) -> None:
    client = at_work(launch(start(built_store)))
    with built_store.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE orders, products")
        client.listen_until(lambda message: isinstance(message, Sample) and message.of("order").n == 0)
        client.listen_until(lambda message: isinstance(message, Sample))
        client.pipe.send(Stop(within_seconds=0.2))
        client.listen_until(lambda message: isinstance(message, ProcessSummary) and message.is_last)

    assert client.exit_code() == 0
    assert client.heard[-1].unfinished_users == 0
    samples = client.of(Sample)
    assert [sample.second for sample in samples] == list(range(len(samples)))
    dark = [sample for sample in samples if sample.of("order").n == 0 and sample.down == 0]
    assert dark[-1].working == THREADS
    assert sum(sample.errors.get("timeout", 0) for sample in samples) == THREADS
    assert [event.label for event in client.of(RunEvent)] == [
        "timeout: the run was over before the answer came; the connection was cut"
    ]
    wait_until(lambda: built_store.count(USERS_THERE) == 0, "no user is left")


def test_client_whose_run_was_killed_has_written_its_ledger(
    built_store: BuiltStore, launch: Launch, tmp_path: Path
) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    client = at_work(launch(replace(start(built_store), ledger=str(path))))

    def placed() -> int:
        return sum(sample.of("purchase").n - sample.rollbacks for sample in client.of(Sample))

    client.listen_until(lambda _: placed() > 0)
    client.pipe.close()

    assert client.exit_code() == 1
    ledger = read_ledger(path, "a-run", 1)
    assert len(ledger.acknowledged) >= placed()
    assert not ledger.is_complete
