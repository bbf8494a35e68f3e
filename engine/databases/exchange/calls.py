"""A call of a prepared statement as data, and the methods of its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class Rows(Protocol):
    """Rows received from the server; they are decoded only on request."""

    def __len__(self) -> int: ...

    def decoded(self) -> list[tuple[Any, ...]]:
        """The rows as tuples of plain Python values; a null is ``None``."""
        ...


class Result(Protocol):
    """The rows of one call's answer, as a call's ``read`` gets them.

    Of several results of one call the rows are those of the first one that has columns.
    """

    @property
    def ntuples(self) -> int: ...

    def integer(self, row_number: int, column_number: int, /) -> int | None: ...

    def integer_pairs(self) -> dict[int, int]:
        """The second integer of each row by its first; neither is null."""
        ...

    def rows(self) -> Rows: ...

    def integer_and_rows(self) -> tuple[int | None, Rows]:
        """The first row's first value, an integer, and the remaining columns of all rows; ``None`` without a row.

        There are no remaining columns if the first row's second value is null: an outer join without a match.
        """
        ...


class Answer(Result, Protocol):
    """The answer to one call as it came over the wire; most names are those of psycopg's ``PGresult``."""

    @property
    def status(self) -> int:
        """As libpq's ``ExecStatus``."""
        ...

    @property
    def nfields(self) -> int: ...

    def get_value(self, row_number: int, column_number: int, /) -> bytes | None:
        """The value as it came, ``None`` if it is null."""
        ...

    def ftype(self, column_number: int, /) -> int:
        """The number of a column's type in the protocol."""
        ...

    def error_field(self, fieldcode: int, /) -> bytes | None:
        """A field of the server's error by its letter: ``C`` is the SQLSTATE, ``M`` the message."""
        ...


class PreparedCall(NamedTuple):
    """A call of a statement.

    ``name`` is what the server knows the prepared statement by: its name on PostgreSQL, its number on MySQL, which
    differs by session; ``None`` is a statement that is not prepared. ``statement`` is the SQL, on SQL Server the name
    of a procedure. ``types`` are the protocol's numbers of the parameters' types, none over ODBC: a parameter is an
    int, a float, a str or bytes as its type has it, a list of ints for an int4[], or ``None``; an int for a decimal
    number is an amount in cents. ``values`` makes the parameters of the call's arguments; without it these are the
    parameters. ``read`` makes the call's result of an answer that went well; without it rounds leave the answer to
    whoever asked. ``_protocol.h`` knows in which place each stands.
    """

    name: bytes | int | None
    statement: str
    types: tuple[int, ...]
    values: Callable[..., tuple[Any, ...]] | None
    read: Callable[[Result], Any] | None


@dataclass(frozen=True)
class CallTable:
    """The calls that a workload's scripts make of one DBMS, by name.

    ``recorded`` names those whose commits the ledger records: if such a commit may be lost, or if it is not known what
    became of the call, that is an error. With ``trial``, a call by its name with arguments, a session that has just
    been opened finds out whether the store is there; it changes nothing.
    """

    calls: dict[str, PreparedCall]
    recorded: frozenset[str]
    trial: tuple[str, tuple[Any, ...]]

    def is_recorded(self, call: PreparedCall) -> bool:
        return any(self.calls[name].statement == call.statement for name in self.recorded)
