"""What only a store in SQL Server has to know: its files, its searches by words, and resets piece by piece."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from engine.databases.definition import StoreDefinition
from engine.databases.store_record import STORE_TABLE
from engine.target.store_layout import StoreLayout


@dataclass(frozen=True, kw_only=True)
class TextSearch:
    """Columns of a ``table`` that are searched by words, and what they hold (``titles and actors``).

    The script ``full_text`` makes their full-text index, and ``search_full_text`` the procedures that search by it. On
    a server without full-text search, ``words`` makes and fills the table ``words_table``, and ``search_words`` makes
    the same procedures over that.
    """

    table: str
    columns: tuple[str, ...]
    words_table: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Rows that a long reset removes or restores by ranges of ids, and in words what it does (``removing orders``).

    The script ``script`` resets those of ``? < id <= ?``, and may be repeated. Ids are above ``built``, a number in
    which ``{name}`` is a stored count; ``newest`` queries the highest id. ``at_once`` is how many ids a transaction may
    have, of the stored counts.
    """

    doing: str
    built: str
    newest: str
    script: str
    at_once: Callable[[Mapping[str, int]], int]


@dataclass(frozen=True, kw_only=True)
class SqlServerDefinition(StoreDefinition):
    """A ``StoreDefinition`` whose scripts are batches with GO between them, where ``$(name)`` stands for a piece of
    T-SQL: ``$(schema)`` in ``tables``, ``indexes``, ``statistics``, ``full_text`` and ``words``; ``$(customers)``,
    ``$(orders)``, ``$(misc)`` and ``$(indexes)`` are the filegroups of a layout. In ``reset`` it is a stored count.

    There is no script ``drop``: what the definition names is dropped, tables in reverse order. ``audit_locks`` begins
    a transaction that holds what an audit reads. ``sequences`` are those that ``procedures`` makes.
    """

    layout: Callable[[str], StoreLayout]
    text_search: TextSearch | None = None
    pieces: tuple[Piece, ...] = ()
    sequences: tuple[str, ...] = ()

    @classmethod
    def of(cls, shared: StoreDefinition, **own: Any) -> Self:
        """What a store is on every DBMS, with SQL Server's own fields."""
        return cls(**{field.name: getattr(shared, field.name) for field in fields(shared)} | own)

    @property
    def made_tables(self) -> tuple[str, ...]:
        """All tables that a build may make but the store's record, those that refer to others first."""
        words = () if self.text_search is None else (self.text_search.words_table,)
        return (*words, *reversed(tuple(self.tables)))

    def qualified(self, query: str) -> str:
        """A query in the words that all DBMSs share as T-SQL: its tables with their schema, its counts of any size."""
        tables = "|".join(self.tables)
        query = re.sub(rf"\b(FROM|JOIN) ({tables}|{STORE_TABLE})\b", r"\1 dbo.\2", query)
        return re.sub(r"\bcount\(\*\)", "COUNT_BIG(*)", query)
