"""The rows of calls over ODBC, as sessions read and return them."""

from collections.abc import Sequence
from typing import Any

from engine.databases.exchange.calls import Result
from engine.errors import ErrorClass, TargetError


class FetchedRows:
    """Implements ``engine.databases.database.Rows``: the columns from number ``first_column`` on, from 0."""

    __slots__ = ("_first_column", "_rows")

    def __init__(self, rows: Sequence[Sequence[Any]], *, first_column: int = 0) -> None:
        self._rows = rows
        self._first_column = first_column

    def __len__(self) -> int:
        return len(self._rows)

    def decoded(self) -> list[tuple[Any, ...]]:
        return [tuple(row)[self._first_column :] for row in self._rows]


class FetchedResult:
    """Implements ``engine.databases.exchange.calls.Result`` with the rows of one call."""

    __slots__ = ("_rows", "ntuples")

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = rows
        self.ntuples = len(rows)

    def integer(self, row_number: int, column_number: int, /) -> int | None:
        value = self._rows[row_number][column_number]
        return None if value is None else int(value)

    def integer_pairs(self) -> dict[int, int]:
        return {int(first): int(second) for first, second in self._rows}

    def rows(self) -> FetchedRows:
        return FetchedRows(self._rows)

    def integer_and_rows(self) -> tuple[int | None, FetchedRows]:
        number = self.integer(0, 0) if self._rows else None
        found_nothing = number is None or self._rows[0][1] is None
        return number, FetchedRows(() if found_nothing else self._rows, first_column=1)


def only_integer(result: Result) -> int | None:
    """The number in an answer of one row. Raises ``TargetError`` for another answer: the outcome of the call is then
    unknown."""
    if result.ntuples != 1:
        message = f"the procedure answered with {result.ntuples} rows instead of one"
        raise TargetError(ErrorClass.OTHER, message, usable=False)
    return result.integer(0, 0)
