"""One statement on one host, under a deadline."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from engine.databases.odbc.statement import execute
from engine.errors import ErrorClass, TargetError
from engine.target.target import Host
from tests.engine.databases.odbc.conftest import Server
from tests.engine.databases.odbc.postgresql_dialect import on
from tests.waiting import wait_until

_ENOUGH_SECONDS = 60.0


def run(server: Server, statement: str, seconds: float = _ENOUGH_SECONDS) -> str:
    return execute(server.dialect, server.target, server.host, server.secret, statement, seconds)


def test_output_has_the_rows_values(server: Server) -> None:
    assert run(server, "SELECT 1, NULL, 'x' UNION ALL SELECT 2, 'y', NULL ORDER BY 1") == "1, null, x\n2, y, null"


def test_output_has_row_counts_and_done(mariadb: Server) -> None:
    assert run(mariadb, "SET @x = 1") in ("done", "0 rows affected")
    assert run(mariadb, "CREATE DATABASE odbc_statement") in ("done", "1 rows affected", "0 rows affected")
    try:
        in_it = replace(mariadb, target=mariadb.target.with_database("odbc_statement"))
        run(in_it, "CREATE TABLE t (id INT)")
        assert run(in_it, "INSERT INTO t VALUES (1), (2), (3)") == "3 rows affected"
        assert run(in_it, "SELECT database()") == "odbc_statement"
    finally:
        run(mariadb, "DROP DATABASE odbc_statement")


def test_output_is_limited_to_the_first_rows(postgresql: Server) -> None:
    assert len(run(postgresql, "SELECT generate_series(1, 1000)").splitlines()) == 20


def test_statement_runs_only_on_the_named_host(server: Server, refusing: Host) -> None:
    several = replace(server, target=on(server.target, refusing, server.host))
    answer = execute(several.dialect, several.target, server.host, server.secret, "SELECT 5", _ENOUGH_SECONDS)
    assert answer == "5"


def test_sql_error_is_raised(server: Server) -> None:
    with pytest.raises(TargetError, match="nonsense") as caught:
        run(server, "SELECT nonsense")
    assert caught.value.error_class is ErrorClass.OTHER


@pytest.mark.timeout(180)
def test_statement_past_its_timeout_is_abandoned(server: Server) -> None:
    with pytest.raises(TargetError) as caught:
        run(server, server.sleep.format(600), seconds=1.0)
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.TIMEOUT, False)
    wait_until(
        lambda: not any(thread.name == "odbc-statement" for thread in threading.enumerate()), "the call has ended"
    )


@pytest.mark.timeout(180)
def test_a_frozen_server_does_not_hold_it_up(
    mariadb: Server, frozen_mariadb: Callable[[], AbstractContextManager[None]]
) -> None:
    with frozen_mariadb(), pytest.raises(TargetError) as caught:
        run(mariadb, "SELECT 1", seconds=1.0)
    assert caught.value.error_class is ErrorClass.TIMEOUT
