"""SQL Server's connections over Microsoft's own driver, where its package is installed, to a TDS listener."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.drivers import driver_for
from engine.databases.odbc.packaged_driver import NAME, packaged_library
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import MSSQL, Host, Target
from tests.doubles.tds_server import TdsServer, tds_server
from tests.engine.workloads.dvdstore.sessions import open_session

pytestmark = pytest.mark.skipif(packaged_library() is None, reason="the package mssql-python-odbc is not installed")
_PASSWORD = Secret("pa;s{sw{{ord=' ü€ ")
_QUICK = Timeouts(connect_seconds=5.0)


@pytest.fixture
def server() -> Iterator[TdsServer]:
    with tds_server() as server:
        yield server


def _target(server: TdsServer) -> Target:
    return Target(
        kind=MSSQL, hosts=(Host("127.0.0.1", server.port),), database="shop", user="ann", tls="disable", driver=NAME
    )


def _refusal(target: Target) -> TargetError:
    with pytest.raises(TargetError) as caught:
        open_session(target, _PASSWORD, _QUICK)
    return caught.value


def test_packaged_driver_is_preferred_to_freetds() -> None:
    assert driver_for(MSSQL) == NAME


def test_it_logs_in_with_user_password_and_database(server: TdsServer) -> None:
    connection, _ = connect_any(SqlServerDialect(), _target(server), _PASSWORD, _QUICK)
    connection.close()
    login = server.logins[-1]
    assert (login["user"], login["password"], login["database"]) == ("ann", _PASSWORD.reveal(), "shop")


def test_wrong_password_error_has_the_servers_message(server: TdsServer) -> None:
    server.refusal = [(18456, "Login failed for user 'ann'.")]
    error = _refusal(_target(server))
    assert error.error_class is ErrorClass.REJECTED
    assert "Login failed for user 'ann'" in str(error)
    assert _PASSWORD.reveal() not in str(error)


def test_closed_port_is_retried_until_the_timeout(server: TdsServer) -> None:
    nobody = replace(_target(server), hosts=(Host("127.0.0.1", 1),))
    error = _refusal(nobody)  # the driver itself tells no refused connection from a silent host
    assert error.error_class is ErrorClass.TIMEOUT
    assert "127.0.0.1:1 did not answer in time. Is it up, and is the port right?" in str(error)


def test_a_connection_that_the_server_ends_while_idle_is_lost(server: TdsServer) -> None:
    connection, _ = connect_any(SqlServerDialect(), _target(server), _PASSWORD, _QUICK)
    try:
        server.hang_up()
        with pytest.raises(TargetError) as caught:
            connection.query("SELECT 1")
        assert caught.value.error_class is ErrorClass.CONNECTION_LOST
        assert not caught.value.usable
    finally:
        connection.close()
