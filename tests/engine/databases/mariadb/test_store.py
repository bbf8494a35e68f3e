import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.store import MariaDBStore
from engine.errors import ErrorClass, TargetError, UserError
from engine.workloads.dvdstore.bindings.mariadb.store import STORE
from engine.workloads.dvdstore.layout import layout_for
from tests.engine.databases.contract.places import SEED, SIZE, Place, never, silent


def test_the_server_s_edition_and_what_its_speed_depends_on_are_recorded(reader: Place) -> None:
    settings = reader.store.server().settings
    assert settings["edition"]
    assert settings["innodb_buffer_pool_size"].isdigit()
    assert settings["innodb_flush_log_at_trx_commit"] == "1"
    assert {
        "sync_binlog", "innodb_flush_method", "log_bin", "max_connections", "tx_isolation", "innodb_ft_min_token_size",
    } <= set(settings)  # fmt: skip


def test_a_read_only_server_is_recorded_as_such(reader: Place) -> None:
    reader.dbms.run("", "SET GLOBAL read_only = ON")
    try:
        assert not reader.store.server().writable
    finally:
        reader.dbms.run("", "SET GLOBAL read_only = OFF")


def test_a_store_of_a_newer_format_is_left_alone(place: Place) -> None:
    place.run("UPDATE spindle_store SET format = 99")
    with pytest.raises(UserError, match="format 99, newer than this version of Spindle supports"):
        place.store.state()


def test_file_layout_is_refused(reader: Place) -> None:
    store = MariaDBStore(reader.target, reader.dbms.secret, Timeouts(), STORE)
    with pytest.raises(UserError, match="leave it out"):
        store.build(str(SIZE), SEED, replace=True, report_progress=silent, cancelled=never, layout=layout_for(SIZE))


def test_a_reset_that_fails_half_way_changes_nothing(place: Place) -> None:
    session = place.open()
    place.set_stock(1, 100)
    session.purchase(1, [(1, 1)], 1, 0, 1)
    session.close()
    place.run("CREATE TRIGGER theirs BEFORE INSERT ON inventory FOR EACH ROW SIGNAL SQLSTATE '45000'")
    before = place.contents()
    with pytest.raises(Exception, match="Unhandled user-defined exception"):
        place.reset()
    assert place.contents() == before
    place.run("DROP TRIGGER theirs")
    place.reset()
    assert place.store.state() is not None


@pytest.mark.parametrize("work", ["reset", "drop"])
def test_wait_for_other_users_locks_is_limited(place: Place, work: str) -> None:
    store = MariaDBStore(place.target, place.dbms.secret, Timeouts(statement_seconds=1), STORE)
    with place.dbms.transaction(place.name) as run:
        run("SELECT count(*) FROM customers")
        with pytest.raises(TargetError) as caught:
            store.drop() if work == "drop" else store.reset(report_progress=silent, cancelled=never)
    assert caught.value.error_class is ErrorClass.TIMEOUT
