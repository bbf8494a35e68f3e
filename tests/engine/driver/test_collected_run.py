"""Runs that read machines: whatever becomes of the collectors, the run goes on.

The load is of a server that refuses it, which is all that the collectors' part needs.
"""

import os
import signal
from collections.abc import Iterator
from functools import partial

import psutil
import pytest

from engine.collect.collector_process import CollectorStart
from engine.collect.sources.local import LocalSource
from engine.driver.run import Run
from engine.record.record import RunState
from engine.target.target import POSTGRESQL, Host, Target
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.host import CollectorState
from tests.child_processes import processes_of_runs
from tests.engine.collect.scripted import Steady, Unreachable
from tests.engine.driver.runs import OVER_SECONDS, Gathering, run_of, start_of
from tests.waiting import wait_until

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
SOURCES = {"workstation": LocalSource, "db1": Steady, "db9": Unreachable}
STARTS = [
    CollectorStart(number=number, machine=machine, make_source=partial(source))
    for number, (machine, source) in enumerate(SOURCES.items(), start=1)
]


@pytest.fixture
def run(sink: Gathering) -> Iterator[Run]:
    run = run_of(start_of(NOWHERE, None), sink=sink, collectors=STARTS)
    run.start()
    yield run
    run.stop_now()
    assert run.wait(OVER_SECONDS)


def coded(sink: Gathering, code: EventCode) -> list[RunEvent]:
    return [event for event in sink.events if event.code is code]


def test_readings_go_to_the_sinks_and_the_last_states_say_the_end(run: Run, sink: Gathering) -> None:
    wait_until(lambda: {reading.collector for reading in sink.readings} == {1, 2}, "two machines are read")
    wait_until(lambda: coded(sink, EventCode.COLLECTOR_FAILING), "the third one fails")
    wait_until(lambda: coded(sink, EventCode.COLLECTOR_CLOCK_OFF), "the second one's clock is off")
    run.stop()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.STOPPED
    assert [event.data["machine"] for event in coded(sink, EventCode.COLLECTOR_FAILING)] == ["db9"]
    (off,) = coded(sink, EventCode.COLLECTOR_CLOCK_OFF)
    assert off.data["ahead_seconds"] == pytest.approx(90, abs=1)
    assert not coded(sink, EventCode.COLLECTORS_LOST)
    last = {status.number: status for status in sink.collectors}
    assert {status.state for status in last.values()} == {CollectorState.ENDED}
    assert last[2].readings == sum(reading.collector == 2 for reading in sink.readings)


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_the_loss_of_the_collectors_is_an_event_and_the_run_goes_on(run: Run, sink: Gathering) -> None:
    wait_until(lambda: sink.readings and sink.samples, "the run goes on")
    os.kill(collectors_pid(run), signal.SIGKILL)
    wait_until(lambda: coded(sink, EventCode.COLLECTORS_LOST), "the loss is reported")
    (lost,) = coded(sink, EventCode.COLLECTORS_LOST)
    assert lost.detail.startswith("ended by signal 9;")
    samples = len(sink.samples)
    wait_until(lambda: len(sink.samples) > samples + 1, "the load goes on")
    run.stop()
    assert run.wait(OVER_SECONDS)
    assert run.state is RunState.STOPPED


def collectors_pid(run: Run) -> int:
    """The only process of the run that is none of a client."""
    (pid,) = {each.pid for each in processes_of_runs(psutil.Process())} - set(run.client_pids.values())
    return pid
