"""Counts TCP's retransmissions to hosts that do not answer: a server that is down is no lossy network.

On a lossy network nearly every retransmission arrives and is acknowledged at once; to a server that is down each
connection retransmits repeatedly, with growing pauses. ``NetworkMeter`` uses this only when there are retransmissions:
reading the system's table takes some milliseconds for a thousand connections.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _SENT_AGAIN = 1, 2, 6
_NEVER = "00000000"

# By the two ends of each connection: how often it has retransmitted since its last acknowledgement, if at all.
_Connections = dict[tuple[str, str], int]


class UnansweredSegments:
    """Reads the system's ``tables`` of connections, including those that no process holds any more."""

    def __init__(self, tables: Sequence[Path] = TABLES) -> None:
        self._tables = tables
        self._before: _Connections = {}

    @property
    def are_outstanding(self) -> bool:
        """Whether a connection was unanswered at the last count."""
        return bool(self._before)

    def count(self) -> int:
        """The retransmissions, since the last count, of connections that were unanswered then or are now."""
        before, self._before = self._before, self._read()
        now = self._before
        return sum(_grown(before.get(ends, 0), now.get(ends, 0)) for ends in before.keys() | now.keys())

    def _read(self) -> _Connections:
        return {ends: times for table in self._tables for ends, times in _connections(_lines(table))}


def _grown(before: int, now: int) -> int:
    """A connection whose count has fallen was answered or given up, after at least one more retransmission."""
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
