import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.progress import Progress
from engine.errors import Cancelled, UserError
from engine.secrets import Secret
from engine.target.target import Target
from tests.engine.databases.contract.places import SEED, SIZE, Place, never, silent
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.waiting import wait_until

_ROLE = "contract_builder"
_SECRET = Secret("contract")


@pytest.fixture
def builder(dbms: PostgreSQLUnderTest) -> Iterator[str]:
    """A user who may connect, and make nothing."""
    dbms.run("postgres", f"CREATE ROLE {_ROLE} LOGIN PASSWORD '{_SECRET.reveal()}'")
    yield _ROLE
    dbms.run("postgres", f"DROP ROLE {_ROLE}")


def _build(dbms: PostgreSQLUnderTest, target: Target, secret: Secret) -> None:
    store_at(target, secret, Timeouts()).build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)


def _truncating(dbms: PostgreSQLUnderTest, place: Place) -> bool:
    query = f"SELECT 1 FROM pg_stat_activity WHERE datname = '{place.name}' AND query LIKE 'TRUNCATE%'"
    return bool(dbms.run("postgres", query))


def test_missing_right_to_create_databases_names_the_remedy(
    dbms: PostgreSQLUnderTest, builder: str, scratch: Place
) -> None:
    target = replace(scratch.target, user=builder)
    with pytest.raises(UserError, match=f"'{scratch.name}' does not exist.*{builder} CREATEDB"):
        _build(dbms, target, _SECRET)


def test_the_owner_of_a_database_needs_no_other_right_to_build_verify_and_reset(
    dbms: PostgreSQLUnderTest, builder: str, scratch: Place
) -> None:
    dbms.run("postgres", f"CREATE DATABASE {scratch.name} OWNER {builder}")
    try:
        target = replace(scratch.target, user=builder)
        _build(dbms, target, _SECRET)
        store = store_at(target, _SECRET, Timeouts())
        store.reset(report_progress=silent, cancelled=never)
        assert [check.what for check in store.verify(report_progress=silent, cancelled=never) if not check.ok] == []
    finally:
        dbms.drop(scratch.name)


def test_build_refuses_a_foreign_function(dbms: PostgreSQLUnderTest, scratch: Place) -> None:
    dbms.create(scratch.name)
    scratch.run("CREATE FUNCTION login(text, text) RETURNS integer LANGUAGE sql AS 'SELECT 42'")
    with pytest.raises(UserError, match="'login' that Spindle did not make"):
        scratch.build(replace=True)
    assert scratch.value("SELECT login('a', 'b')") == 42


def test_a_load_that_waits_for_somebodys_lock_can_be_cancelled(dbms: PostgreSQLUnderTest, scratch: Place) -> None:
    dbms.create(scratch.name)
    cancelled, locked = threading.Event(), threading.Event()

    def report_progress(progress: Progress) -> None:
        if progress.doing.startswith("loading"):
            assert locked.wait(60)

    with ThreadPoolExecutor(1) as background:
        building = background.submit(scratch.build, report_progress=report_progress, cancelled=cancelled.is_set)
        wait_until(lambda: "inventory" in dbms.tables(scratch.name), "the tables are there")
        with dbms.transaction(scratch.name) as run:
            run("LOCK TABLE inventory")
            locked.set()
            wait_until(lambda: dbms.waiting(scratch.name) == 1, "a loader waits for the lock")
            assert _truncating(dbms, scratch)
            cancelled.set()
            wait_until(lambda: not _truncating(dbms, scratch), "no loader waits any more")
        with pytest.raises(Cancelled):
            building.result(timeout=60)
    assert dbms.tables(scratch.name) == []
