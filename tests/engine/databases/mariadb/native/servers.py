"""Connections by the native protocol to a real server, without a store: to log in, and to ask a little."""

import select
from collections.abc import Iterator
from contextlib import contextmanager

from engine.databases.database import Timeouts
from engine.databases.exchange import compiled
from engine.databases.exchange.calls import PreparedCall
from engine.databases.mariadb.native.connection import Attempt, Connection
from engine.databases.mariadb.native.session import _failure_in
from engine.databases.racing import first_accepted
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target

_TIMEOUTS = Timeouts(connect_seconds=10.0)


class Client:
    """Whoever is connected; ``query`` gives the rows of a statement as texts."""

    def __init__(self, connection: Connection) -> None:
        self.is_encrypted = connection.cipher is not None
        self._exchange = compiled.Exchange(connection.fileno(), "mysql", connection.cipher)
        self._fileno = connection.fileno()

    def query(self, statement: str) -> list[tuple[str | None, ...]]:
        self._exchange.prepare(PreparedCall(None, statement, (), None, None), ())
        self._exchange.send()
        while (answer := self._exchange.receive()) is None:
            assert select.select([self._fileno], [], [], 10)[0], statement
        failure = _failure_in(answer)
        assert failure is None, f"{statement}: {failure}"
        values = [[answer.get_value(row, each) for each in range(answer.nfields)] for row in range(answer.ntuples)]
        return [tuple(None if value is None else value.decode() for value in row) for row in values]


@contextmanager
def connected(target: Target, secret: Secret | None) -> Iterator[Client]:
    """A client that has logged in; raises ``TargetError``."""

    def start(host: Host, address: str) -> Attempt:
        return Attempt(
            target, host, address, secret, _TIMEOUTS, settings="SET @spindle = 1", statements=(), writes=False
        )

    def nowhere(host: Host) -> TargetError:
        raise AssertionError(f"{host} leads nowhere")

    made, _ = first_accepted(target, 0, start, nowhere)
    assert made.connection is not None
    try:
        yield Client(made.connection)
    finally:
        made.connection.close(in_order=True)
