"""Receives a running run's samples and events on the collector's thread, and hands them over on request."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from engine.analysis.loads_data import LoadsData
from engine.driver.sinks import Sink
from engine.record.record import Phases, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, WorkstationLoad, WorkstationReport


@dataclass(frozen=True)
class _Began:
    at: datetime


@dataclass(frozen=True)
class _Removed:
    number: int


@dataclass(frozen=True)
class _State:
    state: RunState
    phases: Phases


_News = (
    Sample
    | ProbeSample
    | WorkstationLoad
    | MachineLoad
    | HostReading
    | CollectorStatus
    | RunEvent
    | _Began
    | _Removed
    | _State
)
_EACH_SECOND = Sample | ProbeSample | WorkstationLoad | MachineLoad | HostReading | CollectorStatus


class Drained(NamedTuple):
    """What was taken out of the inbox: new and changed events, and whether there was more than samples."""

    events: list[RunEvent]
    beyond_samples: bool


class Inbox(Sink):
    """A sink that only queues: it neither blocks the run nor raises an error."""

    def __init__(self) -> None:
        self._news: deque[_News] = deque()

    def begin(self, started_at: datetime) -> None:
        self._news.append(_Began(started_at))

    def write_sample(self, sample: Sample) -> None:
        self._news.append(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self._news.append(sample)

    def write_workstation(self, report: WorkstationReport) -> None:
        """Only the loads are shown: saturation intervals have events, and the processes are shown at the end."""
        if isinstance(report, WorkstationLoad | MachineLoad):
            self._news.append(report)

    def write_host(self, reading: HostReading) -> None:
        self._news.append(reading)

    def write_collector(self, status: CollectorStatus) -> None:
        self._news.append(status)

    def write_event(self, event: RunEvent) -> None:
        self._news.append(event)

    def remove_event(self, number: int) -> None:
        self._news.append(_Removed(number))

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._news.append(_State(state, phases))

    def drain(self, data: LoadsData) -> Drained:
        """Put everything received into ``data``, in order."""
        events: list[RunEvent] = []
        beyond_samples = False
        while self._news:
            news = self._news.popleft()
            beyond_samples |= not isinstance(news, _EACH_SECOND)
            match news:
                case Sample():
                    data.add(news)
                case ProbeSample():
                    data.add_probe(news)
                case WorkstationLoad() | MachineLoad():
                    data.set_load(news)
                case HostReading() | CollectorStatus():
                    data.take_host(news)
                case RunEvent():
                    data.put_event(news)
                    events.append(news)
                case _Removed():
                    data.remove_event(news.number)
                case _Began():
                    data.begin(news.at)
                case _State():
                    data.set_state(news.state, news.phases)
        return Drained(events, beyond_samples)
