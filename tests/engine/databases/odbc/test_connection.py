"""One ODBC connection: calls, result sets, sorted errors, and calls that hang and are ended from another thread."""

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace

import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from tests.engine.databases.odbc.conftest import Server
from tests.waiting import wait_until

_FOR_EVER = 600
_SOON_SECONDS = 60.0
_HANGING = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(600)%'"


def hang(server: Server, connection: OdbcConnection) -> TargetError:
    """Call what takes for ever; the error with which it ended."""
    with pytest.raises(TargetError) as caught:
        connection.query(server.sleep.format(_FOR_EVER))
    return caught.value


def await_call(connection: OdbcConnection) -> None:
    wait_until(lambda: connection._in_call is not None, "the call is under way")


def insist(end: Callable[[], None], hanging: Future[TargetError]) -> None:
    """End the call again and again: asked too early, the server knows of nothing to cancel."""

    def has_ended() -> bool:
        end()
        return hanging.done()

    wait_until(has_ended, "the call has ended")


def test_values_go_there_and_back_as_they_are(connection: OdbcConnection) -> None:
    ((number, text, nothing),) = connection.query("SELECT ? + 0, ?, ?", 41, "ünï'\"; -- 日本 🎵", None)
    assert (int(number), text, nothing) == (41, "ünï'\"; -- 日本 🎵", None)


def test_a_cursor_is_used_again_for_the_same_statement(connection: OdbcConnection) -> None:
    cursor = connection.cursor()
    found = [connection.call(cursor, "SELECT ? + 1", number) for number in range(3)]
    assert [int(value) for ((value,),) in found] == [1, 2, 3]


def test_rows_behind_row_counts_are_returned_and_all_sets_read(mariadb: Server) -> None:
    connection = mariadb.open()
    connection.query("CREATE DATABASE IF NOT EXISTS odbc_sets")
    connection.query("CREATE OR REPLACE TABLE odbc_sets.notes (id INT)")
    connection.query(
        "CREATE OR REPLACE PROCEDURE odbc_sets.speak(fails BOOLEAN) BEGIN"
        " INSERT INTO odbc_sets.notes VALUES (1), (2); SELECT id FROM odbc_sets.notes ORDER BY id;"
        " DELETE FROM odbc_sets.notes; SELECT 'second';"
        " IF fails THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'too late'; END IF; END"
    )
    cursor = connection.cursor()
    try:
        for _ in range(2):  # the connection is free for the next call only when all has been taken
            assert [tuple(row) for row in connection.call(cursor, "{CALL odbc_sets.speak(?)}", 0)] == [(1,), (2,)]
        connection.execute(cursor, "{CALL odbc_sets.speak(?)}", 0)
        assert [len(rows) for rows in connection.result_sets(cursor)] == [2, 1]
        with pytest.raises(TargetError, match="too late") as caught:
            connection.call(cursor, "{CALL odbc_sets.speak(?)}", 1)
        assert (caught.value.error_class, caught.value.usable) == (ErrorClass.OTHER, True)
        assert connection.query("SELECT 1")[0][0] == 1
    finally:
        connection.query("DROP DATABASE odbc_sets")
        connection.close()


def test_many_rows_go_in_one_call(mariadb: Server) -> None:
    connection = mariadb.open()
    connection.query("CREATE TEMPORARY TABLE many (id INT PRIMARY KEY)")
    cursor = connection.cursor()
    connection.execute_many(cursor, "INSERT INTO many VALUES (?)", [(number,) for number in range(100)])
    ((count, total),) = connection.query("SELECT count(*), sum(id) FROM many")
    assert (count, total) == (100, 4950)
    with pytest.raises(TargetError, match="Duplicate"):
        connection.execute_many(cursor, "INSERT INTO many VALUES (?)", [(5,)])
    connection.close()


def test_a_statement_that_fails_leaves_the_connection_usable(connection: OdbcConnection) -> None:
    with pytest.raises(TargetError) as caught:
        connection.query("SELECT nonsense")
    assert caught.value.usable
    assert connection.usable
    assert int(connection.query("SELECT 1")[0][0]) == 1


def test_two_threads_calls_run_side_by_side(server: Server) -> None:
    """Each waits for what the other does while it waits: were calls run one after the other, neither would end."""
    sleeper, other = server.open(), server.open()
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, server, sleeper)
        await_call(sleeper)
        assert int(other.query("SELECT 1")[0][0]) == 1
        third = server.open()  # connecting is not held up either
        assert not hanging.done()
        sleeper.cut()
        hanging.result(_SOON_SECONDS)
    for each in (sleeper, other, third):
        each.close()


def test_a_hung_call_is_cut_from_another_thread(server: Server) -> None:
    connection, neighbour = server.open(), server.open()
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, server, connection)
        await_call(connection)
        connection.cut()
        error = hanging.result(_SOON_SECONDS)
    assert (error.error_class, error.usable) == (ErrorClass.CONNECTION_LOST, False)
    assert not connection.usable
    assert int(neighbour.query("SELECT 1")[0][0]) == 1
    connection.close()
    connection.cut()
    neighbour.close()


def test_a_call_on_a_frozen_server_is_cut(
    mariadb: Server, frozen_mariadb: Callable[[], AbstractContextManager[None]]
) -> None:
    connection = mariadb.open()
    with frozen_mariadb(), ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, mariadb, connection)
        await_call(connection)
        connection.cut()
        assert hanging.result(_SOON_SECONDS).error_class is ErrorClass.CONNECTION_LOST
        connection.close()


@pytest.mark.timeout(180)
def test_closing_on_a_frozen_server_returns(
    mariadb: Server, frozen_mariadb: Callable[[], AbstractContextManager[None]]
) -> None:
    connection, _ = connect_any(mariadb.dialect, mariadb.target, mariadb.secret, Timeouts(), autocommit=False)
    connection.query("SELECT 1")
    with frozen_mariadb():
        connection.close()


def test_without_a_socket_a_cut_cancels_the_call(server: Server) -> None:
    opened = server.open()
    connection = OdbcConnection(opened.raw, opened.host, opened.dialect)
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, server, connection)
        await_call(connection)
        insist(connection.cut, hanging)
        assert not hanging.result().usable or not connection.usable
    opened.close()


def test_a_cancelled_call_leaves_the_connection_usable(server: Server) -> None:
    connection = server.open()
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, server, connection)
        await_call(connection)
        insist(connection.cancel, hanging)
        assert hanging.result().error_class is ErrorClass.TIMEOUT
    assert connection.usable
    assert int(connection.query("SELECT 1")[0][0]) == 1
    connection.close()


def test_a_cancel_without_a_call_does_nothing(connection: OdbcConnection) -> None:
    connection.cancel()
    assert int(connection.query("SELECT 1")[0][0]) == 1


def test_a_session_that_the_server_ends_is_a_lost_connection(mariadb: Server) -> None:
    connection, other = mariadb.open(), mariadb.open()
    ((session,),) = connection.query("SELECT connection_id()")
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(hang, mariadb, connection)
        wait_until(lambda: other.query(_HANGING)[0][0] == 1, "the server sleeps")
        other.query(f"KILL {session}")
        error = hanging.result(_SOON_SECONDS)
    assert (error.error_class, error.usable, connection.usable) == (ErrorClass.CONNECTION_LOST, False, False)
    for each in (connection, other):
        each.close()


def test_closed_connection_raises(connection: OdbcConnection) -> None:
    connection.close()
    with pytest.raises(TargetError, match="closed"):
        connection.query("SELECT 1")
    connection.close()


def test_nothing_shows_the_password(server: Server) -> None:
    connection = server.open()
    password = server.secret.reveal()
    assert password not in repr(connection)
    error = connection.classified(pyodbc.Error("HY000", f"[HY000] [driver]bad PWD={{{password}}} (1) (SQLExecDirectW)"))
    assert password not in str(error)
    connection.close()
    wrong = replace(server, secret=Secret("wr0ng-s3cret"))
    with pytest.raises(TargetError) as caught:
        wrong.open()
    trace = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert "wr0ng-s3cret" not in "".join(trace.format(chain=True))


def test_threads_end_with_their_connection(server: Server) -> None:
    connection = server.open()
    connection.close()
    wait_until(lambda: not any(each.name.startswith("odbc-") for each in threading.enumerate()), "no thread is left")
