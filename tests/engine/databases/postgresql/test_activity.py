"""What a real PostgreSQL says of its sessions, its buffer, its log and its standbys."""

import socket
import threading
from collections.abc import Iterator

import psutil
import pytest

from engine.databases.activity import RUNNING
from engine.databases.postgresql import activity
from engine.databases.postgresql.activity import PostgreSQLActivity
from engine.errors import ErrorClass, TargetError
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.waiting import wait_until

_LOCKED = "active_rows"


@pytest.fixture
def reader(dbms: PostgreSQLUnderTest, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgreSQLActivity]:
    monkeypatch.setattr(activity, "CONNECT_SECONDS", 5.0)  # what a busy machine may need
    monkeypatch.setattr(activity, "_OPTIONS", "-c statement_timeout=60000")
    dbms.create(_LOCKED)
    dbms.run(_LOCKED, "CREATE TABLE one (value integer)")
    dbms.run(_LOCKED, "INSERT INTO one VALUES (1)")
    reader = PostgreSQLActivity(dbms.target(_LOCKED), dbms.secret, (_LOCKED,))
    yield reader
    reader.close()
    dbms.drop(_LOCKED)


def test_sessions_by_what_they_wait_for(dbms: PostgreSQLUnderTest, reader: PostgreSQLActivity) -> None:
    with dbms.transaction(_LOCKED) as run:
        run("UPDATE one SET value = 2")
        blocked = threading.Thread(target=dbms.run, args=(_LOCKED, "UPDATE one SET value = 3"))
        blocked.start()
        wait_until(lambda: reader.read().sessions.get("Lock") == 1, "the second update waits")
    blocked.join()
    after = reader.read().sessions
    assert after["Lock"] == 0
    assert {RUNNING, "IO", "LWLock", "Client", "IPC"} <= set(after)


def test_counts_grow_by_what_is_done(dbms: PostgreSQLUnderTest, reader: PostgreSQLActivity) -> None:
    before = reader.read()
    assert before.commits is not None
    assert before.log_bytes is not None
    dbms.run(_LOCKED, "INSERT INTO one SELECT generate_series(1, 1000)")
    wait_until(lambda: (reader.read().commits or 0) > (before.commits or 0), "the commit is counted")
    after = reader.read()
    assert after.log_bytes is not None
    assert 50_000 < after.log_bytes - before.log_bytes < 100_000_000, "bytes, with those of the server's own work"
    assert (after.buffer_hits or 0) > (before.buffer_hits or 0)


def test_a_connection_that_broke_meanwhile_is_opened_again(reader: PostgreSQLActivity) -> None:
    reader.read()
    assert reader._connection is not None
    with socket.fromfd(reader._connection.socket, socket.AF_INET, socket.SOCK_STREAM) as broken:
        broken.shutdown(socket.SHUT_RDWR)
    with pytest.raises(TargetError) as caught:
        reader.read()
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    assert reader.read().sessions


def test_a_silent_server_is_given_up_in_time_and_asked_anew(reader: PostgreSQLActivity) -> None:
    reader.read()
    assert reader._connection is not None
    session = psutil.Process(reader._connection.backend_pid)
    session.suspend()
    try:
        with pytest.raises(TargetError) as caught:
            reader.read()
    finally:
        session.resume()
    assert caught.value.error_class is ErrorClass.TIMEOUT
    assert reader.read().commits is not None


def test_counts_are_of_all_databases_that_are_driven(dbms: PostgreSQLUnderTest, reader: PostgreSQLActivity) -> None:
    other = 'active "other"'
    dbms.create(other)
    both = PostgreSQLActivity(dbms.target(_LOCKED), dbms.secret, (_LOCKED, other))
    try:
        for _ in range(20):
            dbms.run(other, "SELECT 1")

        def more() -> float:
            alone = reader.read().commits or 0
            return (both.read().commits or 0) - alone

        wait_until(lambda: more() >= 20, "the other database's commits are counted")
    finally:
        both.close()
        dbms.drop(other)
