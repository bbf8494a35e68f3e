"""Replacing a store where room or rights are short, on a real server."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.databases.postgresql.replacement import PUBLIC, REPLACEMENT, change_places, free_bytes, make_schema
from engine.databases.postgresql.scripts import script
from engine.errors import Remedy, RemedyKind, TargetError, UserError
from engine.secrets import Secret
from engine.target.kinds import POSTGRESQL
from engine.workload.registry import BROKERAGE, DVD_STORE, WHOLESALE
from engine.workloads.bindings import store_of
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.small_disk import small_disk
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at

_ROLE = "contract_owner"
_SECRET = Secret("contract")
_DISK_MB = 40
_TOO_LARGE = DbSize(80, "MB")


def _free(place: Place) -> int | None:
    with opened(place.target, place.dbms.secret, Timeouts()) as connection:
        return free_bytes(connection)


@contextmanager
def _on_a_small_disk(place: Place) -> Iterator[None]:
    """The database lies in a tablespace of its own, on a disk of a few megabytes."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-disk-"))
    folder.chmod(0o755)  # the server runs under another account
    try:
        with small_disk(folder / "disk", _DISK_MB) as disk:
            space = disk / "space"
            space.mkdir()
            data = Path(place.dbms.run("postgres", "SHOW data_directory")[0][0])
            shutil.chown(space, data.stat().st_uid, data.stat().st_gid)
            space.chmod(0o700)
            place.dbms.run("postgres", f"CREATE TABLESPACE small LOCATION '{space}'")
            try:
                place.dbms.run("postgres", f"CREATE DATABASE {place.name} TABLESPACE small")
                yield
            finally:
                place.dbms.drop(place.name)
                place.dbms.run("postgres", "DROP TABLESPACE small")
    finally:
        shutil.rmtree(folder)


def test_the_room_on_this_machine_is_known(reader: Place) -> None:
    folder = reader.value("SHOW data_directory")
    free = _free(reader)
    assert free is not None
    assert free == pytest.approx(shutil.disk_usage(folder).free, rel=0.1)


def test_the_room_of_a_server_that_is_not_this_machines_is_not_known(
    reader: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one in a container, whose folder has the same name as another one here."""
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "1\n/data\n1\n5432\n")
    assert _free(reader) is None


def test_a_disk_without_room_for_both_is_known_before(scratch: Place) -> None:
    with _on_a_small_disk(scratch):
        scratch.build()
        free = _free(scratch)
        assert free is not None
        as_large_as_the_room = DbSize(round(0.95 * free / estimate(SIZE).total_bytes), "MB")
        larger = scratch.store.replacement(str(as_large_as_the_room))
        assert larger is not None
        assert larger.obstacle.startswith("there is no room to build the new one beside it: it needs about ")
        with pytest.raises(UserError, match=r"nothing was changed\. Make room"):
            scratch.store.replacement(str(_TOO_LARGE))
        small = scratch.store.replacement(str(SIZE))
        assert small is not None
        assert not small.must_delete_first


def test_a_disk_that_fills_up_leaves_the_old_store_whole(scratch: Place) -> None:
    with _on_a_small_disk(scratch):
        scratch.build()
        with pytest.raises(UserError, match="No space left") as raised:
            scratch.build(_TOO_LARGE, replace=True)
        assert raised.value.remedy == Remedy(kind=RemedyKind.DELETE_STORE_FIRST, name=scratch.name)
        assert scratch.contents() == generated(SIZE, SEED)
        assert scratch.failed_checks() == set()
        assert scratch.dbms.siblings(scratch.name) == []
        scratch.build(DbSize(2, "MB"), replace=True)
        assert scratch.contents() == generated(DbSize(2, "MB"), SEED)


def test_without_the_right_to_create_schemas_delete_first_is_required_and_works(
    dbms: PostgreSQLUnderTest, scratch: Place
) -> None:
    dbms.run("postgres", f"CREATE ROLE {_ROLE} LOGIN PASSWORD '{_SECRET.reveal()}'")
    dbms.create(scratch.name)
    scratch.run(f"GRANT CREATE ON SCHEMA public TO {_ROLE}")
    try:
        target = replace(scratch.target, user=_ROLE)
        store = store_at(target, _SECRET, Timeouts())
        store.build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)
        replacement = store.replacement(str(SIZE))
        assert replacement is not None
        assert f"'{_ROLE}' may not make a schema" in replacement.obstacle
        with pytest.raises(TargetError, match="permission denied for database"):
            store.build(str(SIZE), 9, replace=True, report_progress=silent, cancelled=never)
        assert scratch.contents() == generated(SIZE, SEED)
        store.build(str(SIZE), 9, replace=True, delete_first=True, report_progress=silent, cancelled=never)
        assert scratch.contents() == generated(SIZE, 9)
    finally:
        dbms.drop(scratch.name)
        dbms.run("postgres", f"DROP ROLE {_ROLE}")


@pytest.mark.parametrize("workload", [DVD_STORE, WHOLESALE, BROKERAGE])
def test_everything_that_a_build_makes_takes_the_earlier_stores_place(workload: str, dbms: PostgreSQLUnderTest) -> None:
    """Tables, indexes and sequences without rows; a database that held nothing has them all in the end."""
    name, definition = f"replaced_{workload}", store_of(workload, POSTGRESQL)
    relations = "SELECT relname FROM pg_class WHERE relnamespace = {}::regnamespace ORDER BY 1"
    dbms.create(name)
    try:
        with opened(dbms.target(name), dbms.secret, Timeouts()) as connection:
            make_schema(connection, dbms.target(name), definition)
        with opened(dbms.target(name), dbms.secret, Timeouts(), schema=REPLACEMENT) as connection:
            for text in (script("store"), *map(definition.script, ("tables", "indexes", "references"))):
                connection.execute(text.encode())
        made = dbms.run(name, relations.format(f"'{REPLACEMENT}'"))
        with opened(dbms.target(name), dbms.secret, Timeouts()) as connection, connection.transaction():
            change_places(connection, definition)
        assert dbms.run(name, relations.format(f"'{PUBLIC}'")) == made
        assert dbms.siblings(name) == []
    finally:
        dbms.drop(name)
