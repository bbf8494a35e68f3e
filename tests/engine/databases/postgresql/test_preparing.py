"""Statements are prepared in one go, or not at all."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.preparing import prepare_all
from engine.databases.postgresql.wire import INT4, packed
from engine.errors import ErrorClass, TargetError
from engine.lab.server import EmbeddedServer
from tests.doubles.proxy import SilentProxy

_PLENTY_SECONDS = 30.0


@pytest.fixture
def connection(embedded_server: EmbeddedServer) -> Iterator[PGconn]:
    target = embedded_server.target("postgres")
    connection, _ = connect_any(target, embedded_server.secret, Timeouts())
    yield connection
    connection.finish()


def test_every_statement_can_be_called_afterwards(connection: PGconn, embedded_server: EmbeddedServer) -> None:
    statements = {b"one": ("SELECT 1", ()), b"more": ("SELECT $1 + 1", (INT4,))}
    prepare_all(connection, statements, embedded_server.target().hosts[0], _PLENTY_SECONDS)

    result = connection.exec_prepared(b"more", [packed(41, INT4)], [pq.Format.BINARY], pq.Format.TEXT)
    assert result.get_value(0, 0) == b"42"
    assert connection.exec_prepared(b"one", []).get_value(0, 0) == b"1"


def test_refused_statement_raises(connection: PGconn, embedded_server: EmbeddedServer) -> None:
    statements = {b"good": ("SELECT 1", ()), b"bad": ("SELECT * FROM no_such_table", ())}

    with pytest.raises(TargetError, match="no_such_table") as caught:
        prepare_all(connection, statements, embedded_server.target().hosts[0], _PLENTY_SECONDS)
    assert caught.value.error_class is ErrorClass.OTHER


def test_a_server_that_falls_silent_is_given_up_on(embedded_server: EmbeddedServer) -> None:
    target = embedded_server.target("postgres")
    with SilentProxy(target.hosts[0]) as proxy:
        connection, _ = connect_any(replace(target, hosts=(proxy.host,)), embedded_server.secret, Timeouts())
        assert proxy.silence() == 1

        with pytest.raises(TargetError, match="did not answer") as caught:
            prepare_all(connection, {b"one": ("SELECT 1", ())}, proxy.host, 0.2)
        connection.finish()
    assert caught.value.error_class is ErrorClass.TIMEOUT


def test_closing_server_is_a_lost_connection(embedded_server: EmbeddedServer) -> None:
    target = embedded_server.target("postgres")
    with SilentProxy(target.hosts[0]) as proxy:
        connection, _ = connect_any(replace(target, hosts=(proxy.host,)), embedded_server.secret, Timeouts())
    with pytest.raises(TargetError) as caught:
        prepare_all(connection, {b"one": ("SELECT 1", ())}, proxy.host, _PLENTY_SECONDS)
    connection.finish()
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    assert not caught.value.usable
