"""Statements of injections, on the session's real server and behind a proxy that falls silent."""

import pytest

from engine.databases import database_of
from engine.errors import ErrorClass, TargetError
from engine.lab.server import EmbeddedServer
from engine.target.target import Host
from tests.doubles.proxy import SilentProxy

POSTGRESQL = database_of("postgresql")


def execute(server: EmbeddedServer, statement: str, *, host: Host | None = None, seconds: float = 20.0) -> str:
    target = server.target("postgres")
    return POSTGRESQL.execute(target, host or target.hosts[0], server.secret, statement, timeout_seconds=seconds)


def test_output_of_statements(embedded_server: EmbeddedServer) -> None:
    assert execute(embedded_server, "SELECT 1, NULL, 'é'; CHECKPOINT") == "1, null, é\nSELECT 1\nCHECKPOINT"
    assert execute(embedded_server, "SELECT generate_series(1, 30)").splitlines()[-1] == "SELECT 30"


def test_what_the_server_refuses(embedded_server: EmbeddedServer) -> None:
    with pytest.raises(TargetError, match="division by zero") as refused:
        execute(embedded_server, "SELECT 1/0")
    assert refused.value.undone


def test_server_ends_a_statement_at_its_timeout(embedded_server: EmbeddedServer) -> None:
    with pytest.raises(TargetError) as ended:
        execute(embedded_server, "SELECT pg_sleep(60)", seconds=0.5)
    assert ended.value.error_class is ErrorClass.TIMEOUT


def test_a_server_that_falls_silent_is_not_waited_for(embedded_server: EmbeddedServer) -> None:
    with SilentProxy(embedded_server.target("postgres").hosts[0]) as proxy:
        said: list[TargetError] = []

        class Silencing(str):
            """Silences the proxy when the connection is made and the statement is about to be sent."""

            def encode(self, *arguments: str) -> bytes:
                assert proxy.silence() == 1
                return super().encode(*arguments)

        try:
            execute(embedded_server, Silencing("SELECT 1"), host=proxy.host, seconds=5.0)
        except TargetError as error:
            said.append(error)
    assert [error.error_class for error in said] == [ErrorClass.TIMEOUT]
    assert "gave no answer to the statement in time" in str(said[0])


def test_a_copy_is_refused(embedded_server: EmbeddedServer) -> None:
    with pytest.raises(TargetError, match="COPY"):
        execute(embedded_server, "COPY pg_class TO STDOUT")


def test_closed_port_raises_connection_lost(embedded_server: EmbeddedServer) -> None:
    with pytest.raises(TargetError, match="refused the connection on port 1") as refused:
        execute(embedded_server, "SELECT 1", host=Host("127.0.0.1", 1))
    assert refused.value.error_class is ErrorClass.CONNECTION_LOST
