"""The collectors' real process: what it sends, and its end."""

from collections.abc import Iterator
from functools import partial

import psutil
import pytest

from engine.collect.collector_process import CollectorStart, StopCollectors, run_collectors
from engine.collect.source import Source
from engine.collect.sources.local import LocalSource
from engine.driver.child_process import ChildProcess
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading
from tests.engine.collect.scripted import Steady, Unreachable
from tests.waiting import wait_until


class Received:
    """What the collectors have sent."""

    def __init__(self, child: ChildProcess) -> None:
        self.readings: list[HostReading] = []
        self.statuses: dict[int, CollectorStatus] = {}
        self._child = child

    def take(self) -> bool:
        """Take what is there; false at the pipe's end."""
        try:
            while self._child.pipe.poll(0):
                for message in self._child.pipe.recv():
                    if isinstance(message, HostReading):
                        self.readings.append(message)
                    else:
                        self.statuses[message.number] = message
        except EOFError:
            return False
        return True

    def of(self, collector: int) -> list[HostReading]:
        self.take()
        return [reading for reading in self.readings if reading.collector == collector]


@pytest.fixture(scope="module")
def child() -> Iterator[ChildProcess]:
    sources: list[type[Source]] = [LocalSource, Steady, Unreachable]
    starts = tuple(
        CollectorStart(number=number, machine=f"m{number}", make_source=partial(source))
        for number, source in enumerate(sources, start=1)
    )
    child = ChildProcess(run_collectors, starts, name="collectors")
    yield child
    child.pipe.close()
    child.end(10)


def test_readings_states_and_the_end(child: ChildProcess) -> None:
    received = Received(child)
    wait_until(lambda: len(received.of(1)) >= 2 and len(received.of(2)) >= 10, "readings come")
    wait_until(lambda: received.take() and received.statuses[3].state is CollectorState.FAILING, "one of them fails")
    assert {"CPU", "Memory used"} <= {value.name for value in received.of(1)[0].values}
    assert received.statuses[2].offset_seconds == pytest.approx(90, abs=0.1)
    assert received.statuses[3].message == "db9 refused the connection; start its SSH server."
    assert "numpy" not in " ".join(each.path for each in psutil.Process(child.pid).memory_maps())

    child.send(StopCollectors())
    wait_until(lambda: not received.take(), "the pipe ends")
    assert {status.state for status in received.statuses.values()} == {CollectorState.ENDED}
    assert received.statuses[1].readings == len(received.of(1))
    assert sum(status.cpu_seconds for status in received.statuses.values()) > 0
    wait_until(lambda: child.how_it_ended() == "ended with exit code 0", "it ends")
