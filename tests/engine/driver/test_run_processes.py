"""The processes of a run: their messages, which have ended, and that all of them end."""

import multiprocessing
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from engine.databases.rounds import are_compiled
from engine.driver import local_launcher, sharing
from engine.driver.client_handle import ClientProcess
from engine.driver.link import WorkerLink
from engine.driver.messages import HealthReport, ProbedStore, Ready
from engine.driver.run_processes import PIPE_CLOSED, RunProcesses
from engine.driver.time_slices import MAIN_THREAD_TIME_SLICE_US, user_time_slice_us
from engine.driver.timebase import Timebase
from engine.target.target import POSTGRESQL, Host, Target
from tests.engine.driver.kernel_time_slices import all_time_slices_us, needs_time_slices
from tests.engine.driver.runs import start_of
from tests.waiting import wait_until

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
STORE = ProbedStore(number=1, target=NOWHERE, secret=None)
WAKE, _WAKER = multiprocessing.Pipe(duplex=False)


def run_processes(*stores: ProbedStore, clients: int = 2) -> RunProcesses:
    starts = [start_of(NOWHERE, None, client=number) for number in range(1, clients + 1)]
    processes = RunProcesses(starts, dict(enumerate("abcd", start=1)), stores)
    processes.spawn()
    return processes


@pytest.fixture
def processes() -> Iterator[RunProcesses]:
    processes = run_processes(STORE)
    yield processes
    processes.end(at_once=True)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals can't be blocked here")
def test_what_is_started_after_a_run_gets_interrupts_again(processes: RunProcesses) -> None:
    asked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    later = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert later.stdout == "False\n"


def received(processes: RunProcesses, messages: int) -> list[tuple[ClientProcess | WorkerLink | None, object]]:
    """Listen until so many words came."""
    found: list[tuple[ClientProcess | WorkerLink | None, object]] = []

    def enough() -> bool:
        found.extend(processes.receive(WAKE, 0.1))
        return len(found) >= messages

    wait_until(enough, f"{messages} words are received", timeout_seconds=180.0)
    return found


def test_messages_are_received_and_a_killed_process_is_reported_once(processes: RunProcesses) -> None:
    messages = received(processes, 2)
    assert dict(messages) == {process: Ready(pid=process.link.pid) for process in processes.client_processes.values()}

    first, probe = processes.client_processes[1], processes.probe
    assert probe is not None
    for link in (first.link, probe):
        psutil.Process(link.pid).kill()
    gone = received(processes, 2)

    assert {child for child, _ in gone} == {first, probe}
    assert all(message is PIPE_CLOSED for _, message in gone)
    assert (first.is_gone, probe.is_gone) == (True, True)
    assert processes.present == [processes.client_processes[2]]
    assert [client.label for client in processes.clients_present] == ["b"]
    assert list(processes.receive(WAKE, 0.0)) == []


def test_wake_up_is_no_message(processes: RunProcesses) -> None:
    received(processes, 2)
    _WAKER.send("wake up")
    assert list(processes.receive(WAKE, 10.0)) == [(None, "wake up")]


def test_all_processes_exit_at_the_end() -> None:
    processes = run_processes(STORE)
    received(processes, 2)
    assert processes.probe is not None
    pids = [processes.probe.pid, *(process.link.pid for process in processes.client_processes.values())]

    processes.end(at_once=False)

    assert not any(map(psutil.pid_exists, pids))
    assert processes.present == []


def test_no_probe_without_stores() -> None:
    processes = run_processes()
    try:
        assert processes.probe is None
        received(processes, 2)
    finally:
        processes.end(at_once=True)


def test_clients_of_servers_elsewhere_share_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    # There is no other machine here: this one is taken for it.
    monkeypatch.setattr(sharing, "is_this_machine", lambda name: False)
    monkeypatch.setattr(local_launcher, "usable_processors", lambda: 2)
    processes = run_processes(clients=4)
    try:
        received(processes, 2)
        assert {number: list(process.clients) for number, process in processes.client_processes.items()} == {
            1: [1, 2],
            3: [3, 4],
        }
        assert processes.labels == {1: "clients a and b", 3: "clients c and d"}
        assert [client.number for client in processes.clients_present] == [1, 2, 3, 4]
    finally:
        processes.end(at_once=True)


def test_processes_receive_their_number_of_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_launcher, "usable_processors", lambda: 4)
    processes = run_processes(clients=2)
    signs: dict[int, HealthReport] = {}

    def both_have_reported() -> bool:
        messages = [message for _, message in processes.receive(WAKE, 0.1)]
        signs.update({message.process: message for message in messages if isinstance(message, HealthReport)})
        return len(signs) == 2

    try:
        received(processes, 2)
        processes.begin(Timebase(time.monotonic()))
        wait_until(both_have_reported, "both processes report their health")
        expected = 2 if are_compiled() else 1
        assert [each.usable_processors for each in signs.values()] == [expected] * 2
    finally:
        processes.end(at_once=True)


@needs_time_slices
@pytest.mark.parametrize("processors", [1, 2])
def test_processes_receive_their_time_slice(monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
    monkeypatch.setattr(local_launcher, "usable_processors", lambda: processors)
    processes = run_processes(clients=2)
    try:
        received(processes, 2)
        processes.begin(Timebase(time.monotonic()))
        theirs = {MAIN_THREAD_TIME_SLICE_US, user_time_slice_us(2, processors)}
        for process in processes.client_processes.values():
            wait_until(lambda pid=process.link.pid: all_time_slices_us(pid) == theirs, "its threads have their turns")
    finally:
        processes.end(at_once=True)
