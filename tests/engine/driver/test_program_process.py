"""The process of a program, driven from the other end of its pipe; the program is replaced by one that falls silent."""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

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
Message = TypeVar("Message")
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


class StalledProgram(HangingProgram):
    """Reports, falls silent until it is released, reports once more, and ends when it is asked to."""

    released = threading.Event()

    def reports(self) -> Iterator[Mapping[str, Count]]:
        yield {"io": Count(5, 100, 20)}
        assert self.released.wait(WAIT_SECONDS)
        yield {"io": Count(7, 100, 20)}
        assert self._killed.wait(WAIT_SECONDS)

    def end(self) -> None:
        self.kill()


class Driven:
    """A process of a program, which has been asked to begin; ``heard`` are its messages."""

    def __init__(self) -> None:
        self._ours, theirs = multiprocessing.Pipe()
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
        self._process = threading.Thread(target=run_program, args=(theirs, start, begin))
        self._process.start()
        self.heard: list[object] = []
        self.hear_until(lambda: bool(self.of(AllConnected)))
        self._ours.send(StartOrdering(at_seconds=0.0, measuring_from=0, pace=Pace()))

    def of(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.heard if isinstance(message, kind)]

    def hear_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert self._ours.poll(WAIT_SECONDS)
            self.heard.extend(self._ours.recv())

    def stop(self) -> None:
        self._ours.send(Stop(within_seconds=0.1))
        self._process.join(WAIT_SECONDS)
        assert not self._process.is_alive()
        while self._ours.poll(0):
            self.heard.extend(self._ours.recv())


def test_a_program_that_hangs_is_killed_and_its_threads_are_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "program_of", lambda *_: HangingProgram)
    driven = Driven()
    driven.hear_until(lambda: bool(driven.of(Sample)))
    driven.stop()
    (last,) = (message for message in driven.of(ProcessSummary) if message.is_last)
    assert last.unfinished_users == THREADS
    (event,) = driven.of(RunEvent)
    assert (event.code, event.data) == (EventCode.USERS_HUNG, {"users": THREADS})
    assert "was killed; 3 threads hung" in event.label


def test_threads_of_a_program_that_reports_nothing_are_at_work_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_process, "program_of", lambda *_: StalledProgram)
    driven = Driven()

    def answered() -> list[int]:
        return [sample.second for sample in driven.of(Sample) if sample.of("io").n]

    driven.hear_until(lambda: bool(answered()) and driven.of(Sample)[-1].second >= answered()[0] + 3)
    StalledProgram.released.set()
    driven.hear_until(lambda: len(answered()) == 2)
    driven.stop()
    first, last = answered()
    silent = [sample for sample in driven.of(Sample) if first < sample.second < last]
    assert [sample.second for sample in silent] == list(range(first + 1, last))
    assert {(sample.working, sample.down, sample.thinking) for sample in silent} == {(THREADS, 0, 0)}
