"""Whether the workstation is the bottleneck: the arithmetic on readings, and readings of real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.workstation_watch import CpuMeter, CpuReading, Pids, WorkstationWatch
from tests.waiting import wait_until

LABELS = {1: "ds2_1", 2: "ds2_2", 3: "ds2_3", 4: "ds2_4"}
PIDS = {number: 100 + number for number in LABELS}


class Bench:
    """A watch whose clock and readings the test sets."""

    def __init__(self, processors: int = 4) -> None:
        self.now = 50.0
        self.told: list[str] = []
        self.used: Mapping[int, float] = {}
        self.machine_pct = 0.0
        self.watch = WorkstationWatch(LABELS, meter=self.read, processors=processors, clock=lambda: self.now)

    def read(self, pids: Pids) -> CpuReading:
        assert pids == PIDS
        return CpuReading(seconds=1.0, machine_pct=self.machine_pct, clients_pct=self.used)

    def after(self, seconds: int, used: Mapping[int, float], machine_pct: float = 50.0) -> list[str]:
        """What was told while the clients used so much for so long."""
        self.used, self.machine_pct = used, machine_pct
        before = len(self.told)
        for _ in range(seconds):
            self.now += 1.0
            remark = self.watch.look(PIDS)
            if remark is not None:
                self.told.append(remark[0])
        return self.told[before:]


def evenly(pct: float) -> dict[int, float]:
    return dict.fromkeys(LABELS, pct)


def test_what_is_used_is_averaged_over_ten_seconds() -> None:
    bench = Bench()
    assert bench.watch.load is None

    assert bench.after(5, evenly(20.0), 40.0) == []
    load = bench.watch.load
    assert load is not None
    assert (load.machine_pct, load.clients_pct, load.busiest_client_pct) == (40.0, 20.0, 20.0)

    bench.after(5, {**evenly(20.0), 3: 60.0}, 60.0)
    load = bench.watch.load
    assert load is not None
    assert (load.machine_pct, load.clients_pct, load.busiest_client_pct) == (50.0, 25.0, 40.0)
    bench.after(10, evenly(10.0), 30.0)
    assert bench.watch.load is not None
    assert bench.watch.load.clients_pct == 10.0
    assert not bench.watch.load.is_bottleneck


def test_the_clients_together_are_told_once_and_once_when_it_is_over() -> None:
    bench = Bench()

    assert bench.after(9, evenly(85.0)) == []
    assert bench.after(20, evenly(85.0)) == [
        "the workstation is the bottleneck: the clients use 85 % of its processors"
    ]
    assert bench.watch.load is not None
    assert bench.watch.load.is_bottleneck
    assert bench.after(30, evenly(75.0)) == []
    assert bench.after(30, evenly(40.0)) == ["the workstation is no longer the bottleneck"]
    assert not bench.watch.load.is_bottleneck
    assert len(bench.after(20, evenly(95.0))) == 1


def test_one_client_that_fills_its_processor_is_named() -> None:
    bench = Bench(processors=16)

    assert bench.after(20, {**evenly(30.0), 2: 97.4}) == [
        "the workstation is the bottleneck: client ds2_2 uses 97 % of a processor"
    ]
    assert bench.after(20, {**evenly(30.0), 2: 85.0}) == []
    assert bench.after(20, evenly(30.0)) == ["the workstation is no longer the bottleneck"]


def test_a_short_burst_is_none() -> None:
    bench = Bench()

    bench.after(20, evenly(30.0))
    assert bench.after(3, evenly(100.0)) == []
    assert bench.after(20, evenly(30.0)) == []


def test_clients_that_are_gone_count_no_more() -> None:
    bench = Bench()
    bench.after(20, evenly(95.0))

    assert bench.after(1, {}) == ["the workstation is no longer the bottleneck"]


def test_it_looks_once_a_second_however_often_it_is_asked() -> None:
    read: list[float] = []
    now = 0.0

    def meter(_pids: Pids) -> CpuReading | None:
        read.append(now)
        return None

    watch = WorkstationWatch(LABELS, meter=meter, processors=2, clock=lambda: now)
    for tenth in range(35):
        now = tenth / 10
        watch.look(PIDS)

    assert read == [0.0, 1.0, 2.0, 3.0]
    assert watch.load is None


@given(st.lists(st.dictionaries(st.integers(1, 4), st.floats(0, 100)), min_size=1, max_size=60))
def test_it_is_said_in_turns_whatever_happens(seconds: list[dict[int, float]]) -> None:
    bench = Bench()
    for used in seconds:
        bench.after(1, used)
        load = bench.watch.load
        assert load is not None
        assert 0 <= load.clients_pct <= 100
        assert 0 <= load.busiest_client_pct <= 100
        assert load.is_bottleneck is (len(bench.told) % 2 == 1)

    beginnings = ["is the bottleneck" in text for text in bench.told]
    assert beginnings == [index % 2 == 0 for index in range(len(beginnings))]


@pytest.fixture
def busy_pid() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield process.pid
    process.kill()
    process.wait(20)


def test_a_process_that_computes_is_seen_and_one_that_is_gone_is_left_out(busy_pid: int) -> None:
    meter = CpuMeter()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(20)
    pids = {1: busy_pid, 2: gone.pid, 3: os.getpid()}
    assert meter(pids) is None
    readings: list[CpuReading] = []

    def computed() -> bool:
        reading = meter(pids)
        assert reading is not None
        readings.append(reading)
        return reading.clients_pct[1] > 0

    wait_until(computed, "the busy process is seen")

    assert readings[-1].clients_pct.keys() == {1, 3}
    assert readings[-1].seconds > 0
    assert 0 <= readings[-1].machine_pct <= 100
