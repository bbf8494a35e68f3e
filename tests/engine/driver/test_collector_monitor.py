"""The events of a run's collectors: each change once, with its data."""

from dataclasses import dataclass, field

from engine.driver.collector_monitor import CollectorMonitor
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading
from tests.engine.driver.runs import Gathering


@dataclass
class Monitored:
    sink: Gathering = field(default_factory=Gathering)
    events: list[RunEvent] = field(default_factory=list)
    second: float = 0.0

    def __post_init__(self) -> None:
        self.monitor = CollectorMonitor(self.sink, self.events.append, lambda: self.second)

    def receive(
        self,
        second: float,
        state: CollectorState,
        *,
        message: str = "",
        offset_seconds: float | None = None,
        error_seconds: float = 0.01,
    ) -> None:
        self.second = second
        self.monitor.receive(
            CollectorStatus(
                number=2,
                machine="db1",
                source="Linux over SSH",
                state=state,
                message=message,
                offset_seconds=offset_seconds,
                offset_error_seconds=None if offset_seconds is None else error_seconds,
            )
        )


OF_DB1 = {"collector": 2, "machine": "db1", "source": "Linux over SSH"}


def test_a_failure_is_reported_once_when_it_begins_and_once_when_it_is_over() -> None:
    run = Monitored()
    run.receive(0, CollectorState.WAITING)
    run.receive(1, CollectorState.READING)
    for second in (10, 15, 20):
        run.receive(second, CollectorState.FAILING, message="db1 is gone; start it.")
    run.receive(22.5, CollectorState.READING)
    run.receive(27.5, CollectorState.READING)
    run.receive(30, CollectorState.ENDED)

    failing, back = run.events
    assert (failing.at_seconds, failing.kind, failing.code) == (10, EventKind.WARNING, EventCode.COLLECTOR_FAILING)
    assert failing.label == "the readings of db1 (Linux over SSH) fail"
    assert failing.data == {**OF_DB1, "text": "db1 is gone; start it."}
    assert failing.detail == "db1 is gone; start it."
    assert (back.at_seconds, back.code) == (22.5, EventCode.COLLECTOR_BACK)
    assert back.label == "the readings of db1 (Linux over SSH) are back after 12.5 s"
    assert back.data == {**OF_DB1, "failed_seconds": 12.5}
    assert len(run.sink.collectors) == 8


def test_a_clock_that_is_far_off_is_reported_with_the_figure_and_again_when_it_was_set() -> None:
    run = Monitored()
    run.receive(1, CollectorState.READING, offset_seconds=0.9)
    run.receive(2, CollectorState.READING, offset_seconds=1.4, error_seconds=0.5)  # may be less than a second
    assert run.events == []
    for offset_seconds in (-90.0, -90.02, -90.5):
        run.receive(3, CollectorState.READING, offset_seconds=offset_seconds)
    run.receive(9, CollectorState.READING, offset_seconds=0.0)

    off, right = run.events
    assert off.code is right.code is EventCode.COLLECTOR_CLOCK_OFF
    assert off.label == "the clock of db1 is 90.0 s behind this workstation's"
    assert off.data == {**OF_DB1, "ahead_seconds": -90.0, "error_seconds": 0.01}
    assert right.label == "the clock of db1 is right again"


def test_readings_are_passed_on() -> None:
    run = Monitored()
    reading = HostReading(collector=2, utc_seconds=1.0, values=())
    run.monitor.receive(reading)
    assert run.sink.readings == [reading]


def test_the_end_of_the_process_is_reported_unless_it_was_asked_for() -> None:
    run = Monitored()
    run.monitor.report_lost("ended by signal 9")
    run.monitor.is_ending = True
    run.monitor.report_lost("ended with exit code 0")
    (lost,) = run.events
    assert (lost.code, lost.label) == (EventCode.COLLECTORS_LOST, "the collectors were lost")
    assert lost.detail == "ended by signal 9; from now on there are no readings of the machines"
