"""An error of the system under test as a client reports it: counted in the second's sample, told once as an event."""

from typing import NamedTuple

from engine.driver.timebase import Timebase
from engine.telemetry.event import EventCode, EventKind, RunEvent


class ErrorMessage(NamedTuple):
    """The message of an error with its class, and when a call first failed with it, on the monotonic clock."""

    error_class: str
    text: str
    at: float

    def event(self, client: int, timebase: Timebase) -> RunEvent:
        return RunEvent(
            at_seconds=timebase.event_seconds(self.at),
            kind=EventKind.TARGET_ERROR,
            label=f"{self.error_class}: {self.text}",
            code=EventCode.SERVER_ERROR,
            data={"error_class": self.error_class, "text": self.text},
            client=client,
        )
