"""A snapshot of a store in MariaDB or MySQL, for an audit: whole numbers by ranges of ids, in bulk.

A range travels as whole numbers in one text, which the server makes with GROUP_CONCAT: over ODBC a row for each order
or line would take eight times as long, most of it on this machine. The server cuts such a text off at its
``max_allowed_packet``; so each comes with its count and parity, and a range that was cut off is asked for in halves,
and an id that has more than one text can hold in rows.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.sql_text import translated
from engine.databases.mariadb.store_record import record_in, store_identity
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled
from engine.databases.snapshot import Snapshot
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.rows.randomness import Whole

# Of orders of five or six lines, as the DVD Store's are, so many then fit in the packet; a range of others is halved.
_BYTES_PER_ID = 128
_MOST_IDS = 2**17
_LONGEST_TEXT_BYTES = 2**30


@contextmanager
def snapshot_of(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition, cancelled: IsCancelled
) -> Iterator["MariaDBSnapshot"]:
    """A snapshot of the store in a database, on the first of the target's hosts that takes writes."""
    with opened(dialect_of(target.kind), target, secret, timeouts) as connection:
        connection.query(f"SET SESSION group_concat_max_len = {_LONGEST_TEXT_BYTES}")
        connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        yield MariaDBSnapshot(connection, target, definition, cancelled)


class MariaDBSnapshot(Snapshot):
    """A snapshot; closing the connection ends its transaction."""

    def __init__(
        self, connection: OdbcConnection, target: Target, definition: StoreDefinition, cancelled: IsCancelled
    ) -> None:
        super().__init__()
        self._connection = connection
        self._target = target
        self._definition = definition
        self._cancelled = cancelled
        packet_bytes = int(self.value("SELECT @@max_allowed_packet"))
        self.most_ids = min(_MOST_IDS, max(1, packet_bytes // _BYTES_PER_ID))

    def identity(self) -> tuple[str, int] | None:
        record = record_in(self._connection, self._target, self._definition)
        rows = self.rows(store_identity(self._definition)) if record is not None else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def rows(self, query: str) -> list[Any]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.query(translated(query))

    def numbers(self, query: str, columns: Sequence[str], after: int, to: int) -> Iterator[tuple[int, Sequence[Whole]]]:
        parity, texts, wanted = " ^ ".join(columns), ", ',', ".join(columns), query.format(after=int(after), to=int(to))
        ((rows, expected, text),) = self.rows(
            f"SELECT count(*), coalesce(bit_xor({parity}), 0), CAST(group_concat({texts}) AS BINARY)"  # noqa: S608
            f" FROM ({wanted}) q"
        )
        numbers = _numbers_of(text)
        if numbers is not None and len(numbers) == rows * len(columns) and _parity(numbers) == expected:
            yield after, tuple(numbers.reshape(-1, len(columns)).T)
        elif to - after > 1:
            middle = (after + to) // 2
            yield from self.numbers(query, columns, after, middle)
            yield from self.numbers(query, columns, middle, to)
        else:
            rows_of_id = self.rows(f"SELECT {', '.join(columns)} FROM ({wanted}) q")  # noqa: S608 - our own text
            yield after, tuple(np.array([tuple(row) for row in rows_of_id], np.int64).T)


def _numbers_of(text: bytes | None) -> Whole | None:
    """The numbers between a text's commas; ``None`` when it ends in the middle of one, and none when there is none."""
    try:
        return np.fromstring(text or b"", dtype=np.int64, sep=",")
    except ValueError:
        return None


def _parity(numbers: Whole) -> int:
    return int(np.bitwise_xor.reduce(numbers)) % 2**64
