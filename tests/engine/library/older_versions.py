"""Turns a library back into one of an earlier version, by taking away what the later migrations add."""

import sqlite3
from contextlib import closing
from pathlib import Path

_WORKSTATION = ("workstation_loads", "saturation_intervals", "process_summaries")


def turn_back(path: Path, revision: str) -> None:
    """The library at ``path`` as of a revision from ``0004`` on."""
    added_by = {
        "0007": [f"DROP TABLE {table}" for table in _WORKSTATION] + _dropped("steps", "samples", "sample_blocks"),
        "0006": _dropped("code", "events") + _dropped("data", "events"),
        "0005": _dropped("overdue", "samples", "sample_blocks"),
    }
    with closing(sqlite3.connect(path)) as connection:
        for statement in (each for later, added in added_by.items() if later > revision for each in added):
            connection.execute(statement)
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        connection.commit()


def _dropped(column: str, *tables: str) -> list[str]:
    return [f"ALTER TABLE {table} DROP COLUMN {column}" for table in tables]
