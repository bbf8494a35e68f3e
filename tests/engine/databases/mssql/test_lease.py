"""The lease of a store in a recorded SQL Server: what is sent for it, and when building and dropping let it rest."""

from datetime import UTC, datetime

import pytest

from engine.conduct.leasing import StoreLease, holder_of
from engine.databases.database import Timeouts
from engine.databases.lease import Claim
from engine.databases.mssql.store import SqlServerStore
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.places import SEED, SIZE, never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_FOUND = "OBJECT_ID.N'dbo.spindle_store'.*OBJECT_ID.N'dbo.spindle_lease'"
_READ = "^SELECT token, user_name"
_SINCE = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)

_ANNA = ("t", "anna", "lab-ws2", 7, "elsewhere 7 1")


class Noting:
    """Fulfils ``HeldLease``; notes in the server's log when it was taken and put to rest."""

    def __init__(self, server: RecordedStore) -> None:
        self._server = server

    def take(self) -> None:
        self._server.log.append(("", "TAKE"))

    def rest(self) -> None:
        self._server.log.append(("", "REST"))


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(_FOUND, [(1, 0)])
    return SqlServerStore(target, Secret("x"), Timeouts(), STORE)


def test_lease_table_is_created_and_lease_taken_renewed_released(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    claim = Claim(purpose="run 'a'", program="command line")
    free = ("", "", "", 0, "", "", "", 0.0, 3, 0.0, 0.0)
    mine = (
        claim.token,
        "me",
        "here",
        1,
        claim.process_key,
        "command line",
        "run 'a'",
        30.0,
        4,
        _SINCE.timestamp(),
        0.0,
    )
    recorded_store.answers(_READ, [free])
    lease = StoreLease(store, claim, "Database 'shop'", notify=print)
    taken = recorded_store.take

    def take(database: str, statement: str, values: object) -> None:
        if statement.startswith("UPDATE dbo.spindle_lease SET token = ?"):
            recorded_store.answers(_READ, [mine])
        taken(database, statement, values)  # type: ignore[arg-type] - as it came

    recorded_store.take = take  # type: ignore[method-assign, assignment]
    lease.take()
    assert lease.is_held
    lease.release()
    places = recorded_store.places(
        "^IF OBJECT_ID.N'dbo.spindle_lease', N'U'. IS NULL\n *CREATE TABLE dbo.spindle_lease",
        "^INSERT INTO dbo.spindle_lease",
        "^UPDATE dbo.spindle_lease SET token = [?].*generation = generation [+] 1",
        "^UPDATE dbo.spindle_lease SET token = '' WHERE token = [?]",
    )
    assert places == sorted(places)
    assert {database for database, _ in recorded_store.sent_like("spindle_lease")} == {"shop"}


def test_the_holder_is_read(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    assert holder_of(store) is None
    recorded_store.answers(_FOUND, [(1, 1)])
    recorded_store.answers(
        _READ,
        [("t", "anna", "lab-ws2", 7, "elsewhere 7 1", "Spindle window", "run 'a'", 30.0, 4, _SINCE.timestamp(), 29.0)],
    )
    holder = holder_of(store)
    assert holder is not None
    assert (holder.description, holder.since) == ("anna@lab-ws2 (run 'a', Spindle window, process 7)", _SINCE)
    recorded_store.answers(
        _READ,
        [("t", "anna", "lab-ws2", 7, "elsewhere 7 1", "Spindle window", "run 'a'", 30.0, 4, _SINCE.timestamp(), 31.0)],
    )
    assert holder_of(store) is None


def test_work_continues_without_a_lease_table_with_one_notice(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers(
        "CREATE TABLE dbo.spindle_lease",
        error=odbc_error(("42000", 262, "CREATE TABLE permission denied in database 'shop'.")),
    )
    said: list[str] = []
    lease = StoreLease(store, Claim(purpose="run", program="command line"), "Database 'shop'", notify=said.append)
    lease.take_if_there()
    lease.take()
    assert not lease.is_held
    assert len(said) == 1
    assert said[0].startswith("Database 'shop' can't be marked as in use (CREATE TABLE permission denied")


def test_the_lease_rests_before_its_table_and_its_database_go(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    store.drop(lease=Noting(recorded_store))
    places = recorded_store.places(
        "^DROP TABLE IF EXISTS dbo.spindle_store", "^REST$", "^DROP TABLE IF EXISTS dbo.spindle_lease", "^DROP DATABASE"
    )
    assert places == sorted(places)


def test_recreated_database_gets_a_new_lease(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    store.build(
        str(SIZE),
        SEED,
        replace=True,
        delete_first=True,
        report_progress=silent,
        cancelled=never,
        lease=Noting(recorded_store),
    )
    steps = [text.split()[0] for _, text in recorded_store.sent_like("^(TAKE|REST|DROP DATABASE|CREATE DATABASE)")]
    assert steps == ["TAKE", "REST", "DROP", "CREATE", "TAKE"]


def test_cancelled_first_build_closes_the_lease_before_dropping_the_database(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.databases.discard("shop")
    recorded_store.hold(None)
    watcher = Watcher(0.3)
    with pytest.raises(Cancelled):
        store.build(
            str(SIZE),
            SEED,
            replace=False,
            report_progress=watcher.report_progress,
            cancelled=watcher.asked,
            lease=Noting(recorded_store),
        )
    steps = [text.split()[0] for _, text in recorded_store.sent_like("^(TAKE|REST|DROP DATABASE|CREATE DATABASE)")]
    assert steps == ["CREATE", "TAKE", "REST", "DROP"]


def test_concurrently_created_database_is_used_as_it_is(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.discard("shop")
    recorded_store.hold(None)
    recorded_store.answers("^CREATE DATABASE", error=odbc_error(("42000", 1801, "Database 'shop' already exists.")))
    store.build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)
    ((_, noted),) = recorded_store.sent_like("^INSERT INTO dbo.spindle_store")
    assert noted
