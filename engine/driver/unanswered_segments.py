"""How much TCP sends again to somebody who does not answer: what tells a server that is lost from a lossy network.

On a lossy network nearly all that is sent again arrives and is answered at once; to a lost server each connection sends
again and again, with pauses that grow. ``NetworkMeter`` asks, and only where something is sent again: the system's
table takes some milliseconds for a thousand connections.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _SENT_AGAIN = 1, 2, 6
_NEVER = "00000000"

# How often each connection, by its two ends, has sent again since it was answered last; none that was answered.
_Connections = dict[tuple[str, str], int]


class UnansweredSegments:
    """Reads the system's ``tables`` of the connections, also of those that no process holds any more."""

    def __init__(self, tables: Sequence[Path] = TABLES) -> None:
        self._tables = tables
        self._before: _Connections = {}

    @property
    def are_outstanding(self) -> bool:
        """Whether somebody had not answered at the last count."""
        return bool(self._before)

    def count(self) -> int:
        """How many were sent again, since the last count, by connections that got no answer until then or now."""
        before, self._before = self._before, self._read()
        now = self._before
        return sum(_grown(before.get(ends, 0), now.get(ends, 0)) for ends in before.keys() | now.keys())

    def _read(self) -> _Connections:
        return {ends: times for table in self._tables for ends, times in _connections(_lines(table))}


def _grown(before: int, now: int) -> int:
    """One that was answered, or given up, had sent again before."""
    return now - before if now >= before else 1 + now


def _lines(table: Path) -> list[str]:
    try:
        return table.read_text(encoding="ascii").splitlines()[1:]
    except (OSError, ValueError):
        return []


def _connections(lines: Iterable[str]) -> Iterable[tuple[tuple[str, str], int]]:
    for line in lines:
        columns = line.split()
        if len(columns) <= _SENT_AGAIN or columns[_SENT_AGAIN] == _NEVER:
            continue
        try:
            yield (columns[_LOCAL], columns[_REMOTE]), int(columns[_SENT_AGAIN], 16)
        except ValueError:
            continue
