"""What a real MariaDB says of its sessions, its buffer and its log; the performance schema's waits where it is on."""

import threading
from dataclasses import replace

import pytest

from engine.databases.activity import RUNNING
from engine.databases.mariadb import replicas
from engine.databases.mariadb.activity import MariaDBActivity, activity_from
from engine.databases.mariadb.replicas import transactions
from engine.databases.odbc import activity
from tests.doubles.mariadb_pair import run_on, running_pair
from tests.doubles.mariadb_server import running_server
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.waiting import wait_until

_LOCKED = "active_rows"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine has more time to answer."""
    monkeypatch.setattr(activity, "CONNECT_SECONDS", 20.0)
    monkeypatch.setattr(activity, "ANSWER_SECONDS", 60.0)


def test_sessions_counts_and_row_locks(dbms: MariaDBUnderTest) -> None:
    dbms.create(_LOCKED)
    dbms.run(_LOCKED, "CREATE TABLE one (value integer) ENGINE = InnoDB")
    dbms.run(_LOCKED, "INSERT INTO one VALUES (1)")
    reader = MariaDBActivity(dbms.target(_LOCKED), dbms.secret)
    try:
        before = reader.read()
        with dbms.transaction(_LOCKED) as run:
            run("UPDATE one SET value = 2")
            blocked = threading.Thread(target=dbms.run, args=(_LOCKED, "UPDATE one SET value = 3"))
            blocked.start()
            wait_until(lambda: reader.read().sessions.get("row locks") == 1, "the second update waits")
        blocked.join()
        after = reader.read()
        assert RUNNING in after.sessions
        assert (after.commits or 0) >= (before.commits or 0)
        assert (after.log_bytes or 0) > (before.log_bytes or 0)
        assert (after.buffer_hits or 0) > (before.buffer_hits or 0)
        assert after.waited_seconds == {}
    finally:
        reader.close()
        dbms.drop(_LOCKED)


def test_the_performance_schema_says_what_was_waited_for() -> None:
    with running_server("--performance-schema=ON", "--performance-schema-instrument=wait/io/file/%=ON") as server:
        dbms = MariaDBUnderTest(server)
        reader = MariaDBActivity(dbms.target("mysql"), dbms.secret)
        dbms.run("mysql", "CREATE TABLE waited (value integer) ENGINE = InnoDB")
        dbms.run("mysql", "INSERT INTO waited VALUES (1)")
        assert reader.read().waited_seconds["data files"] > 0
        reader.close()


def test_a_replica_that_does_not_apply_lags_for_longer_and_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicas, "_INTERVAL_SECONDS", 0.05)
    monkeypatch.setattr(replicas, "_MOST_AGE_SECONDS", 0.5)
    with running_pair() as (primary, replica):
        run_on(primary, "CREATE DATABASE followed", "CREATE TABLE followed.one (value integer) ENGINE = InnoDB")
        target = replace(primary.target("mysql"), hosts=(replica.host, primary.host))
        reader = MariaDBActivity(target, primary.secret)

        def lag() -> float:
            return reader.read().lags_seconds.get(str(replica.host), -1.0)

        try:
            wait_until(
                lambda: reader.read().lags_seconds == {str(replica.host): 0}, "the replica has applied everything"
            )
            run_on(replica, "STOP SLAVE SQL_THREAD")
            run_on(primary, "INSERT INTO followed.one VALUES (1)")
            wait_until(lambda: lag() > 0.5, "its lag grows")
            run_on(replica, "START SLAVE SQL_THREAD")
            wait_until(lambda: lag() == 0, "it has caught up")
            replica.kill()
            wait_until(lambda: not reader.read().lags_seconds, "nothing is known of a replica that is gone")
        finally:
            reader.close()


@pytest.mark.parametrize(
    ("gtids", "counts"),
    [
        ("", {}),
        ("0-1-100", {"0": 100}),
        ("0-2-100,1-1-7", {"0": 100, "1": 7}),
        ("3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5", {"3E11FA47-71CA-11E1-9E33-C80AA9429562": 5}),
        ("a:1-5:8:10-12,\nb:3", {"a": 9, "b": 1}),
        ("a:1-5:backup:1-2:7:load:4", {"a": 5, "abackup": 3, "aload": 1}),
    ],
)
def test_positions_are_numbers_of_transactions(gtids: str, counts: dict[str, float]) -> None:
    assert transactions(gtids) == counts


def test_what_the_server_does_not_say_is_unknown() -> None:
    activity = activity_from({"threads_running": 3.0}, {})
    assert activity.sessions == {RUNNING: 2.0}
    assert (activity.buffer_hits, activity.log_bytes, activity.commits) == (None, None, None)
