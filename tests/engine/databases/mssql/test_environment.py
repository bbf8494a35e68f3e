import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.secrets import Secret
from engine.target import Target
from tests.engine.databases.mssql.recorded_store import RecordedStore

_SERVER = ("16.0.4135.4", "Developer Edition (64-bit)", "RTM", None, "Latin1_General_CI_AS", "1", "0", "DB1")
_DATABASE = ("FULL", "160", "CHECKSUM", "OFF", "0", "DISABLED", "60", "1", "0", "READ_WRITE")


@pytest.fixture
def server(recorded_store: RecordedStore) -> RecordedStore:
    recorded_store.databases.add("shop")
    recorded_store.answers("'ProductVersion'", [_SERVER])
    recorded_store.answers(
        "FROM sys.configurations", [("max server memory (MB)", "8192"), ("cost threshold for parallelism", "5")]
    )
    recorded_store.answers("^SELECT d.recovery_model_desc", [_DATABASE])
    recorded_store.answers("FROM sys.database_files AS f LEFT", [(None, 1, 256), ("spindle_orders", 4, 1_024)])
    recorded_store.answers("tempdb.sys.database_files", [(8, 64)])
    recorded_store.answers("VIEW SERVER STATE", [(0,)])
    recorded_store.answers("sys.dm_os_sys_info", [("16", "65536")])
    return recorded_store


def test_what_makes_a_difference_is_recorded(server: RecordedStore, target: Target) -> None:
    info = SqlServerStore(target, Secret("x"), Timeouts()).server()
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


def test_who_may_look_sees_the_machine_too(server: RecordedStore, target: Target) -> None:
    server.answers("VIEW SERVER STATE", [(1,)])
    server.answers("sys.dm_hadr_availability_replica_states", [])
    settings = SqlServerStore(target, Secret("x"), Timeouts()).server().settings
    assert (settings["processors"], settings["memory (MB)"]) == ("16", "65536")


def test_a_database_that_takes_no_writes_is_recorded_as_such(server: RecordedStore, target: Target) -> None:
    server.answers("^SELECT d.recovery_model_desc", [(*_DATABASE[:-1], "READ_ONLY")])
    assert not SqlServerStore(target, Secret("x"), Timeouts()).server().writable
