"""Runs whose driver is starved on purpose, by busy processes on its own processors, say so: live and in the report."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine.driver.run import Run
from engine.driver.workstation_watch import usable_processors
from engine.record import RunState
from engine.sample import EventKind, RunEvent
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of, wait_for_state
from tests.waiting import wait_until

BUSY_PER_PROCESSOR = 6
BUSY = "import time\nends = time.monotonic() + 60\nwhile time.monotonic() < ends: pass"


@pytest.fixture
def busy() -> Iterator[list[subprocess.Popen[bytes]]]:
    """What is put in is ended; it would end by itself after a minute."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait(20)


def test_look(built_store: BuiltStore, busy) -> None:
    import time

    sink = Gathering()
    starts = [start_of(built_store.target, built_store.secret, client=client, threads=4) for client in (1, 2)]
    run = run_of(*starts, sink=sink, warmup_seconds=0, measured_seconds=0)
    run.start()
    wait_for_state(sink, RunState.MEASURING)

    def show(n):
        for _ in range(n):
            time.sleep(1)
            print(
                run.workstation,
                {k: (round(v.value, 2), v.whose) for k, v in run._watch._vitals.whole().items()},
                flush=True,
            )

    show(12)
    for _ in range(BUSY_PER_PROCESSOR * usable_processors()):
        busy.append(subprocess.Popen([sys.executable, "-c", BUSY]))
    print("BUSY")
    show(12)
    for p in busy:
        p.kill()
    print("CALM")
    show(14)
    run.stop()
    assert run.wait(OVER_SECONDS)
    for e in sink.events:
        print(e)
    for t in run.driver_totals:
        print(t)
