"""Processor time as the system counts it, of real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine.driver.cpu_meter import CpuMeter, CpuReading
from tests.waiting import wait_until


@pytest.fixture
def busy_pid() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield process.pid
    process.kill()
    process.wait(60)


def test_cpu_meter_includes_busy_and_omits_ended_processes(busy_pid: int) -> None:
    meter = CpuMeter()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(60)
    pids = {1: busy_pid, 2: gone.pid, 3: os.getpid()}
    assert meter(pids) is None
    readings: list[CpuReading] = []

    def computed() -> bool:
        reading = meter(pids)
        assert reading is not None
        readings.append(reading)
        return reading.processes_pct[1] > 0

    wait_until(computed, "the busy process is seen")

    assert readings[-1].processes_pct.keys() == {1, 3}
    assert readings[-1].seconds > 0
    assert 0 <= readings[-1].machine_pct <= 100
