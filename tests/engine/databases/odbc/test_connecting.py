"""Connecting over ODBC to hosts that answer, refuse, keep silent or stand still, by names of every character."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from typing import Any

import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc import attempt
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.sockets import addresses_of
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Host, Target
from tests.doubles.mariadb_server import running_server
from tests.engine.databases.odbc.conftest import Server
from tests.engine.databases.odbc.postgresql_dialect import on
from tests.waiting import wait_until

_BRIEF = Timeouts(connect_seconds=0.5)
_VERY_LONG = Timeouts(connect_seconds=600)
_NASTY = [
    "p};UID={nobody",
    "a}b",
    "{a}",
    "}}",
    "semi;colon=x",
    "quote'\"`back\\slash",
    "ünïcode 日本",
    "50%_[x]#@:/?&",
    "-- /* */ --",
]


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


@pytest.fixture
def opened() -> Iterator[list[OdbcConnection]]:
    """Connections that are put in are closed after the test."""
    made: list[OdbcConnection] = []
    yield made
    for connection in made:
        connection.close()


def no_connect_thread_left() -> bool:
    return not any(thread.name.startswith("odbc-connect") for thread in threading.enumerate())


@pytest.mark.parametrize("text", _NASTY)
def test_special_characters_in_user_password_and_database_open_the_door(
    mariadb: Server, opened: list[OdbcConnection], text: str
) -> None:
    administrator = mariadb.open()
    opened.append(administrator)
    user, database, secret = text[:20], text, Secret(text + "🎵")
    administrator.query(f"CREATE DATABASE {quoted(database)}")
    administrator.query(f"CREATE USER {literal(user)}@'%' IDENTIFIED BY {literal(secret.reveal())}")
    try:
        administrator.query(f"GRANT SELECT ON *.* TO {literal(user)}@'%'")
        target = replace(mariadb.target, user=user, database=database)
        connection, _ = connect_any(mariadb.dialect, target, secret, Timeouts())
        opened.append(connection)
        ((found_user, found_database),) = connection.query("SELECT user(), database()")
        assert found_user.rpartition("@")[0] == user
        assert found_database == database
        with pytest.raises(TargetError) as caught:
            connect_any(mariadb.dialect, target, Secret(text + "x"), Timeouts())
        assert caught.value.error_class is ErrorClass.REJECTED
    finally:
        administrator.query(f"DROP USER {literal(user)}@'%'")
        administrator.query(f"DROP DATABASE {quoted(database)}")


def test_a_password_of_special_characters_opens_postgresqls_door(
    postgresql: Server, opened: list[OdbcConnection]
) -> None:
    password = " p};UID={nobody '\"; ünï "
    administrator = postgresql.open()
    opened.append(administrator)
    escaped = password.replace("'", "''")
    administrator.query(f"CREATE ROLE odbc_nasty LOGIN PASSWORD '{escaped}'")
    try:
        target = replace(postgresql.target, user="odbc_nasty")
        connection, _ = connect_any(postgresql.dialect, target, Secret(password), Timeouts())
        opened.append(connection)
        assert connection.query("SELECT current_user")[0][0] == "odbc_nasty"
    finally:
        administrator.query("DROP ROLE odbc_nasty")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("first_host", [0, 1])
def test_a_silent_host_holds_no_other_up(
    server: Server, silent_host: Host, opened: list[OdbcConnection], first_host: int
) -> None:
    target = on(server.target, silent_host, server.host)
    connection, number = connect_any(server.dialect, target, server.secret, _VERY_LONG, first_host=first_host)
    opened.append(connection)
    assert (number, connection.host) == (1, server.host)
    wait_until(no_connect_thread_left, "the silent host's attempt is given up")


@pytest.mark.timeout(180)
def test_a_frozen_host_holds_no_other_up_and_is_given_up_in_time(
    postgresql: Server,
    mariadb: Server,
    opened: list[OdbcConnection],
    frozen_mariadb: Callable[[], AbstractContextManager[None]],
) -> None:
    with frozen_mariadb():
        with pytest.raises(TargetError) as caught:
            connect_any(mariadb.dialect, mariadb.target, mariadb.secret, _BRIEF)
        with running_server() as second:
            grant(second.target("mysql"), second.secret, mariadb)
            target = on(mariadb.target, mariadb.host, second.host)
            connection, number = connect_any(mariadb.dialect, target, mariadb.secret, _VERY_LONG)
            opened.append(connection)
            assert number == 1
            wait_until(no_connect_thread_left, "the frozen host's attempt is given up")
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.TIMEOUT, False)


def grant(target: Target, secret: Secret, like: Server) -> None:
    """Let the other server's administrator in with the password of the first one's."""
    connection, _ = connect_any(like.dialect, target, secret, Timeouts())
    connection.query(f"SET PASSWORD = PASSWORD({literal(like.secret.reveal())})")
    connection.close()


@pytest.mark.timeout(180)
def test_a_host_whose_network_answers_nothing_at_all_is_given_up_in_time(server: Server) -> None:
    with socket.socket() as listener, ExitStack() as crowd:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        full = Host("127.0.0.1", listener.getsockname()[1])
        for _ in range(8):  # a full queue drops new connections
            knocking = crowd.enter_context(socket.socket())
            knocking.setblocking(False)
            knocking.connect_ex((full.name, full.port))
        with pytest.raises(TargetError) as caught:
            connect_any(server.dialect, on(server.target, full), server.secret, _BRIEF)
        wait_until(no_connect_thread_left, "the attempt is given up")
    assert caught.value.error_class is ErrorClass.TIMEOUT


@pytest.mark.timeout(180)
def test_silent_host_delays_neither_its_users_beyond_the_timeout_nor_others(
    mariadb: Server, silent_host: Host, opened: list[OdbcConnection]
) -> None:
    def try_silent() -> ErrorClass:
        with pytest.raises(TargetError) as caught:
            connect_any(mariadb.dialect, on(mariadb.target, silent_host), mariadb.secret, Timeouts(connect_seconds=10))
        return caught.value.error_class

    with ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(try_silent) for _ in range(20)]
        opened += [mariadb.open() for _ in range(5)]
        assert not any(each.done() for each in waiting)
        assert {each.result() for each in waiting} == {ErrorClass.TIMEOUT}
    wait_until(no_connect_thread_left, "every attempt is given up")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> Timeouts:
    """Time-outs with which a connection, and the next one to the host, wait for a driver that is slow to connect."""
    monkeypatch.setattr(attempt, "_LONGEST_LOCK_SECONDS", 60.0)
    return Timeouts(connect_seconds=60.0)


def test_of_many_connects_at_once_each_knows_its_own_socket(
    mariadb: Server, opened: list[OdbcConnection], unhurried: Timeouts
) -> None:
    with ThreadPoolExecutor(40) as pool:
        opened += pool.map(lambda _: mariadb.open(unhurried), range(40))
    for connection in opened:
        ((host,),) = connection.query("SELECT host FROM information_schema.processlist WHERE id = connection_id()")
        assert connection._socket is not None
        assert connection._socket.local == ("127.0.0.1", int(host.rpartition(":")[2]))


def test_a_driver_that_is_slow_to_open_its_socket_keeps_its_turn(
    mariadb: Server, opened: list[OdbcConnection], monkeypatch: pytest.MonkeyPatch, unhurried: Timeouts
) -> None:
    both_have_asked, connect = threading.Barrier(2), pyodbc.connect

    def slow(*arguments: Any, **options: Any) -> pyodbc.Connection:
        with suppress(threading.BrokenBarrierError):
            both_have_asked.wait(0.6)
        return connect(*arguments, **options)

    monkeypatch.setattr(pyodbc, "connect", slow)
    with ThreadPoolExecutor(2) as pool:
        opened += pool.map(lambda _: mariadb.open(unhurried), range(2))
    assert all(connection._socket is not None for connection in opened)


def test_refused_connection_is_reported_as_refused(server: Server, refusing: Host) -> None:
    with pytest.raises(TargetError, match=f"refused the connection on port {refusing.port}") as caught:
        connect_any(server.dialect, on(server.target, refusing), server.secret, Timeouts())
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)
    assert server.dialect.product in str(caught.value)


def test_a_refusing_host_costs_the_next_one_nothing(
    server: Server, refusing: Host, opened: list[OdbcConnection]
) -> None:
    connection, number = connect_any(
        server.dialect, on(server.target, refusing, server.host), server.secret, Timeouts()
    )
    opened.append(connection)
    assert number == 1


def test_wrong_password_is_preferred_to_no_connection(server: Server, refusing: Host) -> None:
    target = on(server.target, server.host, refusing)
    with pytest.raises(TargetError) as caught:
        connect_any(server.dialect, target, Secret("wrong"), Timeouts())
    assert caught.value.error_class is not ErrorClass.TIMEOUT
    assert "wrong" not in str(caught.value)


def test_unresolvable_name_is_reported_and_delays_no_other_host(
    server: Server, monkeypatch: pytest.MonkeyPatch, opened: list[OdbcConnection]
) -> None:
    def known(host: Host) -> frozenset[str]:
        if host.name == "no-such-host":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return addresses_of(host)

    monkeypatch.setattr("engine.databases.odbc.attempt.addresses_of", known)
    nowhere = Host("no-such-host", 3306)
    with pytest.raises(TargetError, match=r"host name not found \(DNS\)"):
        connect_any(server.dialect, on(server.target, nowhere), server.secret, Timeouts())
    connection, number = connect_any(server.dialect, on(server.target, nowhere, server.host), server.secret, Timeouts())
    opened.append(connection)
    assert number == 1


def test_read_only_hosts_are_skipped_when_there_are_several(mariadb: Server, opened: list[OdbcConnection]) -> None:
    with running_server("--read-only") as replica:
        grant(replica.target("mysql"), replica.secret, mariadb)
        both = on(mariadb.target, replica.host, mariadb.host)
        alone = on(mariadb.target, replica.host)
        for first_host in (0, 1):
            connection, number = connect_any(mariadb.dialect, both, mariadb.secret, Timeouts(), first_host=first_host)
            opened.append(connection)
            assert number == 1
        opened.append(connect_any(mariadb.dialect, alone, mariadb.secret, Timeouts())[0])
        with pytest.raises(TargetError, match="accepts no writes") as caught:
            connect_any(mariadb.dialect, alone, mariadb.secret, Timeouts(), writes=True)
        assert caught.value.error_class is ErrorClass.CONNECTION_LOST
        for each in opened:
            each.close()


def test_a_driver_that_is_not_installed_is_the_users_to_mend(server: Server) -> None:
    target = replace(server.target, driver="No Such Driver")
    with pytest.raises(UserError, match="driver is 'No Such Driver'"):
        connect_any(server.dialect, target, server.secret, Timeouts())


def test_a_password_that_odbc_cant_be_given_is_refused_without_being_shown(server: Server) -> None:
    with pytest.raises(UserError, match="password holds a NUL") as caught:
        connect_any(server.dialect, server.target, Secret("s3cret\0"), Timeouts())
    assert "s3cret" not in str(caught.value)


@pytest.mark.timeout(180)
def test_freetds_gives_a_silent_host_up_in_time(mariadb: Server, silent_host: Host) -> None:
    target, _ = Target.parse(
        f"mssql://sa@{silent_host.name}:{silent_host.port}/ds2?trust_server_certificate=yes&driver=FreeTDS"
    )
    with pytest.raises(TargetError) as caught:
        connect_any(SqlServerDialect(), target, Secret("s3cret"), _BRIEF)
    assert caught.value.error_class is ErrorClass.TIMEOUT
    wait_until(no_connect_thread_left, "the attempt is given up")
