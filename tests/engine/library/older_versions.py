"""Turns a library back into one of an earlier version, by taking away what the later migrations add."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.library.rows import packed_by_name, unpacked_transactions

_WORKSTATION = ("workstation_loads", "saturation_intervals", "process_summaries")
_FIXED = ("covers", "working", "thinking", "reconnecting", "down", "rollbacks", "retries", "reconnects", "in_doubt")
_RECEIVED = ("backlog", "rows_received", "bytes_received")
_STEPS = {"login": "logins", "new_customer": "new_customers", "browse": "browses", "purchase": "purchases"}
_COLUMNS = {"order.n": "orders", "order.sum_us": "order_us", "order.max_us": "order_us_max"} | {
    name: column
    for step, plural in _STEPS.items()
    for name, column in ((f"{step}.n", plural), (f"{step}.sum_us", f"{step}_us"))
}


def turn_back(path: Path, revision: str) -> None:
    """The library at ``path`` as of a revision from ``0004`` on."""
    added_by = {
        "0013": ["DROP TABLE machine_loads"],
        # Before 0008 the samples are made anew, below.
        "0012": [each for name in _RECEIVED for each in _dropped(name, "samples")] if revision >= "0008" else [],
        "0011": [f"DROP TABLE {table}" for table in ("collectors", "host_counters", "host_readings")]
        + _dropped("collector", "host_files"),
        "0010": ["DROP TABLE campaign_entries", "DROP TABLE campaigns"],
        "0007": [f"DROP TABLE {table}" for table in _WORKSTATION] + _dropped("steps", "samples", "sample_blocks"),
        "0006": _dropped("code", "events") + _dropped("data", "events"),
        "0005": _dropped("overdue", "samples", "sample_blocks"),
    }
    with closing(sqlite3.connect(path)) as connection:
        if revision < "0008":
            columns_instead_of_transactions(connection)
        for statement in (each for later, added in added_by.items() if later > revision for each in added):
            connection.execute(statement)
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        connection.commit()


def columns_instead_of_transactions(connection: sqlite3.Connection) -> None:
    """The samples as when the DVD Store was the only workload, packed or not."""
    rows = connection.execute(
        f"SELECT run_key, client, second, {', '.join(_FIXED)}, errors, overdue, transactions FROM samples"
    ).fetchall()
    numbers = ", ".join(f"{name} INTEGER NOT NULL" for name in (*_FIXED, *_COLUMNS.values()))
    connection.execute("DROP TABLE samples")
    connection.execute(
        f"CREATE TABLE samples (run_key INTEGER NOT NULL, client INTEGER NOT NULL, second INTEGER NOT NULL, {numbers},"
        " errors TEXT, histogram BLOB NOT NULL, overdue BLOB, steps BLOB, PRIMARY KEY (run_key, client, second),"
        " FOREIGN KEY (run_key, client) REFERENCES clients (run_key, number) ON DELETE CASCADE) WITHOUT ROWID"
    )
    names = ("run_key", "client", "second", *_FIXED, "errors", "overdue")
    for *values, packed in rows:
        row = dict(zip(names, values, strict=True)) | _columns_of(packed)
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO samples ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    connection.execute("ALTER TABLE sample_blocks RENAME COLUMN others TO steps")
    for rowid, types in connection.execute("SELECT rowid, types FROM sample_blocks").fetchall():
        flat = {_COLUMNS.get(name, name): kind for name, kind in json.loads(types)["columns"].items()}
        connection.execute("UPDATE sample_blocks SET types = ? WHERE rowid = ?", (json.dumps(flat), rowid))


def _columns_of(packed: bytes) -> dict[str, Any]:
    transactions = unpacked_transactions(packed)
    order = transactions["order"]
    row: dict[str, Any] = {
        "orders": order.n,
        "order_us": order.sum_us,
        "order_us_max": order.max_us,
        "histogram": order.histogram,
    }
    for step, plural in _STEPS.items():
        row |= {plural: transactions[step].n, f"{step}_us": transactions[step].sum_us}
    steps = {step: transactions[step].histogram for step in _STEPS}
    row["steps"] = None if None in steps.values() else packed_by_name({k: v for k, v in steps.items() if v})
    return row


def _dropped(column: str, *tables: str) -> list[str]:
    return [f"ALTER TABLE {table} DROP COLUMN {column}" for table in tables]
