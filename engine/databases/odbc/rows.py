"""Rows received over ODBC, as the sessions return them."""

from collections.abc import Sequence
from typing import Any


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
