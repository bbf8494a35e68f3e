"""The way to the server and back as Spindle times it: trivial statements beside the load of a run.

A few users of this process think as the run's users do and send the statements that pgbench's users send in its runs:
one after the pause, when their process of the server has slept, and one hot on its heels. They are timed as the user
loop times its calls, from before the sending until the system's stamp on the answer.
"""

import random
import selectors
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.preparing import prepare_all
from engine.driver.arrival import Arrival, wall_clock
from engine.secrets import Secret
from engine.target import Target
from tests.benchmarks.pgbench_steps import TRIVIAL

_USERS = 2
# Each goes on with the next of these pairs: one statement after the pause, and one after that.
_PAIRS = (("first read", "hot write"), ("first write", "hot read"))


@contextmanager
def sending(
    target: Target, secret: Secret, *, think_time_ms: float, after_seconds: float
) -> Iterator[Mapping[str, list[float]]]:
    """Send them until the block ends; the milliseconds of each from ``after_seconds`` after its beginning on."""
    trips: dict[str, list[float]] = {name: [] for name in TRIVIAL}
    stop = threading.Event()
    counts_from = time.monotonic() + after_seconds
    users = [
        threading.Thread(target=_send, args=(target, secret, think_time_ms, counts_from, stop, trips, number))
        for number in range(_USERS)
    ]
    for each in users:
        each.start()
    try:
        yield trips
    finally:
        stop.set()
        for each in users:
            each.join()


def _send(
    target: Target,
    secret: Secret,
    think_time_ms: float,
    counts_from: float,
    stop: threading.Event,
    trips: Mapping[str, list[float]],
    number: int,
) -> None:
    connection, host = connect_any(target, secret, Timeouts())
    statements = {name.encode(): (text, ()) for name, text in TRIVIAL.items()}
    prepare_all(connection, statements, target.hosts[host], Timeouts().connect_seconds)
    arrival, chance = Arrival(connection.socket), random.Random(number)
    turn = number
    while not stop.wait(chance.uniform(0, 2 * think_time_ms / 1000)):
        turn += 1
        for name in _PAIRS[turn % len(_PAIRS)]:
            milliseconds = 1000 * _trip(connection, arrival, name.encode())
            if time.monotonic() >= counts_from:
                trips[name].append(milliseconds)
    arrival.leave()
    connection.finish()


def _trip(connection: PGconn, arrival: Arrival, statement: bytes) -> float:
    """The seconds of one statement."""
    asked_at = time.monotonic()
    connection.send_query_prepared(statement, (), result_format=pq.Format.BINARY)
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        selector.select()
    seconds = time.monotonic() - asked_at - arrival.waited(wall_clock())
    connection.consume_input()
    while (result := connection.get_result()) is not None:
        assert result.status == pq.ExecStatus.TUPLES_OK, result.get_error_message()
    return seconds
