"""Replacing a store on a real MariaDB: a kill while the tables are exchanged, missing rights, and the room on disk."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb import replacement
from engine.databases.mariadb.build import opened
from engine.databases.mariadb.replacement import Exchange, free_bytes
from engine.databases.mariadb.store import MariaDBStore
from engine.databases.odbc.connection import OdbcConnection
from engine.driver.child_process import process_context
from engine.errors import TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mariadb.store import STORE
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest

_TWO_MB = DbSize(2, "MB")
_SECRET = Secret("Secret-1")
_JOIN_SECONDS = 180.0


@pytest.fixture
def owner(dbms: MariaDBUnderTest, scratch: Place) -> Iterator[MariaDBStore]:
    """The store of a user who has all rights in the store's database, and none elsewhere."""
    dbms.create(scratch.name)
    dbms.run("", f"CREATE USER owner IDENTIFIED BY '{_SECRET.reveal()}'")
    dbms.run("", f"GRANT ALL ON {scratch.name}.* TO owner")
    yield MariaDBStore(replace(scratch.target, user="owner"), _SECRET, Timeouts(), STORE)
    dbms.run("", "DROP USER owner")


@pytest.mark.parametrize("moment", ["before the tables are moved", "behind it"])
def test_an_exchange_that_is_killed_is_completed_by_the_next_build(place: Place, moment: str) -> None:
    _kill_an_exchange(place, moment)
    state = place.store.state()
    assert state is not None
    assert not state.complete
    with pytest.raises(UserError, match=r"already holds a 2MB store"):
        place.build()
    assert place.contents() == generated(_TWO_MB, SEED)
    assert place.failed_checks() == set()
    assert place.dbms.siblings(place.name) == []


@pytest.mark.parametrize("moment", ["before the tables are moved", "behind it"])
def test_an_exchange_that_is_killed_is_dropped_with_all_that_it_left(place: Place, moment: str) -> None:
    _kill_an_exchange(place, moment)
    place.store.drop()
    assert place.dbms.siblings(place.name) == []
    assert not place.dbms.exists(place.name)


def test_without_the_right_to_create_databases_delete_first_is_required_and_works(
    owner: MariaDBStore, scratch: Place
) -> None:
    owner.build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)
    planned = owner.replacement(str(SIZE))
    assert planned is not None
    assert f"GRANT ALL ON `{scratch.name}__new`.* and `{scratch.name}__old`.*" in planned.obstacle
    with pytest.raises(TargetError, match="denied"):
        owner.build(str(SIZE), 9, replace=True, report_progress=silent, cancelled=never)
    assert scratch.contents() == generated(SIZE, SEED)
    owner.build(str(SIZE), 9, replace=True, delete_first=True, report_progress=silent, cancelled=never)
    assert scratch.contents() == generated(SIZE, 9)


def test_replacement_changes_nothing(reader: Place) -> None:
    assert reader.store.replacement(str(_TWO_MB)) is not None
    assert reader.dbms.siblings(reader.name) == []


def test_free_bytes_are_those_of_the_data_folders_disk(scratch: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch.dbms.create(scratch.name)
    scratch.run("CREATE TABLE disks (path varchar(200), available bigint)")
    scratch.run("INSERT INTO disks VALUES ('/', 1000), (left(@@datadir, 5), 2000), ('/elsewhere', 3000)")
    with opened(scratch.target, scratch.dbms.secret, Timeouts()) as connection:
        assert free_bytes(connection) is None
        question = replacement._FREE_BYTES.replace("information_schema.disks", "disks")
        monkeypatch.setattr(replacement, "_FREE_BYTES", question)
        assert free_bytes(connection) == 2000 * 1024


def _kill_an_exchange(place: Place, moment: str) -> None:
    process = process_context().Process(target=_replace_and_die, args=(place.target, place.dbms.secret, moment))
    process.start()
    process.join(_JOIN_SECONDS)
    assert process.exitcode == -signal.SIGKILL


def _replace_and_die(target: Target, secret: Secret, moment: str) -> None:
    """Replace the store, and be killed in the middle of the exchange."""

    def move_and_die(_: Exchange, connection: OdbcConnection) -> None:
        connection.query("DROP TRIGGER IF EXISTS restock")
        die()

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if moment.startswith("before"):
        Exchange._move = move_and_die  # type: ignore[method-assign]
    else:
        Exchange._settle = die  # type: ignore[method-assign]
    store = MariaDBStore(target, secret, Timeouts(), STORE)
    store.build(str(_TWO_MB), SEED, replace=True, report_progress=silent, cancelled=never)
