from collections.abc import Iterator

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.running import commit, one, transaction
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import RecordedStore


@pytest.fixture
def connection(recorded_store: RecordedStore, target: Target) -> Iterator[OdbcConnection]:
    with opened(SqlServerDialect(), target.with_database("master"), Secret("x"), Timeouts()) as connection:
        recorded_store.log.clear()
        yield connection


def test_error_behind_the_first_results_is_raised(connection: OdbcConnection, recorded_store: RecordedStore) -> None:
    recorded_store.answers("^BACKUP", None, [("10 percent",)], error=odbc_error(("42000", 3013, "It ends abnormally.")))
    with pytest.raises(TargetError, match="ends abnormally"):
        connection.query("BACKUP DATABASE a TO DISK = 'b'")


def test_a_query_without_a_row_is_an_error(connection: OdbcConnection, recorded_store: RecordedStore) -> None:
    recorded_store.answers("^SELECT 1", [])
    with pytest.raises(TargetError, match="no row for: SELECT 1 WHERE 1 = 0"):
        one(connection, "SELECT 1\nWHERE 1 = 0")


def test_a_transaction_is_committed_once_and_statements_are_on_their_own_again(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    with transaction(connection):
        assert connection.raw.autocommit is False
        connection.query("DELETE FROM a")
    assert [text for _, text in recorded_store.log] == ["DELETE FROM a", "COMMIT"]
    assert connection.raw.autocommit is True


def test_a_transaction_that_fails_is_rolled_back(connection: OdbcConnection, recorded_store: RecordedStore) -> None:
    def work() -> None:
        connection.query("DELETE FROM a")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"), transaction(connection):
        work()
    assert [text for _, text in recorded_store.log] == ["DELETE FROM a", "ROLLBACK"]
    assert connection.raw.autocommit is True


def test_lost_connection_is_raised_not_its_consequences(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    recorded_store.answers("^DELETE", error=odbc_error(("08S01", 0, "Communication link failure")), dies=True)
    with pytest.raises(TargetError) as caught, transaction(connection):
        connection.query("DELETE FROM a")
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    with pytest.raises(TargetError) as caught:
        commit(connection)
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
