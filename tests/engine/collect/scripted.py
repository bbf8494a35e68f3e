"""Sources for the tests of collectors: a script takes the place of the machine."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.collect.clock import utc_now
from engine.collect.source import ClockExchange, SourceReading
from engine.errors import UserError
from engine.telemetry.host import HostValue

VALUES = (HostValue("", "CPU", "%", 12.0),)


def reading_here() -> SourceReading:
    return SourceReading(values=VALUES, here_utc_seconds=utc_now())


def reading_there(ahead_seconds: float) -> SourceReading:
    """Of a source whose clock is ahead, and which answered within a moment."""
    now = utc_now()
    exchange = ClockExchange(
        sent_utc_seconds=now - 0.001, source_utc_seconds=now + ahead_seconds, answered_utc_seconds=now + 0.001
    )
    return SourceReading(values=VALUES, here_utc_seconds=now, source_utc_seconds=now + ahead_seconds, exchange=exchange)


@dataclass
class Scripted:
    """Each connection yields the readings of one part of the script, and then raises ``error`` or ends."""

    script: list[list[SourceReading]]
    error: Exception | None = None
    name: str = "a script"
    interval_seconds: float = 1.0
    is_average: bool = False
    closed: int = 0
    connections: list[float] = field(default_factory=list)

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        self.connections.append(utc_now())
        try:
            yield from self.script.pop(0) if self.script else []
            if self.error is not None:
                raise self.error
        finally:
            self.closed += 1


class Unreachable:
    """A source that never answers with a reading."""

    name = "nowhere"
    interval_seconds = 1.0
    is_average = False

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        raise UserError("db9 refused the connection; start its SSH server.")
        yield


class Steady:
    """A reading every 50 ms, by a clock that is 90 s ahead."""

    name = "steady"
    interval_seconds = 0.05
    is_average = False

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        while not stop.wait(self.interval_seconds):
            yield reading_there(90.0)
