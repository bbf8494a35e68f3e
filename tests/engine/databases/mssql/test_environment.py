import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import RecordedStore

_SERVER = ("16.0.4135.4", "Developer Edition (64-bit)", "RTM", None, "Latin1_General_CI_AS", "1", "0", "DB1")
_DATABASE = ("FULL", "160", "CHECKSUM", "OFF", "0", "DISABLED", "60", "1", "0")


@pytest.fixture
def server(recorded_store: RecordedStore) -> RecordedStore:
    recorded_store.databases.add("shop")
    recorded_store.answers("'ProductVersion'", [_SERVER])
    recorded_store.answers(
        "FROM sys.configurations", [("max server memory (MB)", "8192"), ("cost threshold for parallelism", "5")]
    )
    recorded_store.answers("^SELECT d.recovery_model_desc", [_DATABASE])
    recorded_store.answers(r"^SELECT CAST\(DATABASEPROPERTYEX", [("READ_WRITE",)])
    recorded_store.answers("log_reuse_wait_desc", [("FULL", "NOTHING", 8_192, 512)])
    recorded_store.answers("last_log_backup_lsn", [(0,)])
    recorded_store.answers("FROM sys.database_files AS f LEFT", [(None, 1, 256), ("spindle_orders", 4, 1_024)])
    recorded_store.answers("tempdb.sys.database_files", [(8, 64)])
    recorded_store.answers("VIEW SERVER STATE", [(0,)])
    return recorded_store


def test_what_makes_a_difference_is_recorded(server: RecordedStore, target: Target) -> None:
    info = SqlServerStore(target, Secret("x"), Timeouts(), STORE).server()
    assert (info.product, info.version, info.writable) == ("SQL Server", "16.0.4135.4", True)
    assert info.host == str(target.hosts[0])
    assert info.connect_ms > 0
    assert dict(info.settings) == {
        "always on enabled": "1",
        "auto update statistics": "1",
        "collation": "Latin1_General_CI_AS",
        "compatibility level": "160",
        "cost threshold for parallelism": "5",
        "delayed durability": "DISABLED",
        "edition": "Developer Edition (64-bit)",
        "encrypted": "0",
        "failover cluster": "0",
        "files of spindle_orders": "4 of 1024 MB together",
        "files of tempdb": "8 of 64 MB together",
        "files of the log": "1 of 256 MB together",
        "max server memory (MB)": "8192",
        "page verify": "CHECKSUM",
        "product level": "RTM",
        "read committed snapshot": "0",
        "recovery model": "FULL",
        "server name": "DB1",
        "snapshot isolation": "OFF",
        "target recovery time (s)": "60",
    }


def test_environment_includes_the_machine_with_the_right_to_see_it(server: RecordedStore, target: Target) -> None:
    server.answers("VIEW SERVER STATE", [(1,)])
    server.answers("sys.dm_hadr_availability_replica_states", [])
    server.answers("cpu_count", [("16",)])
    server.answers("scheduler_count", [("8",)])
    server.answers("sql_memory_model_desc", [("LOCK_PAGES",)])
    server.answers("instant_file_initialization_enabled", [("Y",)])
    server.answers("version_store_reserved_page_count", [(12,)])
    info = SqlServerStore(target, Secret("x"), Timeouts(), STORE).server()
    asked = ("processors", "schedulers", "memory model", "instant file initialization")
    assert [info.settings[name] for name in asked] == ["16", "8", "LOCK_PAGES", "Y"]
    assert info.measures["tempdb version store (MB)"] == "12"


def test_what_newer_servers_know_is_recorded_where_they_do(server: RecordedStore, target: Target) -> None:
    server.answers("is_query_store_on", [("1",)])
    server.answers("is_accelerated_database_recovery_on", error=odbc_error(("42S22", 207, "Invalid column name.")))
    server.answers("optimize_for_sequential_key", [("orders_pkey",)])
    server.answers("database_scoped_configurations", [("IDENTITY_CACHE", "1"), ("MAXDOP", "0")])
    server.answers("TRACESTATUS", [(3226, 1, 1, 0), (1117, 1, 1, 0)])
    server.answers("dm_os_host_info", [("Linux", "Ubuntu")])
    settings = SqlServerStore(target, Secret("x"), Timeouts(), STORE).server().settings
    assert settings["query store"] == "1"
    assert "accelerated database recovery" not in settings
    assert settings["optimize for sequential key"] == "orders_pkey"
    assert (settings["scoped: IDENTITY_CACHE"], settings["trace flags"]) == ("1", "1117, 3226")
    assert settings["platform"] == "Linux (Ubuntu)"
    assert "not seen" not in settings


def test_what_an_administrator_hides_is_named_and_the_rest_recorded(server: RecordedStore, target: Target) -> None:
    denied = odbc_error(("42000", 229, "The SELECT permission was denied."))
    for view in (
        "sys.configurations",
        "FROM sys.databases AS d WHERE",
        "sys.database_files",
        "sys.availability_replicas",
    ):
        server.answers(f"SELECT.*{view}", error=denied)
    server.answers("VIEW SERVER STATE", [(1,)])
    info = SqlServerStore(target, Secret("x"), Timeouts(), STORE).server()
    assert info.writable
    assert info.settings["edition"] == "Developer Edition (64-bit)"
    assert info.settings["not seen"] == (
        "server configuration, database options, files, files of tempdb, availability group"
    )
    (warning,) = info.warnings
    assert "server configuration, database options" in warning
    assert "compared" in warning


@pytest.mark.parametrize(
    ("model", "waits_for", "chain", "used_mb", "warns"),
    [
        ("FULL", "NOTHING", 1, 7_000, True),
        ("FULL", "LOG_BACKUP", 0, 7_000, True),
        ("BULK_LOGGED", "NOTHING", 1, 7_000, True),
        ("FULL", "NOTHING", 1, 512, False),
        ("FULL", "NOTHING", 0, 8_000, False),
        ("SIMPLE", "NOTHING", 1, 8_000, False),
        ("FULL", "NOTHING", 1, None, False),
    ],
)
def test_a_log_that_no_run_empties_and_that_has_little_room_is_warned_of(
    server: RecordedStore, target: Target, model: str, waits_for: str, chain: int, used_mb: int | None, warns: bool
) -> None:
    server.answers("log_reuse_wait_desc", [(model, waits_for, 8_192, used_mb)])
    server.answers("last_log_backup_lsn", [(chain,)])
    info = SqlServerStore(target, Secret("x"), Timeouts(), STORE).server()
    assert info.measures["log size (MB)"] == "8192"
    assert bool(info.warnings) is warns
    if warns:
        assert "1\u202f192 MB of 8\u202f192 MB free" in info.warnings[0]
        assert "ALTER DATABASE [shop] SET RECOVERY SIMPLE" in info.warnings[0]


def test_read_only_database_is_recorded(server: RecordedStore, target: Target) -> None:
    server.answers(r"^SELECT CAST\(DATABASEPROPERTYEX", [("READ_ONLY",)])
    assert not SqlServerStore(target, Secret("x"), Timeouts(), STORE).server().writable
