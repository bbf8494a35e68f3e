"""Passing a run's items to sinks: one that fails does not affect the others."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.driver.sinks import AllSinks
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading, HostValue
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationLoad, WorkstationReport
from tests.doubles.samples import dvd_sample

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLE = dvd_sample(client=1, second=0)
PROBE = ProbeSample(store=1, second=0, slots="wwwwwwwwww", host="a:5432")
LOAD = WorkstationLoad(second=7, machine_pct=40.0, clients_pct=20.0, busiest_process_pct=9.0, is_bottleneck=False)
READING = HostReading(collector=1, utc_seconds=1.8e9, values=(HostValue("", "CPU", "%", 41.0),))
STATUS = CollectorStatus(number=1, machine="db1", source="Linux over SSH", state=CollectorState.READING)
NUMBER = 4
EVENT = RunEvent(at_seconds=1.5, kind=EventKind.MARK, label="here", number=NUMBER)


class Remembering:
    def __init__(self, *, fails_at: object = None) -> None:
        self.received: list[tuple[Any, ...]] = []
        self._fails_at = fails_at

    def begin(self, started_at: datetime) -> None:
        self._receive(started_at)

    def write_sample(self, sample: Sample) -> None:
        self._receive(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self._receive(sample)

    def write_workstation(self, report: WorkstationReport) -> None:
        self._receive(report)

    def write_host(self, reading: HostReading) -> None:
        self._receive(reading)

    def write_collector(self, status: CollectorStatus) -> None:
        self._receive(status)

    def write_event(self, event: RunEvent) -> None:
        self._receive(event)

    def remove_event(self, number: int) -> None:
        self._receive(number)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._receive(state, phases)

    def _receive(self, *item: object) -> None:
        self.received.append(item)
        if self._fails_at in item:
            raise OSError("the disk is full")


def send_all(sinks: AllSinks) -> list[tuple[Any, ...]]:
    sinks.begin(BEGAN)
    sinks.write_sample(SAMPLE)
    sinks.write_probe(PROBE)
    sinks.write_workstation(LOAD)
    sinks.write_host(READING)
    sinks.write_collector(STATUS)
    sinks.write_event(EVENT)
    sinks.remove_event(NUMBER)
    sinks.set_state(RunState.MEASURING, Phases(warming_up_from=3))
    return [
        (BEGAN,),
        (SAMPLE,),
        (PROBE,),
        (LOAD,),
        (READING,),
        (STATUS,),
        (EVENT,),
        (NUMBER,),
        (RunState.MEASURING, Phases(warming_up_from=3)),
    ]


def test_all_sinks_receive_everything_in_order() -> None:
    first, second = Remembering(), Remembering()

    sent = send_all(AllSinks([first, second]))

    assert first.received == sent
    assert second.received == sent


@pytest.mark.parametrize("fails_at", [BEGAN, SAMPLE, PROBE, READING, STATUS, EVENT, NUMBER, RunState.MEASURING])
def test_failing_sink_is_removed_and_the_others_continue(fails_at: object, caplog: pytest.LogCaptureFixture) -> None:
    failing, well = Remembering(fails_at=fails_at), Remembering()
    sinks = AllSinks([failing, well])

    with caplog.at_level(logging.ERROR):
        sent = send_all(sinks)
        send_all(sinks)

    assert well.received == sent + sent
    assert fails_at in failing.received[-1]
    assert len(failing.received) <= len(sent)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
