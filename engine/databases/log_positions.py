"""How far a primary's log had got at each moment, and so for how long a standby has lacked what it has not applied.

A server's own figure of a lag is of what the standby has received or confirmed, so it stands still, or is unknown, when
replication does; the age of the first position that the standby lacks does not.
"""

from collections import deque
from collections.abc import Mapping

Position = Mapping[str, float]
"""How far a log has got: bytes, or the number of transactions of each server that ever wrote into it."""

_MOST_POSITIONS = 3_600


class LogPositions:
    """The positions of a primary at each reading of the last hour, by a clock that only goes on."""

    def __init__(self) -> None:
        self._positions: deque[tuple[float, Position]] = deque(maxlen=_MOST_POSITIONS)

    def add(self, at_seconds: float, position: Position) -> None:
        if self._positions and _is_further(self._positions[-1][1], position):
            self._positions.clear()  # another server
        self._positions.append((at_seconds, position))

    def lag_seconds(self, at_seconds: float, applied: Position) -> float:
        """For how long at least the log had been further than ``applied``, which was the standby's at that moment."""
        lacking = next((at for at, position in self._positions if _is_further(position, applied)), at_seconds)
        return max(0.0, at_seconds - lacking)


def _is_further(position: Position, other: Position) -> bool:
    return any(count > other.get(part, 0.0) for part, count in position.items())
