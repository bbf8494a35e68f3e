from collections.abc import Iterator

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql import SqlServer
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.environment import availability
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.secrets import Secret
from engine.target.target import Target
from tests.doubles.recorded_sql_server import RecordedSqlServer

_SYNC, _AUTO = "SYNCHRONOUS_COMMIT", "AUTOMATIC"


@pytest.fixture
def connection(recorded: RecordedSqlServer, target: Target) -> Iterator[OdbcConnection]:
    recorded.answers("VIEW SERVER STATE", [(1,)])
    with opened(SqlServerDialect(), target, Secret("horse battery staple"), Timeouts()) as connection:
        yield connection


def test_availability_lists_group_replicas_and_own_state(
    recorded: RecordedSqlServer, connection: OdbcConnection
) -> None:
    recorded.answers(
        "sys.availability_groups",
        [
            ("ag1", "SQL1", _SYNC, _AUTO, "SECONDARY", "SYNCHRONIZED", 0),
            ("ag1", "SQL2", _SYNC, _AUTO, "PRIMARY", "SYNCHRONIZED", 1),
            ("ag1", "SQL3", "ASYNCHRONOUS_COMMIT", "MANUAL", "UNKNOWN", "UNKNOWN", 0),
        ],
    )
    assert availability(connection, "shop") == {
        "availability group": "ag1",
        "availability mode": "SYNCHRONOUS_COMMIT",
        "availability role": "PRIMARY",
        "availability synchronization": "SYNCHRONIZED",
        "availability replica SQL1": "SECONDARY, SYNCHRONOUS_COMMIT, AUTOMATIC failover, SYNCHRONIZED",
        "availability replica SQL2": "PRIMARY, SYNCHRONOUS_COMMIT, AUTOMATIC failover, SYNCHRONIZED",
        "availability replica SQL3": "UNKNOWN, ASYNCHRONOUS_COMMIT, MANUAL failover, UNKNOWN",
    }
    assert recorded.sent[-1].values == ("shop",)


def test_database_in_no_group_has_no_availability_settings(
    recorded: RecordedSqlServer, connection: OdbcConnection
) -> None:
    recorded.answers("sys.availability_groups", [])
    assert availability(connection, "shop") == {}


def test_availability_is_empty_without_the_right_to_see_it(
    recorded: RecordedSqlServer, connection: OdbcConnection
) -> None:
    recorded.answers("VIEW SERVER STATE", [(0,)])
    assert availability(connection, "shop") == {}
    assert not any("availability_groups" in statement for statement in recorded.statements())


def test_a_failover_is_executed_in_master_on_the_host_that_is_to_be_the_primary(
    recorded: RecordedSqlServer, target: Target
) -> None:
    recorded.answers("^ALTER AVAILABILITY GROUP", None)
    secret, statement = Secret("horse battery staple"), "ALTER AVAILABILITY GROUP [ag1] FAILOVER"
    SqlServer().execute(target, target.hosts[1], secret, statement, timeout_seconds=5)
    (text,) = recorded.connection_strings
    assert "Database=master;" in text
    assert f"Server=tcp:127.0.0.1,{target.hosts[1].port};" in text
    assert recorded.sent[-1].statement == statement
    assert not any("Updateability" in statement for statement in recorded.statements()), "a secondary is what is wanted"
