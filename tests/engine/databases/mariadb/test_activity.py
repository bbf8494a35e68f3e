"""What a real MariaDB says of its sessions, its buffer and its log; the performance schema's waits where it is on."""

import threading

from engine.databases.activity import RUNNING
from engine.databases.mariadb.activity import activity_from, activity_of
from tests.doubles.mariadb_server import running_server
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.waiting import wait_until

_LOCKED = "active_rows"


def test_sessions_counts_and_row_locks(dbms: MariaDBUnderTest) -> None:
    dbms.create(_LOCKED)
    dbms.run(_LOCKED, "CREATE TABLE one (value integer) ENGINE = InnoDB")
    dbms.run(_LOCKED, "INSERT INTO one VALUES (1)")
    reader = activity_of(dbms.target(_LOCKED), dbms.secret)
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
        reader = activity_of(dbms.target("mysql"), dbms.secret)
        dbms.run("mysql", "CREATE TABLE waited (value integer) ENGINE = InnoDB")
        dbms.run("mysql", "INSERT INTO waited VALUES (1)")
        assert reader.read().waited_seconds["data files"] > 0
        reader.close()


def test_what_the_server_does_not_say_is_unknown() -> None:
    activity = activity_from({"threads_running": 3.0}, {})
    assert activity.sessions == {RUNNING: 2.0}
    assert (activity.buffer_hits, activity.log_bytes, activity.commits) == (None, None, None)
