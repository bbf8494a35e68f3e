import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from engine.errors import UserError
from engine.library.connecting import connect, read_transaction, write_transaction


@pytest.fixture
def engine(tmp_path):
    engine = connect(tmp_path / "file.sqlite", busy_seconds=0.05)
    with write_transaction(engine) as connection:
        connection.execute(text("CREATE TABLE parents (id INTEGER PRIMARY KEY)"))
        connection.execute(text("CREATE TABLE children (parent INTEGER NOT NULL REFERENCES parents)"))
    yield engine
    engine.dispose()


def test_connections_are_durable_and_keep_references(engine):
    with read_transaction(engine) as connection:
        pragmas = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    with pytest.raises(IntegrityError), write_transaction(engine) as connection:
        connection.execute(text("INSERT INTO children VALUES (7)"))


def test_a_failed_block_leaves_nothing_behind_not_even_a_table(engine):
    def fail_half_way():
        with write_transaction(engine) as connection:
            connection.execute(text("INSERT INTO parents VALUES (1)"))
            connection.execute(text("CREATE TABLE more (id INTEGER)"))
            raise KeyError("the block's own")

    with pytest.raises(KeyError):
        fail_half_way()
    with read_transaction(engine) as connection:
        assert connection.execute(text("SELECT count(*) FROM parents")).scalar() == 0
        assert connection.execute(text("SELECT count(*) FROM sqlite_master WHERE name = 'more'")).scalar() == 0


def test_a_reader_sees_one_state_while_another_writes(engine):
    with read_transaction(engine) as reader:
        assert reader.execute(text("SELECT count(*) FROM parents")).scalar() == 0
        with write_transaction(engine) as writer:
            writer.execute(text("INSERT INTO parents VALUES (1)"))
        assert reader.execute(text("SELECT count(*) FROM parents")).scalar() == 0
    with read_transaction(engine) as reader:
        assert reader.execute(text("SELECT count(*) FROM parents")).scalar() == 1


def test_locked_library_is_a_user_error(engine, tmp_path):
    with closing(sqlite3.connect(tmp_path / "file.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        held = r"file\.sqlite is locked by another program; close .*\.$"
        with pytest.raises(UserError, match=held), write_transaction(engine):
            pytest.fail("the block must not be entered")


def test_error_of_a_statement_is_not_translated(engine):
    with pytest.raises(OperationalError, match="no such table"), read_transaction(engine) as connection:
        connection.execute(text("SELECT * FROM missing"))
