"""A snapshot of a store in PostgreSQL, for an audit: whole numbers by ranges of ids, in bulk.

A range travels as arrays in a single row of binary COPY: a row for each order or line would keep this machine longer
than the server. The format is described in PostgreSQL's documentation of COPY, "Binary Format"; that of an array is
its ``array_send``: dimensions, a flag for nulls, the element type, then the length and lower bound of each dimension,
and the elements, each behind its size.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.postgresql.admin import Connection, cancelling, opened
from engine.databases.postgresql.copy_rows import HEADER
from engine.databases.postgresql.store_record import store_identity
from engine.databases.progress import IsCancelled
from engine.databases.snapshot import Snapshot
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.rows.randomness import Whole

_ARRAY_HEADER_BYTES = 20
_NULL = -1


@contextmanager
def snapshot_of(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition, cancelled: IsCancelled
) -> Iterator["PostgreSQLSnapshot"]:
    """A snapshot of the store in a database, on the first of the target's hosts that takes writes."""
    with opened(target, secret, timeouts) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield PostgreSQLSnapshot(connection, definition, cancelled)


class PostgreSQLSnapshot(Snapshot):
    """A snapshot within a read-only transaction."""

    most_ids = 2**19

    def __init__(self, connection: Connection, definition: StoreDefinition, cancelled: IsCancelled) -> None:
        super().__init__()
        self._connection = connection
        self._definition = definition
        self._cancelled = cancelled

    def identity(self) -> tuple[str, int] | None:
        is_known = self.value("SELECT to_regclass('public.spindle_store') IS NOT NULL")
        rows = self.rows(store_identity(self._definition)) if is_known else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.execute(query.encode()).fetchall()

    def numbers(self, query: str, columns: Sequence[str], after: int, to: int) -> Iterator[tuple[int, Sequence[Whole]]]:
        # COPY takes no parameters, and these are numbers of our own.
        arrays = ", ".join(f"array_agg({column})" for column in columns)
        statement = f"SELECT {arrays} FROM ({query.format(after=int(after), to=int(to))}) q"  # noqa: S608 - our own text
        with (
            cancelling(self._connection, self._cancelled),
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT BINARY)".encode()) as copy,
        ):
            data = b"".join(copy)
        yield after, _arrays_of(data)


def _arrays_of(data: bytes) -> list[Whole]:
    """The arrays of whole numbers without nulls in the one row of a binary COPY; a null is an empty one."""
    at = len(HEADER)
    fields = int.from_bytes(data[at : at + 2], "big")
    at += 2
    arrays = []
    for _ in range(fields):
        size = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        arrays.append(_array_of(data, at) if size != _NULL else np.empty(0, dtype=np.int64))
        at += max(0, size)
    return arrays


def _array_of(data: bytes, at: int) -> Whole:
    count = int.from_bytes(data[at + 12 : at + 16], "big")
    width = int.from_bytes(data[at + _ARRAY_HEADER_BYTES : at + _ARRAY_HEADER_BYTES + 4], "big")
    element = np.dtype([("size", ">i4"), ("value", f">i{width}")])
    return np.frombuffer(data, element, count, at + _ARRAY_HEADER_BYTES)["value"].astype(np.int64)
