"""The rows of SQL Server's views as activity; the query itself is parsed with all others in ``test_tsql``."""

import pytest

from engine.databases.mssql.activity import activity_from

ROWS: list[tuple[str, str, float | None]] = [
    ("wait", "LCK_M_X", 3_000.0),
    ("wait", "LCK_M_S", 1_000.0),
    ("wait", "PAGEIOLATCH_SH", 500.0),
    ("wait", "WRITELOG", 250.0),
    ("wait", "ANOTHER", 9_000.0),
    ("counter", "Page lookups/sec", 1_000.0),
    ("counter", "Page reads/sec", 40.0),
    ("counter", "Log Bytes Flushed/sec", 1e6),
    ("lag", "SQL2", 3.0),
    ("lag", "SQL3", None),
]


def test_wait_types_are_grouped_in_seconds() -> None:
    activity = activity_from(ROWS)
    assert activity.waited_seconds == {"locks": 4.0, "data files": 0.5, "log file": 0.25}
    assert activity.sessions == {}


def test_counters_and_lags() -> None:
    activity = activity_from(ROWS)
    assert (activity.buffer_hits, activity.buffer_reads, activity.log_bytes) == (960.0, 40.0, 1e6)
    assert activity.commits is None
    assert activity.lags_seconds == {"SQL2": 3.0}


@pytest.mark.parametrize("rows", [[], [("counter", "Page reads/sec", 1.0)]])
def test_what_is_missing_is_unknown(rows: list[tuple[str, str, float | None]]) -> None:
    assert activity_from(rows).buffer_hits is None
