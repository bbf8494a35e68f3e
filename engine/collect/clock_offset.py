"""How far a source's clock is ahead of this workstation's, from questions and answers.

A question is sent at ``s`` and answered at ``a`` by the workstation's clock; the source reads its clock somewhere
between. So its offset is that reading less ``(s + a) / 2``, wrong by half of ``a - s`` at most, however unequal the two
ways are. Of the last exchanges that with the least round trip has the least error (as in NTP's clock filter, RFC 5905,
section 10).
"""

from collections import deque
from dataclasses import dataclass

from engine.collect.source import ClockExchange

EXCHANGES = 10
_LEAST_DRIFT_SECONDS = 60.0
# More than clocks drift or are slewed by within ten exchanges: the clock was set.
_SET_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Offset:
    """The source's clock is ``seconds`` ahead, known within ``error_seconds``, at a moment of this workstation's."""

    seconds: float
    error_seconds: float
    at_utc_seconds: float

    def contradicts(self, other: "Offset", by_seconds: float = 0.0) -> bool:
        """Whether no single offset is within the errors of both, by more than ``by_seconds``."""
        return abs(self.seconds - other.seconds) > self.error_seconds + other.error_seconds + by_seconds


def offset_of(exchange: ClockExchange) -> Offset:
    """The offset that one exchange shows."""
    sent, answered = exchange.sent_utc_seconds, exchange.answered_utc_seconds
    return Offset(
        seconds=exchange.source_utc_seconds - (sent + answered) / 2,
        error_seconds=max(0.0, answered - sent) / 2 + exchange.resolution_seconds,
        at_utc_seconds=answered,
    )


class ClockOffset:
    """The offset by the last ten exchanges; ``now`` is ``None`` before the first."""

    def __init__(self) -> None:
        self.now: Offset | None = None
        self._recent: deque[Offset] = deque(maxlen=EXCHANGES)
        self._first: Offset | None = None

    def add(self, exchange: ClockExchange) -> None:
        """Take one exchange into account.

        One that is far from those before it shows that a clock was set: they are dropped.
        """
        newest = offset_of(exchange)
        if any(newest.contradicts(each, _SET_SECONDS) for each in self._recent):
            self._recent.clear()
            self._first = None
        self._recent.append(newest)
        self.now = min(self._recent, key=lambda each: each.error_seconds)
        if self._first is None and len(self._recent) == EXCHANGES:
            self._first = self.now

    @property
    def drift_ppm(self) -> float | None:
        """How fast the source's clock gains on this one, in millionths.

        ``None`` in the first minute, and while the change is less than the errors of its two ends.
        """
        if self.now is None or self._first is None or not self.now.contradicts(self._first):
            return None
        seconds = self.now.at_utc_seconds - self._first.at_utc_seconds
        if seconds < _LEAST_DRIFT_SECONDS:
            return None
        return 1e6 * (self.now.seconds - self._first.seconds) / seconds
