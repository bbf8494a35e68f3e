"""The processes of a run: whom one hears, who is gone, and that all of them end."""

import multiprocessing
import time
from collections.abc import Iterator

import psutil
import pytest

from engine.databases.rounds import are_compiled
from engine.driver import crew as crew_module
from engine.driver import sharing
from engine.driver.child_process import ChildProcess
from engine.driver.crew import GONE, Crew
from engine.driver.messages import ProbedStore, Ready, VitalSigns
from engine.driver.timebase import Timebase
from engine.driver.turns import TIME_KEEPERS_TURN_US, users_turn_us
from engine.target.target import POSTGRESQL, Host, Target
from tests.engine.driver.kernel_turns import all_turns_us, needs_turns
from tests.engine.driver.runs import start_of
from tests.waiting import wait_until

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
STORE = ProbedStore(number=1, target=NOWHERE, secret=None)
WAKE, _WAKER = multiprocessing.Pipe(duplex=False)


def crew_of(*stores: ProbedStore, clients: int = 2) -> Crew:
    starts = [start_of(NOWHERE, None, client=number) for number in range(1, clients + 1)]
    crew = Crew(starts, dict(enumerate("abcd", start=1)), stores)
    crew.spawn()
    return crew


@pytest.fixture
def crew() -> Iterator[Crew]:
    crew = crew_of(STORE)
    yield crew
    crew.end(at_once=True)


def heard(crew: Crew, words: int) -> list[tuple[ChildProcess | None, object]]:
    """Listen until so many words came."""
    found: list[tuple[ChildProcess | None, object]] = []

    def enough() -> bool:
        found.extend(crew.hear(WAKE, 0.1))
        return len(found) >= words

    wait_until(enough, f"{words} words are heard", timeout_seconds=180.0)
    return found


def test_clients_are_heard_and_a_killed_process_is_gone_and_said_so_once(crew: Crew) -> None:
    said = heard(crew, 2)
    assert dict(said) == {process: Ready(pid=process.pid) for process in crew.processes.values()}

    first, probe = crew.processes[1], crew.probe
    assert probe is not None
    for child in (first, probe):
        psutil.Process(child.pid).kill()
    gone = heard(crew, 2)

    assert {child for child, _ in gone} == {first, probe}
    assert all(word is GONE for _, word in gone)
    assert (first.is_gone, probe.is_gone) == (True, True)
    assert crew.present == [crew.processes[2]]
    assert [client.label for client in crew.clients_present] == ["b"]
    assert list(crew.hear(WAKE, 0.0)) == []


def test_whoever_wakes_it_is_heard_as_nobody(crew: Crew) -> None:
    heard(crew, 2)
    _WAKER.send("wake up")
    assert list(crew.hear(WAKE, 10.0)) == [(None, "wake up")]


def test_every_process_leaves_at_the_end() -> None:
    crew = crew_of(STORE)
    heard(crew, 2)
    assert crew.probe is not None
    pids = [crew.probe.pid, *(process.pid for process in crew.processes.values())]

    crew.end(at_once=False)

    assert not any(map(psutil.pid_exists, pids))
    assert crew.present == []


def test_without_stores_there_is_no_probe() -> None:
    crew = crew_of()
    try:
        assert crew.probe is None
        heard(crew, 2)
    finally:
        crew.end(at_once=True)


def test_clients_of_servers_elsewhere_share_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    # There is no other machine here: this one is taken for it.
    monkeypatch.setattr(sharing, "is_this_machine", lambda name: False)
    monkeypatch.setattr(crew_module, "usable_processors", lambda: 2)
    crew = crew_of(clients=4)
    try:
        heard(crew, 2)
        assert {number: list(process.clients) for number, process in crew.processes.items()} == {1: [1, 2], 3: [3, 4]}
        assert crew.labels == {1: "clients a and b", 3: "clients c and d"}
        assert [client.number for client in crew.clients_present] == [1, 2, 3, 4]
    finally:
        crew.end(at_once=True)


def test_processes_are_told_how_many_threads_may_drive_their_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "usable_processors", lambda: 4)
    crew = crew_of(clients=2)
    signs: dict[int, VitalSigns] = {}

    def all_have_told() -> bool:
        words = [word for _, word in crew.hear(WAKE, 0.1)]
        signs.update({word.process: word for word in words if isinstance(word, VitalSigns)})
        return len(signs) == 2

    try:
        heard(crew, 2)
        crew.begin(Timebase(time.monotonic()))
        wait_until(all_have_told, "both processes tell of themselves")
        expected = 2 if are_compiled() else 1
        assert [each.usable_processors for each in signs.values()] == [expected] * 2
    finally:
        crew.end(at_once=True)


@needs_turns
@pytest.mark.parametrize("processors", [1, 2])
def test_two_processes_are_told_how_long_their_users_turns_are(
    monkeypatch: pytest.MonkeyPatch, processors: int
) -> None:
    monkeypatch.setattr(crew_module, "usable_processors", lambda: processors)
    crew = crew_of(clients=2)
    try:
        heard(crew, 2)
        crew.begin(Timebase(time.monotonic()))
        theirs = {TIME_KEEPERS_TURN_US, users_turn_us(2, processors)}
        for process in crew.processes.values():
            wait_until(lambda pid=process.pid: all_turns_us(pid) == theirs, "its threads have their turns")
    finally:
        crew.end(at_once=True)
