"""The process of a program, driven from the other end of its pipe; the program is replaced by one that hangs."""

import multiprocessing
import threading
import time
from collections.abc import Iterator, Mapping

import pytest

from engine.databases.database import Timeouts
from engine.driver import program_process
from engine.driver.messages import AllConnected, Begin, ClientStart, StartOrdering, Stop
from engine.driver.program_process import run_program
from engine.driver.start_gate import Pace
from engine.driver.timebase import Timebase
from engine.target.target import Target
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.sample import Count, Sample
from engine.telemetry.workstation import ProcessSummary

WAIT_SECONDS = 60.0
THREADS = 3


class HangingProgram:
    """Reports once, and ends only when it is killed."""

    def __init__(self, *_: object) -> None:
        self._killed = threading.Event()

    def start(self) -> None:
        pass

    def reports(self) -> Iterator[Mapping[str, Count]]:
        yield {"io": Count(5, 100, 20)}
        assert self._killed.wait(WAIT_SECONDS)

    def bytes_of(self, counts: Mapping[str, Count]) -> int:
        return counts["io"].n

    def end(self) -> None:
        pass

    def kill(self) -> None:
        self._killed.set()

    def wait(self, _seconds: float) -> str:
        return ""


def test_a_program_that_hangs_is_killed_and_its_threads_are_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "program_of", lambda *_: HangingProgram)
    ours, theirs = multiprocessing.Pipe()
    start = ClientStart(
        client=1,
        target=Target(kind="storage", database="/f"),
        secret=None,
        workload="storage",
        parameters={},
        think_time_ms=0,
        threads=THREADS,
        ramp_rate=1.0,
        seed=1,
        timeouts=Timeouts(),
    )
    begin = Begin(timebase=Timebase(time.monotonic()), user_time_slice_us=None, users_may_preempt=True, loops=1)
    process = threading.Thread(target=run_program, args=(theirs, start, begin))
    process.start()
    heard: list[object] = []

    def hear(kind: type) -> None:
        while not any(isinstance(message, kind) for message in heard):
            assert ours.poll(WAIT_SECONDS)
            heard.extend(ours.recv())

    hear(AllConnected)
    ours.send(StartOrdering(at_seconds=0.0, measuring_from=0, pace=Pace()))
    hear(Sample)
    ours.send(Stop(within_seconds=0.1))
    process.join(WAIT_SECONDS)
    assert not process.is_alive()
    while ours.poll(0):
        heard.extend(ours.recv())
    (last,) = (message for message in heard if isinstance(message, ProcessSummary) and message.is_last)
    assert last.unfinished_users == THREADS
    (event,) = (message for message in heard if isinstance(message, RunEvent))
    assert (event.code, event.data) == (EventCode.USERS_HUNG, {"users": THREADS})
    assert "was killed; 3 threads hung" in event.label
