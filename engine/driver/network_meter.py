"""The traffic and losses of the workstation's network during a run, on the interfaces that its clients use.

``WorkstationMonitor`` reads it on the run's collector thread, once a second; no name server is queried.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

from engine.driver.unanswered_segments import TABLES, UnansweredSegments

# The interfaces of a process's connections are read again after so many readings: a changed route is rare.
_READINGS_UNTIL_ASKED_AGAIN = 30
_MEGABIT = 125_000
_SNMP = Path("/proc/net/snmp")
# Below this share of retransmissions it does not matter whether the other side answers.
_LEAST_SENT_AGAIN_SHARE = 0.005


@dataclass(frozen=True, kw_only=True)
class NetworkReading:
    """What went over the network in the last ``seconds``.

    ``used_pct`` is the fuller direction of the fullest ``interface`` in per cent of its speed, ``None`` where no speed
    is known. ``failed_packets`` are errors and drops. ``segments`` and ``segments_again`` are what TCP sent for the
    first time and once more, of the whole workstation, ``segments_received`` what came back; ``None`` where the system
    does not count them. ``segments_unanswered`` are those of ``segments_again`` that went to somebody who did not
    answer.
    """

    seconds: float
    interface: str = ""
    used_pct: float | None = None
    packets: int = 0
    failed_packets: int = 0
    segments: int | None = None
    segments_again: int | None = None
    segments_received: int | None = None
    segments_unanswered: int = 0


class _Segments(NamedTuple):
    sent: int
    again: int
    received: int | None


class NetworkMeter:
    """Reads the system's counters, in ``snmp`` and the ``tables`` of connections; ``clock`` is monotonic."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        snmp: Path = _SNMP,
        tables: Sequence[Path] = TABLES,
    ) -> None:
        self._clock = clock
        self._snmp = snmp
        self._unanswered = UnansweredSegments(tables)
        self._interfaces: dict[int, frozenset[str]] = {}
        self._to_ask: deque[int] = deque()
        self._readings_since_asked = 0
        self._read_at: float | None = None
        self._counts: Mapping[str, tuple[int, ...]] = {}
        self._segments: _Segments | None = None

    def __call__(self, pids: Mapping[int, int]) -> NetworkReading | None:
        """The reading since the last call; ``None`` at the first call, which only sets the start."""
        self._query_one(pids)
        now, counts, segments = self._clock(), _interface_counts(), self._tcp_segments()
        began, self._read_at = self._read_at, now
        before, self._counts = self._counts, counts
        segments_before, self._segments = self._segments, segments
        if began is None or now <= began:
            return None
        used = set().union(*(self._interfaces.get(number, frozenset()) for number in pids))
        grown = {name: _differences(before[name], counts[name]) for name in used & before.keys() & counts.keys()}
        interface, used_pct = _fullest(grown, now - began)
        went = None if segments is None or segments_before is None else _since(segments_before, segments)
        return NetworkReading(
            seconds=now - began,
            interface=interface,
            used_pct=used_pct,
            packets=sum(sum(each[2:4]) for each in grown.values()),
            failed_packets=sum(sum(each[4:]) for each in grown.values()),
            segments=None if went is None else went.sent,
            segments_again=None if went is None else went.again,
            segments_received=None if went is None else went.received,
            segments_unanswered=0 if went is None else self._count_unanswered(went),
        )

    def _query_one(self, pids: Mapping[int, int]) -> None:
        """Find out the interfaces of one process's connections: it takes milliseconds, so only one at each reading."""
        new = [number for number in pids if number not in self._interfaces]
        self._readings_since_asked += 1
        if new:
            number = new[self._readings_since_asked % len(new)]
        elif pids and self._readings_since_asked >= _READINGS_UNTIL_ASKED_AGAIN:
            self._to_ask = self._to_ask or deque(pids)
            number = self._to_ask.popleft()
            self._readings_since_asked = 0
        else:
            return
        # Nothing is learnt from a process without connections, perhaps in an outage: what was known of it stays.
        if number in pids and (found := _interfaces_of(pids[number])):
            self._interfaces[number] = found

    def _count_unanswered(self, went: _Segments) -> int:
        """Count also at few retransmissions while a connection is unanswered: its pauses grow to many seconds."""
        if went.again <= _LEAST_SENT_AGAIN_SHARE * went.sent and not self._unanswered.are_outstanding:
            return 0
        return self._unanswered.count()

    def _tcp_segments(self) -> _Segments | None:
        """tcpOutSegs, tcpRetransSegs and tcpInSegs of RFC 4022."""
        try:
            lines = [line.split() for line in self._snmp.read_text(encoding="ascii").splitlines()]
        except (OSError, ValueError):
            return None
        tables = [line for line in lines if line and line[0] == "Tcp:"]
        if len(tables) != 2:
            return None
        values = dict(zip(*tables, strict=False))
        try:
            received = int(values["InSegs"]) if "InSegs" in values else None
            return _Segments(int(values["OutSegs"]), int(values["RetransSegs"]), received)
        except (KeyError, ValueError):
            return None


def _since(before: _Segments, now: _Segments) -> _Segments:
    received = None if now.received is None or before.received is None else now.received - before.received
    return _Segments(now.sent - before.sent, now.again - before.again, received)


def _interface_counts() -> dict[str, tuple[int, ...]]:
    """Bytes and packets, sent and received, then errors and drops in and out."""
    return {name: tuple(counts) for name, counts in psutil.net_io_counters(pernic=True).items()}


def _differences(before: tuple[int, ...], now: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(0, after - earlier) for earlier, after in zip(before, now, strict=True))


def _fullest(grown: Mapping[str, tuple[int, ...]], seconds: float) -> tuple[str, float | None]:
    """The interface that uses most of its speed, and how much of it, in per cent."""
    stats = psutil.net_if_stats() if grown else {}
    used = {
        name: 100 * max(each[:2]) / seconds / (stats[name].speed * _MEGABIT)
        for name, each in grown.items()
        if name in stats and stats[name].speed > 0
    }
    fullest = max(used, key=used.__getitem__, default="")
    return fullest, used.get(fullest)


def _interfaces_of(pid: int) -> frozenset[str]:
    """The interfaces whose addresses the connections of a process have at this end."""
    try:
        connections = psutil.Process(pid).net_connections("tcp")
    except (psutil.Error, OSError):
        return frozenset()
    ours = {each.laddr.ip.removeprefix("::ffff:") for each in connections if each.raddr}
    addresses = psutil.net_if_addrs().items()
    return frozenset(name for name, known in addresses if any(each.address.split("%")[0] in ours for each in known))
