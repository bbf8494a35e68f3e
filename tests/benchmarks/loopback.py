"""The time of a call beyond the server's work on it: the loopback, and the waits for a processor.

Taken from calls that are not judged, in the seconds and under the load in which the others are: from the packet of such
a question to the last one of its answer, less what the server's log says of that very call, and of the ends of such
calls' transactions on average. The trivial reads
of pgbench's users stand for the first call of an order, which finds a process of the server that slept while its user
thought, and for the search behind a login, which finds one that has hardly woken up; a price look-up, which is in no
response time, stands for the others.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tests.benchmarks.server_view import LoggedCall
from tests.benchmarks.wire_calls import WireCall

# The server's log has its moments in milliseconds, cut off.
_LOG_SECONDS = 0.001
_LEAST_SHARE = 0.99


def beyond_ms(
    wire: Iterable[WireCall], logged: Iterable[LoggedCall], driver: str, name: str, begin: float, end: float
) -> list[float]:
    """Of one driver's calls of a statement that ended in a span of the wall clock: milliseconds beyond the server's.

    Raises ``ValueError`` when the log has not nearly all of them, or other ones.
    """
    in_log: dict[int, list[LoggedCall]] = defaultdict(list)
    for call in logged:
        if call.name == name:
            in_log[call.port].append(call)
    seen = [call for call in wire if (call.driver, call.name) == (driver, name) and begin <= call.answered_at < end]
    by_port: dict[int, list[WireCall]] = defaultdict(list)
    for each in seen:
        by_port[each.port].append(each)
    found = [ms for port, calls in by_port.items() for ms in _pairs_ms(calls, in_log[port])]
    if not seen or len(found) < _LEAST_SHARE * len(seen):
        raise ValueError(f"of {len(seen)} calls of {driver}'s that were seen, {name}, the server logged {len(found)}")
    return found


def _pairs_ms(seen: Sequence[WireCall], logged: Sequence[LoggedCall]) -> Iterator[float]:
    """What the packets have beyond the log; both are of one connection, in order. A call that is in one alone is left
    out."""
    rest = iter(logged)
    in_log = next(rest, None)
    for call in seen:
        while in_log is not None and in_log.ended_at < call.asked_at - _LOG_SECONDS:
            in_log = next(rest, None)
        if in_log is not None and in_log.ended_at <= call.answered_at:
            yield 1000 * (call.answered_at - call.asked_at) - in_log.milliseconds
            in_log = next(rest, None)
