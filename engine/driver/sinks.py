"""Where a run's news go: to any number of sinks, none of which can block or break the run."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from engine.record.record import Phases, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample

_log = logging.getLogger(__name__)


class Sink(Protocol):
    """A receiver of a run's news, called on the run's collector thread; it must return at once."""

    def begin(self, started_at: datetime) -> None:
        """The epoch is fixed: second 0 begins at ``started_at`` (UTC)."""
        ...

    def write_sample(self, sample: Sample) -> None: ...

    def write_probe(self, sample: ProbeSample) -> None: ...

    def write_event(self, event: RunEvent) -> None:
        """An event of the run; one with a number that was told before takes that one's place."""
        ...

    def remove_event(self, number: int) -> None:
        """The event of this number is taken back."""
        ...

    def set_state(self, state: RunState, phases: Phases) -> None:
        """The run's state and phases as they are now; the same state comes again when the phases have changed."""
        ...


class AllSinks:
    """Hands everything to each of its sinks; one that fails is dropped with a log line, the others go on."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = list(sinks)

    def begin(self, started_at: datetime) -> None:
        self._each(lambda sink: sink.begin(started_at))

    def write_sample(self, sample: Sample) -> None:
        self._each(lambda sink: sink.write_sample(sample))

    def write_probe(self, sample: ProbeSample) -> None:
        self._each(lambda sink: sink.write_probe(sample))

    def write_event(self, event: RunEvent) -> None:
        self._each(lambda sink: sink.write_event(event))

    def remove_event(self, number: int) -> None:
        self._each(lambda sink: sink.remove_event(number))

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._each(lambda sink: sink.set_state(state, phases))

    def _each(self, tell: Callable[[Sink], None]) -> None:
        for sink in tuple(self._sinks):
            try:
                tell(sink)
            except Exception:
                _log.exception("a receiver of the run's news failed and gets no more of them: %r", sink)
                self._sinks.remove(sink)
