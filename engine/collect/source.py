"""What a source of readings is: one way of reading one machine, such as Linux over SSH or a meter on a serial port.

The collector process runs each source in a thread of its own, so a source may block; it knows nothing of the run.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.telemetry.host import HostValue


@dataclass(frozen=True, kw_only=True, slots=True)
class ClockExchange:
    """A question to a source that has a clock: sent and answered in UTC seconds of this workstation's clock.

    ``source_utc_seconds`` is the source's clock when it answered. The offset's error is at most half of the round trip,
    and what ``source_utc_seconds`` is uncertain by: ``resolution_seconds``, half a second for a clock of whole seconds
    that is given in the middle of one. "This workstation's clock" is ``engine.collect.clock.utc_now``.
    """

    sent_utc_seconds: float
    source_utc_seconds: float
    answered_utc_seconds: float
    resolution_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceReading:
    """The values of one moment.

    ``source_utc_seconds`` is that moment by the source's own clock, ``None`` for a source that has none: then
    ``here_utc_seconds``, when it was asked by this workstation's clock, stands for it.
    """

    values: tuple[HostValue, ...]
    here_utc_seconds: float
    source_utc_seconds: float | None = None
    exchange: ClockExchange | None = None


class Source(Protocol):
    """One way of reading one machine; nothing is opened before ``readings``."""

    @property
    def name(self) -> str:
        """The way, in words: ``Linux over SSH``, ``Redfish``."""
        ...

    @property
    def interval_seconds(self) -> float:
        """How long from one reading to the next: 1, or more for a source that is slower."""
        ...

    @property
    def is_average(self) -> bool:
        """Whether its values are slow averages, as those of management controllers are."""
        ...

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        """Connect, and yield a reading per interval until ``stop`` is set; returns within a second of that.

        Whoever iterates closes the generator, which frees everything. Raises ``UserError``, in one sentence that names
        the machine and the remedy, when the source can't be read or ends; the caller may call it again later. A
        counter that the source lacks is left out; what was left out may be logged.
        """
        ...


@runtime_checkable
class Lacking(Protocol):
    """A source that was asked for certain things, and knows which of them it has not found."""

    @property
    def lacking(self) -> Sequence[str]:
        """What is missing by its first reading, in words, such as ``the rule Commits``; empty before."""
        ...
