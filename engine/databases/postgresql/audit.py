"""What an audit asks of a DVD Store in PostgreSQL: orders and lines by ranges of ids, in bulk, from one snapshot.

A range travels as arrays in a single row of binary COPY: a row for each order or line would keep this machine longer
than the server. The format is described in PostgreSQL's documentation of COPY, "Binary Format"; that of an array is
its ``array_send``: dimensions, a flag for nulls, the element type, then the length and lower bound of each dimension,
and the elements, each behind its size.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from engine.databases.database import IsCancelled, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.postgresql.admin import Connection, cancelling, opened
from engine.databases.postgresql.copy_rows import HEADER
from engine.databases.postgresql.store_record import store_identity
from engine.databases.stored_orders import (
    ORDER_TYPE,
    Cents,
    HistorySums,
    Lines,
    Orders,
    prices_by_product,
    unpacked_lines,
)
from engine.secrets import Secret
from engine.target.target import Target

_ARRAY_HEADER_BYTES = 20
_NULL = -1
Numbers = npt.NDArray[np.int64]


@contextmanager
def auditing(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition, cancelled: IsCancelled
) -> Iterator["PostgreSQLAuditor"]:
    """An auditor of the store in a database, on the first of the target's hosts that takes writes."""
    with opened(target, secret, timeouts) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield PostgreSQLAuditor(connection, definition, cancelled)


class PostgreSQLAuditor:
    """Implements ``engine.databases.database.Auditor``."""

    most_ids = 2**19

    def __init__(self, connection: Connection, definition: StoreDefinition, cancelled: IsCancelled) -> None:
        self._connection = connection
        self._definition = definition
        self._cancelled = cancelled

    def state(self) -> tuple[str, int] | None:
        known = self._row("SELECT to_regclass('public.spindle_store') IS NOT NULL")[0]
        rows = self._rows(store_identity(self._definition)) if known else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def prices(self) -> Cents:
        return prices_by_product(self._rows("SELECT prod_id, (price * 100)::integer FROM products"))

    def orders(self, after: int, to: int) -> Orders:
        columns = self._arrays("audit_orders", after, to)
        orders: Orders = np.empty(len(columns[0]), ORDER_TYPE)
        for name, column in zip(ORDER_TYPE.names or (), columns, strict=True):
            orders[name] = column
        return orders

    def lines(self, after: int, to: int) -> Lines:
        (packed,) = self._arrays("audit_lines", after, to)
        return unpacked_lines(packed, after)

    def history(self, after: int, to: int) -> HistorySums:
        return HistorySums.of(self._row(self._statement("audit_history", after, to)))

    def products_off(self) -> int:
        return int(self._row(self._statement("audit_sales", 0, 0))[0])

    def _arrays(self, script: str, after: int, to: int) -> list[Numbers]:
        statement = f"COPY ({self._statement(script, after, to)}) TO STDOUT (FORMAT BINARY)"
        with (
            cancelling(self._connection, self._cancelled),
            self._connection.cursor() as cursor,
            cursor.copy(statement.encode()) as copy,
        ):
            return _arrays_of(b"".join(copy))

    def _statement(self, script: str, after: int, to: int) -> str:
        """The script with its bounds: COPY takes no parameters, and these are numbers of our own."""
        lines = [line for line in self._definition.script(script).splitlines() if not line.startswith("--")]
        return "\n".join(lines).replace("%(after)s", str(int(after))).replace("%(to)s", str(int(to)))

    def _row(self, statement: str) -> tuple[Any, ...]:
        return self._rows(statement)[0]

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.execute(statement.encode()).fetchall()


def _arrays_of(data: bytes) -> list[Numbers]:
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


def _array_of(data: bytes, at: int) -> Numbers:
    count = int.from_bytes(data[at + 12 : at + 16], "big")
    width = int.from_bytes(data[at + _ARRAY_HEADER_BYTES : at + _ARRAY_HEADER_BYTES + 4], "big")
    element = np.dtype([("size", ">i4"), ("value", f">i{width}")])
    return np.frombuffer(data, element, count, at + _ARRAY_HEADER_BYTES)["value"].astype(np.int64)
