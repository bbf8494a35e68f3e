"""The queries of an audit in MariaDB or MySQL: orders and lines by ranges of ids, in bulk, from one snapshot.

A range is sent as whole numbers in one text, which the server makes with GROUP_CONCAT: over ODBC a row for each order
or line would take eight times as long, most of it on this machine. The server truncates such a text at its
``max_allowed_packet``; so each has its count and parity, and a range that was truncated is queried again in halves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.databases.database import IsCancelled, Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.store_record import record_in, store_identity
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.stored_orders import (
    ORDER_TYPE,
    Cents,
    HistorySums,
    Lines,
    Orders,
    prices_by_product,
    unpacked_lines,
)
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target

# Orders of five or six lines, as the workload's are, then fit in the packet; a range of others is halved.
_BYTES_PER_ORDER = 128
_MOST_IDS = 2**17
_LONGEST_TEXT_BYTES = 2**30
_ORDER_WIDTH = 3
Numbers = npt.NDArray[np.int64]


@contextmanager
def auditing(
    target: Target, secret: Secret | None, timeouts: Timeouts, definition: StoreDefinition, cancelled: IsCancelled
) -> Iterator["MariaDBAuditor"]:
    """An auditor of the store in a database, on the first of the target's hosts that takes writes."""
    with opened(dialect_of(target.kind), target, secret, timeouts) as connection:
        connection.query(f"SET SESSION group_concat_max_len = {_LONGEST_TEXT_BYTES}")
        connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        yield MariaDBAuditor(connection, target, definition, cancelled)


class MariaDBAuditor:
    """Implements ``engine.databases.database.Auditor``; closing the connection ends its transaction."""

    def __init__(
        self, connection: OdbcConnection, target: Target, definition: StoreDefinition, cancelled: IsCancelled
    ) -> None:
        self._connection = connection
        self._target = target
        self._definition = definition
        self._cancelled = cancelled
        ((packet_bytes,),) = self._rows("SELECT @@max_allowed_packet")
        self.most_ids = min(_MOST_IDS, max(1, int(packet_bytes) // _BYTES_PER_ORDER))

    def state(self) -> tuple[str, int] | None:
        record = record_in(self._connection, self._target, self._definition)
        rows = self._rows(store_identity(self._definition)) if record is not None else []
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def prices(self) -> Cents:
        return prices_by_product(self._rows("SELECT prod_id, CAST(price * 100 AS SIGNED) FROM products"))

    def orders(self, after: int, to: int) -> Orders:
        parts = [numbers for _, numbers in self._parts("audit_orders", after, to, _ORDER_WIDTH)]
        found = np.concatenate(parts).reshape(-1, _ORDER_WIDTH)
        orders: Orders = np.empty(len(found), ORDER_TYPE)
        for name, column in zip(ORDER_TYPE.names or (), found.T, strict=True):
            orders[name] = column
        orders.sort(order="order")
        return orders

    def lines(self, after: int, to: int) -> Lines:
        parts = self._parts("audit_lines", after, to, 1)
        return np.concatenate([unpacked_lines(packed, begin) for begin, packed in parts])

    def history(self, after: int, to: int) -> HistorySums:
        (row,) = self._rows(self._statement("audit_history", after, to))
        return HistorySums.of(row)

    def products_off(self) -> int:
        ((products,),) = self._rows(self._statement("audit_sales", 0, 0))
        return int(products)

    def _parts(self, script: str, after: int, to: int, width: int) -> Iterator[tuple[int, Numbers]]:
        """The whole numbers that a script gives for a range, ``width`` a row: in parts, each with its own ``after``."""
        ((rows, parity, text),) = self._rows(self._statement(script, after, to))
        numbers = _numbers_of(text)
        if numbers is not None and len(numbers) == rows * width and _parity(numbers) == parity:
            yield after, numbers
        elif to - after > 1:
            middle = (after + to) // 2
            yield from self._parts(script, after, middle, width)
            yield from self._parts(script, middle, to, width)
        else:
            raise TargetError(ErrorClass.OTHER, f"max_allowed_packet is too small to read order {to}")

    def _statement(self, script: str, after: int, to: int) -> str:
        """The script with its bounds, numbers of our own."""
        lines = [line for line in self._definition.script(script).splitlines() if not line.startswith("--")]
        return "\n".join(lines).replace("%(after)s", str(int(after))).replace("%(to)s", str(int(to)))

    def _rows(self, statement: str) -> list[Any]:
        with cancelling(self._connection, self._cancelled):
            return self._connection.query(statement)


def _numbers_of(text: bytes | None) -> Numbers | None:
    """The numbers between a text's commas; ``None`` when it ends in the middle of one, and none when there is none."""
    try:
        return np.fromstring(text or b"", dtype=np.int64, sep=",")
    except ValueError:
        return None


def _parity(numbers: Numbers) -> int:
    return int(np.bitwise_xor.reduce(numbers)) % 2**64
