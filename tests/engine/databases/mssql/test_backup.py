"""The statements of a reset by restore, and the conditions under which a restore is not used."""

from collections.abc import Callable

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.errors import Cancelled, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.places import never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_PATH = "D:\\b'k\\shop_spindle.bak"
_GROUP = "FROM sys.databases AS d\nINNER JOIN sys.availability_replicas AS own"
_PRIMARY = ("ag]1", "127.0.0.1", "SYNCHRONOUS_COMMIT", "AUTOMATIC", 1, None, None)


@pytest.fixture
def server(recorded_store: RecordedStore) -> RecordedStore:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", backup_file=_PATH)
    recorded_store.answers("FROM sys.master_files", [("primary", "D:\\d\\shop.mdf"), ("log", "L:\\it's.ldf")])
    return recorded_store


def _reset(
    target: Target, *, report_progress: Callable[[Progress], None] = silent, cancelled: Callable[[], bool] = never
) -> None:
    SqlServerStore(target, Secret("x"), Timeouts(), STORE).reset(report_progress=report_progress, cancelled=cancelled)


def _work(server: RecordedStore) -> list[tuple[str, str]]:
    """What a restore did, without what was only asked."""
    return [(database, " ".join(text.split())) for database, text in server.log if not text.startswith(("SET", "SEL"))]


def test_a_reset_restores_the_backup_into_the_files_that_are_there(server: RecordedStore, target: Target) -> None:
    _reset(target)
    assert _work(server) == [
        ("master", "RESTORE HEADERONLY FROM DISK = N'D:\\b''k\\shop_spindle.bak'"),
        ("master", "ALTER DATABASE [shop] SET OFFLINE WITH ROLLBACK IMMEDIATE"),
        (
            "master",
            "RESTORE DATABASE [shop] FROM DISK = N'D:\\b''k\\shop_spindle.bak' WITH REPLACE, RECOVERY, CHECKSUM,"
            " MOVE N'primary' TO N'D:\\d\\shop.mdf', MOVE N'log' TO N'L:\\it''s.ldf'",
        ),
        ("shop", "IF OBJECT_ID(N'dbo.spindle_lease', N'U') IS NOT NULL UPDATE dbo.spindle_lease SET token = ''"),
        ("shop", "UPDATE dbo.spindle_store SET backup_file = ?, built_at = SYSUTCDATETIME()"),
    ]


def test_unreadable_backup_is_reported_and_rows_are_removed_instead(server: RecordedStore, target: Target) -> None:
    server.answers("HEADERONLY", error=odbc_error(("42000", 3201, "Cannot open backup device.")))
    told: list[Progress] = []
    _reset(target, report_progress=told.append)
    assert server.sent_like("OFFLINE") == []
    assert server.sent_like("^DELETE FROM dbo.orders")
    assert "can't be read (Cannot open backup device" in " ".join(progress.doing for progress in told)


def test_mirrored_database_stays_online_and_rows_are_removed_instead(server: RecordedStore, target: Target) -> None:
    server.answers("sys.database_mirroring", [(1,)])
    told: list[Progress] = []
    _reset(target, report_progress=told.append)
    assert server.sent_like("OFFLINE") == []
    assert server.sent_like("^DELETE FROM dbo.orders")
    assert any("has a mirror" in progress.doing for progress in told)


def test_a_restore_that_fails_brings_the_database_back_online(server: RecordedStore, target: Target) -> None:
    server.answers("^RESTORE DATABASE", error=odbc_error(("42000", 3013, "RESTORE is terminating abnormally.")))
    with pytest.raises(TargetError, match="terminating abnormally"):
        _reset(target)
    assert _work(server)[-1] == ("master", "ALTER DATABASE [shop] SET ONLINE")


def test_missing_restore_right_is_reported_before_users_are_disconnected(server: RecordedStore, target: Target) -> None:
    server.answers("IS_SRVROLEMEMBER", [(0,)])
    told: list[Progress] = []
    _reset(target, report_progress=told.append)
    assert server.sent_like("OFFLINE|^RESTORE") == []
    assert server.sent_like("^DELETE FROM dbo.orders")
    assert any("may not restore the database" in progress.doing for progress in told)


def test_refused_restore_brings_the_database_online_and_removes_rows_instead(
    server: RecordedStore, target: Target
) -> None:
    refusal = odbc_error(("42000", 3110, "User does not have permission to RESTORE database 'shop'."))
    server.answers("^RESTORE DATABASE", error=refusal)
    _reset(target)
    places = server.places("SET OFFLINE", "^RESTORE DATABASE", "SET ONLINE", "^DELETE FROM dbo.orders")
    assert places == sorted(places)


def test_contained_group_is_not_restored_and_rows_are_removed_instead(server: RecordedStore, target: Target) -> None:
    server.answers(_GROUP, [_PRIMARY])
    server.answers("is_contained", [(1,)])
    told: list[Progress] = []
    _reset(target, report_progress=told.append)
    assert server.sent_like("AVAILABILITY GROUP|OFFLINE") == []
    assert server.sent_like("^DELETE FROM dbo.orders")
    assert any("group 'ag]1' is contained" in progress.doing for progress in told)


def test_a_restore_that_is_cancelled_before_it_begins_changes_nothing(server: RecordedStore, target: Target) -> None:
    with pytest.raises(Cancelled):
        _reset(target, cancelled=lambda: True)
    assert server.sent_like("OFFLINE|^DELETE|^TRUNCATE") == []


def test_inside_a_group_the_database_leaves_it_and_joins_it_again(server: RecordedStore, target: Target) -> None:
    secondary = ("ag]1", "127.0.0.1", "SYNCHRONOUS_COMMIT", "AUTOMATIC", 0, None, None)
    server.answers(_GROUP, [_PRIMARY, secondary])
    server.answers("SELECT state_desc FROM sys.databases", [("RESTORING",)])
    server.answers("last_log_backup_lsn", [(17,)])
    server.answers("FROM sys.dm_hadr_database_replica_states AS s", [(1,)])
    _reset(target)
    assert [text for _, text in _work(server)[1:-2]] == [
        "ALTER AVAILABILITY GROUP [ag]]1] REMOVE DATABASE [shop]",
        "DROP DATABASE [shop]",
        "ALTER AVAILABILITY GROUP [ag]]1] GRANT CREATE ANY DATABASE",
        "ALTER DATABASE [shop] SET OFFLINE WITH ROLLBACK IMMEDIATE",
        *[text for _, text in _work(server) if text.startswith("RESTORE DATABASE")],
        "ALTER AVAILABILITY GROUP [ag]]1] ADD DATABASE [shop]",
    ]


@pytest.mark.parametrize(
    ("server_name", "seeding", "reason"),
    [("db2", "MANUAL", "replica db2 is seeded by hand"), ("localhost.invalid", "AUTOMATIC", "can't be reached")],
)
def test_group_that_cannot_seed_keeps_the_database_and_rows_are_removed_instead(
    server: RecordedStore, target: Target, server_name: str, seeding: str, reason: str
) -> None:
    server.answers(_GROUP, [_PRIMARY, ("ag]1", server_name, "ASYNCHRONOUS_COMMIT", seeding, 0, None, None)])
    told: list[Progress] = []
    _reset(target, report_progress=told.append)
    assert server.sent_like("AVAILABILITY GROUP|OFFLINE") == []
    assert server.sent_like("^DELETE FROM dbo.orders")
    assert any(reason in progress.doing for progress in told)
