"""A call of a prepared statement as data, and the methods of its answer."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from engine.databases.database import Rows


class Answer(Protocol):
    """The answer to one call; most names are those of psycopg's ``PGresult``.

    Of several results of one call the rows are those of the first one that has columns.
    """

    @property
    def status(self) -> int:
        """As libpq's ``ExecStatus``."""
        ...

    @property
    def ntuples(self) -> int: ...

    @property
    def nfields(self) -> int: ...

    def get_value(self, row_number: int, column_number: int, /) -> bytes | None:
        """The value as it came, ``None`` if it is null."""
        ...

    def integer(self, row_number: int, column_number: int, /) -> int | None: ...

    def integer_pairs(self) -> dict[int, int]:
        """The second integer of each row by its first; neither is null."""
        ...

    def rows(self) -> Rows: ...

    def integer_and_rows(self) -> tuple[int | None, Rows]:
        """The first row's first value, an integer, ``None`` without a row; and what stands beside it in all rows.

        These are none where the first row's second value is null: an outer join has found nothing.
        """
        ...

    def ftype(self, column_number: int, /) -> int:
        """The number of a column's type in the protocol."""
        ...

    def error_field(self, fieldcode: int, /) -> bytes | None:
        """A field of the server's error by its letter: ``C`` is the SQLSTATE, ``M`` the message."""
        ...


class PreparedCall(NamedTuple):
    """A call of a statement.

    ``name`` is what the server knows the prepared statement by: its name on PostgreSQL, its number on MySQL; ``None``
    is a statement that is not prepared, of MySQL alone. ``types`` are the protocol's numbers of the parameters' types:
    a parameter is an int, a float, a str or bytes as its type has it, a list of ints for an int4[], or ``None``; an int
    for a decimal number is an amount in cents. ``values`` makes the parameters of the call's arguments; without it
    these are the parameters. ``read`` makes the call's result of an answer that went well; without it rounds leave the
    answer to whoever asked. ``_protocol.h`` knows in which place each stands.
    """

    name: bytes | int | None
    statement: str
    types: tuple[int, ...]
    values: Callable[..., tuple[Any, ...]] | None
    read: Callable[[Answer], Any] | None
