"""One emulated user's connection to SQL Server: the hot path, as calls of procedures over ODBC.

``{CALL …}`` with parameter markers only is sent by the drivers as a remote procedure call: one round trip, nothing to
parse or prepare. No argument is ever null, because pyodbc would query the server for the type of a null; unused
arguments are left to the procedure's defaults. Autocommit and READ COMMITTED, SQL Server's default and DVD Store 2's:
each procedure has the transaction that it needs.
"""

import math
from collections.abc import Mapping, Sequence

import pyodbc

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.rows import FetchedRows
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.picks import NewCustomer

CALLED = (
    "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "product_prices", "purchase",
)  # fmt: skip
_MOST_PRODUCTS = 10
# The server ends a wait for a lock by itself, and says so; the driver gives up only what takes longer than that.
_DRIVER_WAITS_LONGER_SECONDS = 1.0


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0
) -> "SqlServerSession":
    """A session on a store whose procedures are there for this user; raises ``TargetError``."""
    dialect = SqlServerDialect(lock_seconds=timeouts.statement_seconds, procedures=CALLED)
    connection, _ = connect_any(dialect, target, secret, timeouts, first_host=first_host)
    try:
        connection.raw.timeout = math.ceil(timeouts.statement_seconds + _DRIVER_WAITS_LONGER_SECONDS)
    except pyodbc.Error as error:
        connection.close()
        raise connection.sorted(error) from None
    return SqlServerSession(connection)


class SqlServerSession:
    """Implements ``engine.databases.database.Session``; every call is one round trip, and a cursor of its own keeps
    what the driver knows of the statement.
    """

    __slots__ = ("_connection", "_cursors", "host")

    def __init__(self, connection: OdbcConnection) -> None:
        self._connection = connection
        self._cursors: dict[str, pyodbc.Cursor] = {}
        self.host = connection.host

    def login(self, username: str, password: str) -> tuple[int | None, FetchedRows]:
        rows = self._called("login", username, password)
        if not rows:
            return None, FetchedRows(())
        bought_nothing = rows[0][1] is None
        return rows[0][0], FetchedRows(() if bought_nothing else rows, first_column=1)

    def new_customer(self, customer: NewCustomer) -> int | None:
        return self._number("new_customer", *customer)

    def browse_by_category(self, category: int, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_category", category, batch_size))

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_actor", first_name, last_name, batch_size))

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_title", word, other_word, batch_size))

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        prices: dict[int, int] = {}
        for first in range(0, len(products), _MOST_PRODUCTS):
            rows = self._called("product_prices", *products[first : first + _MOST_PRODUCTS])
            prices.update((product, cents) for product, cents in rows)
        return prices

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        pairs = [number for line in lines for number in line]
        return self._number("purchase", customer, net, tax, total, len(lines), *pairs)

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        self._cursors.clear()
        self._connection.close()

    def _number(self, procedure: str, *values: object) -> int | None:
        """What a procedure answers in one row of one column.

        Raises ``TargetError`` when there is no row: the call was sent, and what became of it, nobody knows.
        """
        rows = self._called(procedure, *values)
        if len(rows) != 1:
            message = f"procedure {procedure} answered with {len(rows)} rows instead of one"
            raise TargetError(ErrorClass.OTHER, message, usable=False)
        number: int | None = rows[0][0]
        return number

    def _called(self, procedure: str, *values: object) -> Sequence[pyodbc.Row]:
        """The rows of a procedure's one result set, and whatever the server says behind them."""
        statement = f"{{CALL dbo.{procedure} ({', '.join('?' * len(values))})}}"
        cursor = self._cursors.get(statement)
        if cursor is None:
            cursor = self._cursors[statement] = self._connection.cursor()
        self._connection.execute(cursor, statement, *values)
        return self._connection.all_rows(cursor)
