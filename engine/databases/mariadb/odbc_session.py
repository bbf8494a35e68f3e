"""One emulated user's connection to MariaDB or MySQL through ODBC, where a driver was chosen or nothing is compiled.

The driver keeps a statement prepared for as long as its cursor executes the same text, so each procedure has a cursor
of its own. The isolation level is the server's own default (repeatable read, if nobody has changed it), as with
DVD Store 2: it belongs to what is measured, and is recorded with the run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.databases.database import Timeouts
from engine.databases.exchange.parameters import all_words
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.mariadb.errors import INTERRUPTED
from engine.databases.mariadb.settings import limits
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.rows import FetchedRows
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.picks import MOST_CART_LINES, NewCustomer

_PARAMETERS = {
    "login": 2,
    "new_customer": 19,
    "browse_by_category": 2,
    "browse_by_actor": 2,
    "browse_by_title": 2,
    "product_prices": MOST_CART_LINES,
    "purchase": 5 + 2 * MOST_CART_LINES,
}
_CALLS = {name: f"{{CALL {name}({', '.join('?' * count)})}}" for name, count in _PARAMETERS.items()}
_NO_PRODUCTS = (0,) * MOST_CART_LINES
_NO_LINES = (0, 0) * MOST_CART_LINES


def open_session(target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0) -> "MariaDBSession":
    """A session on the first of the target's hosts that takes writes and has the store; raises ``TargetError``."""
    connection, _ = connect_any(dialect_of(target.kind), target, secret, timeouts, first_host=first_host)
    session = MariaDBSession(connection)
    try:
        for setting in limits(target.kind, timeouts.statement_seconds):
            connection.query(f"SET SESSION {setting}")
        session.prices([])
    except TargetError:
        session.close()
        raise
    return session


class MariaDBSession:
    """Implements ``engine.databases.database.Session``; every call is one round trip and one transaction."""

    __slots__ = ("_connection", "_cursors", "host")

    def __init__(self, connection: OdbcConnection) -> None:
        self.host = connection.host
        self._connection = connection
        self._cursors = {name: connection.cursor() for name in _CALLS}

    def login(self, username: str, password: str) -> tuple[int | None, FetchedRows]:
        rows = self._called("login", username, password)
        customer = rows[0][0] if rows else None
        bought_nothing = customer is None or rows[0][1] is None
        return customer, FetchedRows(() if bought_nothing else rows, first_column=1)

    def new_customer(self, customer: NewCustomer) -> int | None:
        c = customer
        ((made,),) = self._called(
            "new_customer",
            *(c.firstname, c.lastname, c.address1, c.address2, c.city, c.state, c.zip, c.country, c.region, c.email),
            *(c.phone, c.creditcardtype, c.creditcard, c.creditcardexpiration, c.username, c.password),
            *(c.age, c.income, c.gender),
        )
        return None if made is None else int(made)

    def browse_by_category(self, category: int, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_category", category, batch_size))

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_actor", all_words(first_name, last_name), batch_size))

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> FetchedRows:
        return FetchedRows(self._called("browse_by_title", all_words(word, other_word), batch_size))

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        wanted = list(dict.fromkeys(products))
        found: dict[int, int] = {}
        for first in range(0, max(1, len(wanted)), MOST_CART_LINES):
            some = (*wanted[first : first + MOST_CART_LINES], *_NO_PRODUCTS)[:MOST_CART_LINES]
            found.update(map(tuple, self._called("product_prices", *some)))
        return found

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        pairs = [value for line in lines for value in line]
        values = (customer, net, tax, total, len(lines), *pairs, *_NO_LINES[len(pairs) :])
        try:
            ((order,),) = self._called("purchase", *values)
        except TargetError as error:
            if error.code.isdigit() and int(error.code) in INTERRUPTED:
                raise self._settled(error) from error
            raise
        return None if order is None else int(order)

    def cut(self) -> None:
        self._connection.cut()

    def close(self) -> None:
        self._connection.close()

    def _settled(self, interrupted: TargetError) -> TargetError:
        """What an interrupted purchase has come to. No handler of the procedure was asked, so its transaction may be
        open: it is rolled back, unless the procedure was at its commit already.
        """
        ((committing,),) = self._connection.query("SELECT @spindle_commits")
        if committing is not None:
            return TargetError(interrupted.error_class, str(interrupted), code=interrupted.code, usable=False)
        self._connection.execute(self._connection.cursor(), "ROLLBACK")
        return interrupted

    def _called(self, name: str, *values: int | str) -> list[Any]:
        """Call a procedure: the rows of its one result, behind which the server says how the call ended."""
        cursor = self._cursors[name]
        self._connection.execute(cursor, _CALLS[name], *values)
        return self._connection.all_rows(cursor)
