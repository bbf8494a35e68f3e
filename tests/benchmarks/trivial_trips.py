"""The way to the server and back as Spindle times it: trivial statements beside the load of a run.

A few users of this process think as the run's users do and send the statements that pgbench's users send in its runs:
one after the pause, when their process of the server has slept, and one hot on its heels. They are timed as the user
loop times its calls, from before the sending until the system's stamp on the answer; and until this process was woken,
as pgbench does, which says whether the stamps are plausible.
"""

import random
import selectors
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.arrival import wall_clock
from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.exchange import Exchange, exchange_over
from engine.databases.postgresql.preparing import prepare_all
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks.pgbench_steps import TRIVIAL

_USERS = 2
# Each goes on with the next of these pairs: one statement after the pause, and one after that.
_PAIRS = (("first read", "hot write"), ("first write", "hot read"))
# A run that began sooner than it was thought to has ended by then.
_MARGIN_SECONDS = 1.0


@dataclass
class Trips:
    """The milliseconds of each statement: until its answer had ``come``, and until its sender was ``woken``."""

    come: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in TRIVIAL})
    woken: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in TRIVIAL})


@dataclass(frozen=True, kw_only=True)
class _Sending:
    target: Target
    secret: Secret
    think_time_ms: float
    counts_from: float
    ends: float
    trips: Trips


@contextmanager
def sending(
    target: Target, secret: Secret, *, think_time_ms: float, after_seconds: float, seconds: float
) -> Iterator[Trips]:
    """Send them beside what the block does: from ``after_seconds`` after its beginning they count, for ``seconds``."""
    counts_from = time.monotonic() + after_seconds
    sent = _Sending(
        target=target,
        secret=secret,
        think_time_ms=think_time_ms,
        counts_from=counts_from,
        ends=counts_from + seconds - _MARGIN_SECONDS,
        trips=Trips(),
    )
    users = [threading.Thread(target=_send, args=(sent, number)) for number in range(_USERS)]
    for each in users:
        each.start()
    try:
        yield sent.trips
    finally:
        for each in users:
            each.join()


def _send(sent: _Sending, number: int) -> None:
    target = sent.target
    connection, host = connect_any(target, sent.secret, Timeouts())
    statements = {name.encode(): (text, ()) for name, text in TRIVIAL.items()}
    prepare_all(connection, statements, target.hosts[host], Timeouts().connect_seconds)
    exchange, chance = exchange_over(connection), random.Random(number)
    turn = number
    while time.monotonic() < sent.ends:
        time.sleep(chance.uniform(0, 2 * sent.think_time_ms / 1000))
        turn += 1
        for name in _PAIRS[turn % len(_PAIRS)]:
            come, woken = _trip(exchange, connection, name.encode())
            if time.monotonic() >= sent.counts_from:
                sent.trips.come[name].append(1000 * come)
                sent.trips.woken[name].append(1000 * woken)
    exchange.close()
    connection.finish()


def _trip(exchange: Exchange, connection: PGconn, statement: bytes) -> tuple[float, float]:
    """The seconds of one statement, until its answer had come and until its sender was woken."""
    exchange.prepare(statement, (), ())
    asked_at = time.monotonic()
    exchange.ask()
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        selector.select()
        woken, wall_now = time.monotonic() - asked_at, wall_clock()
        while (answer := exchange.answer()) is None:
            selector.select()
    assert answer.status == pq.ExecStatus.TUPLES_OK, answer.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)
    waited = wall_now - exchange.arrived if exchange.arrived else 0.0
    return woken - waited, woken
