"""One emulated user's connection to PostgreSQL: the hot path, on libpq's prepared statements in binary."""

import socket
from collections.abc import Mapping, Sequence

from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn, PGresult

from engine.databases.database import Timeouts
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.errors import first_line, sorted_error
from engine.databases.postgresql.preparing import prepare_all
from engine.databases.postgresql.wire import (
    INT4,
    INT4_ARRAY,
    NUMERIC,
    TEXT,
    ResultRows,
    money_text,
    pack_int4,
    pack_int4_array,
    unpack_int,
)
from engine.dvdstore.picks import NewCustomer
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target import Host, Target

BINARY = pq.Format.BINARY
_NEW_CUSTOMER_TYPES = (*[TEXT] * 6, INT4, TEXT, INT4, TEXT, TEXT, INT4, *[TEXT] * 4, INT4, INT4, TEXT)
_STATEMENTS: dict[bytes, tuple[str, Sequence[int]]] = {
    b"login": ("SELECT customerid, title, actor, related_title FROM login($1, $2)", (TEXT, TEXT)),
    b"new_customer": (
        f"SELECT new_customer({', '.join(f'${n + 1}' for n in range(len(_NEW_CUSTOMER_TYPES)))})",
        _NEW_CUSTOMER_TYPES,
    ),
    b"category": ("SELECT * FROM browse_by_category($1, $2)", (INT4, INT4)),
    b"actor": ("SELECT * FROM browse_by_actor($1, $2)", (TEXT, INT4)),
    b"title": ("SELECT * FROM browse_by_title($1, $2)", (TEXT, INT4)),
    b"prices": ("SELECT prod_id, price_cents FROM product_prices($1)", (INT4_ARRAY,)),
    b"purchase": (
        "CALL purchase($1, $2, $3, $4, $5, $6, NULL)",
        (INT4, INT4_ARRAY, INT4_ARRAY, NUMERIC, NUMERIC, NUMERIC),
    ),
}
_ALL_BINARY = {count: (BINARY,) * count for count in (1, 2, len(_NEW_CUSTOMER_TYPES))}
_PURCHASE_FORMATS = (BINARY, BINARY, BINARY, pq.Format.TEXT, pq.Format.TEXT, pq.Format.TEXT)


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0
) -> "PostgreSQLSession":
    """A session with its statements prepared; raises ``TargetError``.

    Generic plans are asked for so that no call is planned anew, and so that the server's choice of plan does not
    change in the middle of a run.
    """
    options = f"-c plan_cache_mode=force_generic_plan -c statement_timeout={round(timeouts.statement_seconds * 1000)}"
    connection, number = connect_any(target, secret, timeouts, first_host=first_host, options=options)
    try:
        prepare_all(connection, _STATEMENTS, target.hosts[number], timeouts.connect_seconds)
    except TargetError:
        connection.finish()
        raise
    return PostgreSQLSession(connection, target.hosts[number])


class PostgreSQLSession:
    """Fulfils ``engine.databases.database.Session``; every call is one round trip and one transaction."""

    __slots__ = ("_connection", "_warning", "host")

    def __init__(self, connection: PGconn, host: Host) -> None:
        self._connection = connection
        self._warning = ""
        self.host = host
        connection.notice_handler = self._on_notice

    def login(self, username: str, password: str) -> tuple[int | None, ResultRows]:
        result = self._called(b"login", (username.encode(), password.encode()), _ALL_BINARY[2])
        customer = result.get_value(0, 0) if result.ntuples else None
        bought_nothing = customer is None or result.get_value(0, 1) is None
        rows = ResultRows(result, first_column=1, skipped=min(1, result.ntuples) if bought_nothing else 0)
        return (None if customer is None else unpack_int(customer)), rows

    def new_customer(self, customer: NewCustomer) -> int | None:
        c = customer
        texts = (c.firstname, c.lastname, c.address1, c.address2, c.city, c.state)
        values = (
            *(text.encode() for text in texts),
            pack_int4(c.zip),
            c.country.encode(),
            pack_int4(c.region),
            c.email.encode(),
            c.phone.encode(),
            pack_int4(c.creditcardtype),
            *(text.encode() for text in (c.creditcard, c.creditcardexpiration, c.username, c.password)),
            pack_int4(c.age),
            pack_int4(c.income),
            c.gender.encode(),
        )
        made = self._called(b"new_customer", values, _ALL_BINARY[len(values)]).get_value(0, 0)
        return None if made is None else unpack_int(made)

    def browse_by_category(self, category: int, batch_size: int) -> ResultRows:
        return ResultRows(self._called(b"category", (pack_int4(category), pack_int4(batch_size)), _ALL_BINARY[2]))

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> ResultRows:
        words = f"{first_name} {last_name}".encode()
        return ResultRows(self._called(b"actor", (words, pack_int4(batch_size)), _ALL_BINARY[2]))

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> ResultRows:
        words = f"{word} {other_word}".encode()
        return ResultRows(self._called(b"title", (words, pack_int4(batch_size)), _ALL_BINARY[2]))

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        result = self._called(b"prices", (pack_int4_array(products),), _ALL_BINARY[1])
        value = result.get_value
        return {unpack_int(value(row, 0) or b""): unpack_int(value(row, 1) or b"") for row in range(result.ntuples)}

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        values = (
            pack_int4(customer),
            pack_int4_array([product for product, _ in lines]),
            pack_int4_array([quantity for _, quantity in lines]),
            money_text(net),
            money_text(tax),
            money_text(total),
        )
        self._warning = ""
        order = self._called(b"purchase", values, _PURCHASE_FORMATS).get_value(0, 0)
        if self._warning:
            # A commit whose wait for the standby was cancelled is acknowledged all the same, and may yet be lost.
            raise TargetError(ErrorClass.OTHER, f"the purchase came with a warning: {self._warning}", usable=False)
        return None if order is None else unpack_int(order)

    def cut(self) -> None:
        try:
            # A copy of the descriptor, so that closing this socket object leaves libpq's own to libpq.
            with socket.fromfd(self._connection.socket, socket.AF_INET, socket.SOCK_STREAM) as copy:
                copy.shutdown(socket.SHUT_RDWR)
        except (OSError, OperationalError):
            return  # it was closed already: there is nothing to cut

    def close(self) -> None:
        self._connection.notice_handler = None
        self._connection.finish()

    def _on_notice(self, notice: PGresult) -> None:
        if notice.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED) == b"WARNING":
            self._warning = first_line((notice.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode())

    def _called(self, name: bytes, values: Sequence[bytes], formats: Sequence[int]) -> PGresult:
        try:
            result = self._connection.exec_prepared(name, values, formats, BINARY)
        except OperationalError as error:
            raise TargetError(ErrorClass.CONNECTION_LOST, str(error), usable=False) from error
        return self._checked(result)

    def _checked(self, result: PGresult) -> PGresult:
        status = result.status
        if status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            return result
        sqlstate = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        usable = self._connection.status == pq.ConnStatus.OK
        raise sorted_error(result.get_error_message(), sqlstate, usable=usable)
