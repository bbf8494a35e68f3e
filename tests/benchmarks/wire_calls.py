"""From packets to calls: whose each was, which statement, and how long it was under way.

A call is under way from the packet of its question to the last packet before the connection's next question. Which
statement it asks stands in the question (Bind, with the name of a prepared statement) and, for pgbench, whose names are
numbers, in the message that prepared it (Parse, with its name and text): PostgreSQL's manual, "Message Formats".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from engine.databases.postgresql.exchange import name_of
from engine.workloads.dvdstore.bindings.postgresql.calls import CALLS
from tests.benchmarks import twins
from tests.benchmarks.pgbench_log import Logged, Times
from tests.benchmarks.pgbench_steps import CALLS as WITH_TWINS
from tests.benchmarks.pgbench_steps import ENTRIES, THINK, times_by_step
from tests.benchmarks.server_view import STATEMENTS

SPINDLE, PGBENCH = "spindle", "pgbench"

_BIND, _PARSE = ord("B"), ord("P")
_HEAD_BYTES = 5  # the type of a message, and its length
_BROWSE = "browse"
# The statements of Spindle's sessions by their names.
_NAMES = {name_of(call): _BROWSE if key.startswith(_BROWSE) else key for key, call in CALLS.calls.items()}


@dataclass(frozen=True, slots=True)
class Packet:
    """One that carries something: ``at`` by the wall clock, ``port`` is the client's, ``content`` how it begins."""

    at: float
    port: int
    from_server: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class WireCall:
    """One call of a step, a price look-up, the trivial read or a twin; moments are by the wall clock."""

    driver: str
    port: int
    name: str
    asked_at: float
    answered_at: float


@dataclass
class _Connection:
    """What is known of one by the packets until now."""

    names: dict[bytes, str] = field(default_factory=lambda: dict(_NAMES))
    is_pgbench: bool = False
    asked: Packet | None = None
    answered_at: float = 0.0
    calls: list[WireCall] = field(default_factory=list)


def calls_of(packets: Iterable[Packet]) -> list[WireCall]:
    """The calls that were answered, those of each connection in order."""
    connections: dict[int, _Connection] = {}
    for packet in packets:
        connection = connections.setdefault(packet.port, _Connection())
        if packet.from_server:
            connection.answered_at = packet.at
        elif connection.asked is None or connection.answered_at > connection.asked.at:
            _end_call(connection)
            connection.asked = packet
    for connection in connections.values():
        _end_call(connection)
    return [replace(call, driver=_driver(each)) for each in connections.values() for call in each.calls]


def times_on_the_wire(calls: Sequence[WireCall], driver: str, begin: float, end: float) -> dict[str, Times]:
    """A driver's times of each step, and of whole orders, by the calls that ended in a span of the wall clock.

    Counted as ``pgbench_steps.times_by_step`` counts: an order whose entry is not timed is left out.
    """
    logged: list[Logged] = []
    for call in calls:
        if call.driver == driver and begin <= call.answered_at < end:
            us = round(1e6 * (call.answered_at - call.asked_at))
            if call.name in ENTRIES:
                logged.append(Logged(client=call.port, name=THINK, us=0, ended_at=call.asked_at))
            logged.append(Logged(client=call.port, name=call.name, us=us, ended_at=call.answered_at))
    return times_by_step(logged)


def _end_call(connection: _Connection) -> None:
    """Note the call whose answer has come, if it is one of those that count."""
    asked = connection.asked
    if asked is None or connection.answered_at <= asked.at:
        return
    kind, fields = asked.content[0], asked.content[_HEAD_BYTES:].split(b"\0", 2)
    if kind == _PARSE:
        _learn(connection, fields)
    elif kind == _BIND and fields[1] in connection.names:
        name = connection.names[fields[1]]
        connection.calls.append(WireCall("", asked.port, name, asked.at, connection.answered_at))


def _learn(connection: _Connection, fields: Sequence[bytes]) -> None:
    """What a name of pgbench's stands for, by how the text begins."""
    name, begins = fields[0], fields[1].decode(errors="replace")
    if name not in _NAMES and (known := _statement(begins)):
        connection.names[name] = known
        connection.is_pgbench = True


def _statement(begins: str) -> str:
    """What it is called; empty for any other, and for the parts of a twin that do not begin it."""
    if begins.startswith(twins.MARK):
        return ""
    begun = (twins.twin_of(call) for call in WITH_TWINS if begins.startswith(twins.begin(call)))
    return next(begun, next((name for name, part in STATEMENTS.items() if part in begins), ""))


def _driver(connection: _Connection) -> str:
    return PGBENCH if connection.is_pgbench else SPINDLE
