import threading

import pytest

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import cancelling, opened
from engine.errors import Cancelled, ErrorClass, TargetError
from tests.engine.databases.contract.places import never
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.waiting import wait_until

_LONG = "SELECT pg_sleep(60)"


def _sleepers(dbms: PostgreSQLUnderTest) -> int:
    query = f"SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '{_LONG}'"
    ((count,),) = dbms.run("postgres", query)
    return int(count)


def test_a_statement_under_way_is_cancelled_on_the_server(dbms: PostgreSQLUnderTest) -> None:
    wish = threading.Event()

    def cancelled() -> bool:
        if _sleepers(dbms) > 0:
            wish.set()
        return wish.is_set()

    with opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection:
        with pytest.raises(Cancelled), cancelling(connection, cancelled):
            connection.execute(_LONG)
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert _sleepers(dbms) == 0


def test_cancel_by_another_session_does_not_raise_cancelled(dbms: PostgreSQLUnderTest) -> None:
    def cancel_from_outside() -> None:
        wait_until(lambda: _sleepers(dbms) == 1, "the statement is under way")
        dbms.run("postgres", f"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = '{_LONG}'")

    outsider = threading.Thread(target=cancel_from_outside)
    outsider.start()
    with (
        pytest.raises(TargetError) as caught,
        opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection,
        cancelling(connection, never),
    ):
        connection.execute(_LONG)
    outsider.join()
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.TIMEOUT, True)


def test_a_statement_that_is_over_is_not_cancelled(dbms: PostgreSQLUnderTest) -> None:
    with opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection:
        with cancelling(connection, never):
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert [thread for thread in threading.enumerate() if thread.name == "cancel-watch"] == []


def test_a_connection_that_is_terminated_is_lost(dbms: PostgreSQLUnderTest) -> None:
    with (
        pytest.raises(TargetError) as caught,
        opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection,
    ):
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)


def test_a_statements_error_keeps_its_code(dbms: PostgreSQLUnderTest) -> None:
    with (
        pytest.raises(TargetError, match='relation "nowhere" does not exist') as caught,
        opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection,
    ):
        connection.execute("SELECT * FROM nowhere")
    assert (caught.value.error_class, caught.value.code) == (ErrorClass.OTHER, "42P01")


def test_a_time_out_for_everybody_does_not_end_long_work(dbms: PostgreSQLUnderTest) -> None:
    user = dbms.target("postgres").user
    dbms.run("postgres", f"ALTER ROLE {user} SET statement_timeout = '1ms'")
    try:
        with opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection:
            assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)
    finally:
        with opened(dbms.target("postgres"), dbms.secret, Timeouts()) as connection:
            connection.execute(f"ALTER ROLE {user} RESET statement_timeout".encode())
