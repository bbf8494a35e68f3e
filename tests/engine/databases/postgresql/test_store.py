from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError, UserError
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.waiting import wait_until


def test_the_settings_that_make_a_difference_are_recorded(reader: Place) -> None:
    settings = reader.store.server().settings
    for name in ("shared_buffers", "fsync", "synchronous_commit", "max_wal_size"):
        assert settings[name] == reader.value(f"SHOW {name}")


def test_drop_waits_a_limited_time_for_locks_then_drops_nothing(place: Place) -> None:
    store = store_at(place.target, place.dbms.secret, Timeouts(statement_seconds=0.3))
    with place.dbms.transaction(place.name) as run:
        run("SELECT count(*) FROM reorder")
        with pytest.raises(TargetError) as caught:
            store.drop()
    assert caught.value.error_class is ErrorClass.TIMEOUT
    assert place.failed_checks() == set()


def test_reset_waits_for_running_purchases_and_removes_them(place: Place) -> None:
    session = place.open()
    with ThreadPoolExecutor() as background:
        with place.dbms.transaction(place.name) as run:
            run("SELECT 1 FROM inventory WHERE prod_id = 2 FOR UPDATE")
            buying = background.submit(session.purchase, 1, [(1, 1), (2, 1)], net=2, tax=0, total=2)
            wait_until(lambda: place.dbms.waiting(place.name) == 1, "the purchase waits for the lock")
            resetting = background.submit(place.reset)
            wait_until(lambda: place.dbms.waiting(place.name) == 2, "the reset waits")
        resetting.result(timeout=60)
        assert buying.result(timeout=60) == SIZE.orders + 1
    session.close()
    assert place.contents() == generated(SIZE, SEED)


def test_database_with_other_connections_is_kept(place: Place) -> None:
    with place.dbms.transaction(place.name):
        assert "others are connected" in place.store.drop()
    assert place.dbms.tables(place.name) == []


def test_a_store_of_a_newer_format_is_left_alone(place: Place) -> None:
    place.run("UPDATE spindle_store SET format = format + 1")
    for work in (
        place.store.state,
        place.store.drop,
        lambda: place.build(replace=True),
        lambda: place.store.reset(report_progress=silent, cancelled=never),
    ):
        with pytest.raises(UserError, match="newer than this version of Spindle"):
            work()
    assert place.value("SELECT count(*) FROM categories") == 16


def test_foreign_function_keeps_the_database(dbms: PostgreSQLUnderTest, scratch: Place) -> None:
    scratch.build()
    scratch.run("CREATE FUNCTION theirs() RETURNS integer LANGUAGE sql AS 'SELECT 42'")
    assert "stays" in scratch.store.drop()
    assert dbms.tables(scratch.name) == ["theirs"]
