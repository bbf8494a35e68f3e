"""The receivers of a run's samples, events and states: any number of sinks, which cannot block or break the run."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from engine.record.projection import Projection
from engine.record.record import Phases, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationReport

_log = logging.getLogger(__name__)


class Sink(Protocol):
    """A receiver of a run's samples, events and states, called on its collector thread; it must return at once.

    A class derived from it ignores what it does not define.
    """

    def begin(self, started_at: datetime) -> None:
        """The epoch is fixed: second 0 begins at ``started_at`` (UTC)."""
        return

    def write_sample(self, sample: Sample) -> None:
        return

    def write_probe(self, sample: ProbeSample) -> None:
        return

    def write_workstation(self, report: WorkstationReport) -> None:
        return

    def write_host(self, reading: HostReading) -> None:
        """A machine's counters or watts; also before ``begin``, since collectors read before the load begins."""
        return

    def write_collector(self, status: CollectorStatus) -> None:
        """A collector's state; it replaces an earlier one with the same number."""
        return

    def write_event(self, event: RunEvent) -> None:
        """An event of the run; it replaces an earlier event with the same number."""
        return

    def remove_event(self, number: int) -> None:
        """The event of this number is removed."""
        return

    def set_state(self, state: RunState, phases: Phases) -> None:
        """The run's present state and phases; also called when only the phases have changed."""
        return


class LoadSink(Sink):
    """Passes on to another sink what belongs to one load of a mixed run, as if that were a run of its own."""

    def __init__(self, projection: Projection, sink: Sink) -> None:
        self._of = projection
        self._sink = sink

    def begin(self, started_at: datetime) -> None:
        self._sink.begin(started_at)

    def write_sample(self, sample: Sample) -> None:
        if (own := self._of.sample(sample)) is not None:
            self._sink.write_sample(own)

    def write_probe(self, sample: ProbeSample) -> None:
        if (own := self._of.probe(sample)) is not None:
            self._sink.write_probe(own)

    def write_workstation(self, report: WorkstationReport) -> None:
        if (own := self._of.workstation(report)) is not None:
            self._sink.write_workstation(own)

    def write_host(self, reading: HostReading) -> None:
        self._sink.write_host(reading)

    def write_collector(self, status: CollectorStatus) -> None:
        self._sink.write_collector(status)

    def write_event(self, event: RunEvent) -> None:
        if (own := self._of.event(event)) is not None:
            self._sink.write_event(own)

    def remove_event(self, number: int) -> None:
        self._sink.remove_event(number)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._sink.set_state(state, phases)


class AllSinks:
    """Passes everything to each of its sinks; one that raises is removed and logged, the others continue."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = list(sinks)

    def begin(self, started_at: datetime) -> None:
        self._each(lambda sink: sink.begin(started_at))

    def write_sample(self, sample: Sample) -> None:
        self._each(lambda sink: sink.write_sample(sample))

    def write_probe(self, sample: ProbeSample) -> None:
        self._each(lambda sink: sink.write_probe(sample))

    def write_workstation(self, report: WorkstationReport) -> None:
        self._each(lambda sink: sink.write_workstation(report))

    def write_host(self, reading: HostReading) -> None:
        self._each(lambda sink: sink.write_host(reading))

    def write_collector(self, status: CollectorStatus) -> None:
        self._each(lambda sink: sink.write_collector(status))

    def write_event(self, event: RunEvent) -> None:
        self._each(lambda sink: sink.write_event(event))

    def remove_event(self, number: int) -> None:
        self._each(lambda sink: sink.remove_event(number))

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._each(lambda sink: sink.set_state(state, phases))

    def _each(self, call: Callable[[Sink], None]) -> None:
        for sink in tuple(self._sinks):
            try:
                call(sink)
            except Exception:
                _log.exception("a receiver of the run's news failed and gets no more of them: %r", sink)
                self._sinks.remove(sink)
