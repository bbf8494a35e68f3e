from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql import replicas
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.replicas import Group, GroupLeave, Secondary, alone, group_of, host_of
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.sql_server_options import SqlServerOptions
from engine.target.target import Host, Target
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import RecordedStore

_GROUP = "FROM sys.databases AS d\nINNER JOIN sys.availability_replicas AS own"


@pytest.fixture
def connection(recorded_store: RecordedStore, target: Target) -> Iterator[OdbcConnection]:
    with opened(SqlServerDialect(), target.with_database("master"), Secret("x"), Timeouts()) as connection:
        yield connection


@pytest.fixture
def leave(
    recorded_store: RecordedStore, connection: OdbcConnection, target: Target, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GroupLeave]:
    monkeypatch.setattr(replicas, "_CHECK_EVERY_SECONDS", 0.01)
    recorded_store.answers("last_log_backup_lsn", [(17,)])
    with ExitStack() as stack:
        leave = GroupLeave(connection, Group("ag1", (Secondary("127.0.0.1", True),)), "shop")
        leave.open(stack, target, Secret("x"), Timeouts())
        recorded_store.log.clear()
        yield leave


def test_a_database_in_no_group_has_none(connection: OdbcConnection) -> None:
    assert group_of(connection, "shop") is None


def test_a_group_has_the_other_replicas_that_keep_data(
    connection: OdbcConnection, recorded_store: RecordedStore
) -> None:
    recorded_store.answers(
        _GROUP,
        [
            ("ag1", "DB1", "SYNCHRONOUS_COMMIT", "AUTOMATIC", 1, None, None),
            ("ag1", "DB2\\PROD", "SYNCHRONOUS_COMMIT", "AUTOMATIC", 0, None, None),
            ("ag1", "DB3", "ASYNCHRONOUS_COMMIT", "MANUAL", 0, None, None),
            ("ag1", "WITNESS", "CONFIGURATION_ONLY", "MANUAL", 0, None, None),
        ],
    )
    assert group_of(connection, "shop") == Group("ag1", (Secondary("DB2\\PROD", True), Secondary("DB3", False)))


@pytest.mark.parametrize(
    ("server", "routing_url", "endpoint_url", "host"),
    [
        ("DB1", "TCP://10.0.0.1:9999", "", Host("db1.corp", 1500)),
        ("DB2\\PROD", "", "", Host("db2", 0, "prod")),
        ("DB2", "", "", Host("DB2", 1433)),
        ("DB4\\X", "", "", Host("DB4", 0, "X")),
        ("DB2", "TCP://db2.lab.corp:14332", "TCP://db2:5022", Host("db2.lab.corp", 14332)),
        ("DB2", "", "TCP://db2.lab.corp:5022", Host("db2.lab.corp", 1433)),
        ("DB4\\X", "", "TCP://db4.corp:5022", Host("db4.corp", 0, "X")),
        ("DB2", "TCP://[fd00::2]:1433", "", Host("fd00::2", 1433)),
        ("DB2", "TCP://db2:port", "nonsense", Host("DB2", 1433)),
    ],
)
def test_replicas_host_is_the_targets_then_the_groups_then_its_name(
    server: str, routing_url: str, endpoint_url: str, host: Host
) -> None:
    target = Target(kind="mssql", hosts=(Host("db1.corp", 1500), Host("db2", 0, "prod")))
    assert host_of(Secondary(server, True, routing_url, endpoint_url), target) == host


def test_single_replica_is_addressed_without_routing_options() -> None:
    options = SqlServerOptions(multi_subnet_failover=True)
    target = Target(kind="mssql", hosts=(Host("listener", 1433),), database="shop", sql_server=options)
    one = alone(target, Host("db2", 0, "prod"))
    assert (one.hosts, one.database) == ((Host("db2", 0, "prod"),), "master")
    assert not one.sql_server.multi_subnet_failover


def test_only_what_the_group_leaves_behind_is_dropped(
    leave: GroupLeave, recorded_store: RecordedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "_LEAVE_SECONDS", 0.05)
    recorded_store.answers("SELECT state_desc", [("ONLINE",)])
    with pytest.raises(TargetError, match=r"'shop' has left group 'ag1', but is still ONLINE on 127\.0\.0\.1"):
        leave.leave()
    assert recorded_store.sent_like("^DROP DATABASE") == []
    recorded_store.answers("SELECT state_desc", [("RESTORING",)])
    leave.leave()
    assert len(recorded_store.sent_like("^DROP DATABASE")) == 1


def test_a_secondary_without_a_copy_needs_no_drop(leave: GroupLeave, recorded_store: RecordedStore) -> None:
    recorded_store.answers("SELECT state_desc", [])
    leave.leave()
    assert recorded_store.sent_like("^DROP DATABASE") == []
    assert recorded_store.sent_like("GRANT CREATE ANY DATABASE")


def test_a_database_whose_log_begins_nowhere_is_backed_up_before_it_joins(
    leave: GroupLeave, recorded_store: RecordedStore
) -> None:
    recorded_store.answers("last_log_backup_lsn", [(None,)])
    recorded_store.answers("FROM sys.dm_hadr_database_replica_states AS s", [(1,)])
    leave.rejoin(lambda: None)
    first, second = recorded_store.places("^BACKUP DATABASE .shop. TO DISK = N'NUL'", "ADD DATABASE")
    assert first < second


@pytest.mark.parametrize(("platform", "devices"), [("Linux", ["/dev/null", "NUL"]), ("Windows", ["NUL", "/dev/null"])])
def test_null_backup_uses_the_platforms_device_first(
    leave: GroupLeave, recorded_store: RecordedStore, platform: str, devices: list[str]
) -> None:
    recorded_store.answers("last_log_backup_lsn", [(None,)])
    recorded_store.answers("FROM sys.dm_hadr_database_replica_states AS s", [(1,)])
    recorded_store.answers("dm_os_host_info", [(platform,)])
    refusal = odbc_error(("42000", 3201, "Cannot open backup device."))
    recorded_store.answers(f"^BACKUP .* N'{devices[0]}'", error=refusal)
    leave.rejoin(lambda: None)
    sent = [text for _, text in recorded_store.sent_like("^BACKUP")]
    assert sent == [f"BACKUP DATABASE [shop] TO DISK = N'{device}'" for device in devices]


def test_join_is_awaited_with_progress(leave: GroupLeave, recorded_store: RecordedStore) -> None:
    recorded_store.answers("FROM sys.dm_hadr_database_replica_states AS s", [(0,)])
    recorded_store.answers("dm_hadr_physical_seeding_stats", [(5,)])
    told = []

    def report_progress() -> None:
        told.append(True)
        recorded_store.answers("FROM sys.dm_hadr_database_replica_states AS s", [(1,)])

    leave.rejoin(report_progress)
    assert told == [True]


def test_a_join_that_stands_still_is_given_up(
    leave: GroupLeave, recorded_store: RecordedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "_LONGEST_STANDSTILL_SECONDS", 0.05)
    recorded_store.answers("FROM sys.dm_hadr_database_replica_states AS s", [(0,)])
    recorded_store.answers("dm_hadr_physical_seeding_stats", [(5,)])
    with pytest.raises(TargetError, match="only 0 of 1 secondary replicas of group 'ag1' keep up") as caught:
        leave.rejoin(lambda: None)
    assert caught.value.error_class is ErrorClass.TIMEOUT
