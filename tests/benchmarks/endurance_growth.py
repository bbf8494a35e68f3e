"""The sizes of a run's library and ledgers: computed from its counts, and as they are on the disk.

The computed size of the library is that of its packed samples and of the rows of probe, events and run. Anything else
that grows, is stored twice or is left behind appears as a difference. Whether the samples themselves grow shows hour by
hour.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.audit.ledger import RECORD, packed_header

# Of a row in SQLite's format: its cell and record headers, and its few small numbers.
_ROW_BYTES = 14
_BLOCK_COLUMNS = ("counts", "histograms", "overdue", "types", "seconds", "errors")
_BLOCK_BYTES = " + ".join(f"coalesce(length({name}), 0)" for name in _BLOCK_COLUMNS)
_OF_HOURS = (
    f"SELECT sum({_BLOCK_BYTES}), sum(last_second - first_second + 1) FROM sample_blocks GROUP BY hour ORDER BY hour"
)
_OF_PROBES = "SELECT sum(length(slots) + length(host)), count(*) FROM probes"
_OF_RUN = "SELECT sum(length(plan) + length(environment) + coalesce(length(totals), 0)), count(*) FROM runs"
_OF_EVENTS = "SELECT sum(length(label) + length(detail) + length(kind)), count(*) FROM events"


@dataclass(frozen=True)
class StoredPages:
    """Bytes of a library's file: those in use, and those that are free for what comes next."""

    used: int
    free: int


def stored_pages(library: Path) -> StoredPages:
    """Of the library as it is now, what its log holds included."""
    with closing(sqlite3.connect(library)) as connection:
        size, pages, free = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
        )
    return StoredPages(used=(pages - free) * size, free=free * size)


def bytes_per_sample(library: Path) -> list[float]:
    """Of each hour of a library's only run, which is packed."""
    with closing(sqlite3.connect(library)) as connection:
        return [stored / samples for stored, samples in connection.execute(_OF_HOURS)]


def computed_library(library: Path) -> int:
    """Bytes that a library's only run should take."""
    with closing(sqlite3.connect(library)) as connection:
        samples = sum(stored for stored, _ in connection.execute(_OF_HOURS))
        rows = [connection.execute(query).fetchone() for query in (_OF_PROBES, _OF_EVENTS, _OF_RUN)]
    return int(samples + sum((text or 0) + count * _ROW_BYTES for text, count in rows))


def computed_ledgers(run_id: str, counted: Mapping[str, int], clients: int) -> int:
    """Bytes of all clients' ledgers: a record for each order that stands, or is in doubt, and one that closes each."""
    headers = sum(len(packed_header(run_id, client)) for client in range(1, clients + 1))
    records = counted["orders"] - counted["rollbacks"] + counted["in_doubt"] + clients
    return headers + records * RECORD.size
