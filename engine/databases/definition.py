"""What a workload's store is on one DBMS, as data: what is built, verified, reset, audited and dropped.

Each DBMS's ``Store`` works by a ``StoreDefinition`` and knows no workload. ``engine.workloads.bindings`` has those of
the workloads. Most of a definition is the same on every DBMS: its SQL is written in the words that all of them share,
with tables named without a schema, and ``CAST(… AS bigint)`` in sums.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import resources
from engine.databases.progress import IsCancelled
from engine.databases.snapshot import Auditor, Reader, Snapshot
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column


def script_reader(workload: str, dbms: str) -> Callable[[str], str]:
    """Reads the scripts of one of Spindle's own workloads on a DBMS by their names."""
    return lambda name: resources.read_text("sql", workload, dbms, f"{name}.sql")


def no_script(name: str) -> str:
    """The ``script`` of a definition that is none of a DBMS yet: raises ``KeyError``."""
    raise KeyError(name)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a store; ``title`` is what its rows are called in progress (``order lines``).

    ``columns`` are those of the generated rows; a table without any is not loaded. ``identity`` is the column whose
    numbers the server gives, beginning behind those that were loaded. ``order`` is the order of the generated rows,
    where that is the order of the clustered key.
    """

    title: str
    columns: tuple[Column, ...] = ()
    identity: str = ""
    order: tuple[str, ...] = ()


class Rows(Protocol):
    """All initial rows of a store of a scale and a seed."""

    @property
    def expected_rows(self) -> int:
        """About how many rows all tables have together, for the progress."""
        ...

    def blocks(self, table: str, cancelled: IsCancelled) -> Iterator[Block]:
        """The blocks of a table in order; raises ``Cancelled`` soon after ``cancelled`` returns true."""
        ...

    def counts(self, loaded: Mapping[str, int]) -> Mapping[str, int]:
        """The counts to be stored with the store, by the numbers of rows that were loaded into each table.

        The SQL of ``StoreDefinition`` names them.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check by ``verify``: what was checked, the expected and the found value, and whether it passed."""

    what: str
    expected: str
    found: str
    ok: bool


Checks = Callable[[Reader, Mapping[str, int]], list[Check]]
"""Makes a group of checks; called with the stored counts."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What the ledger records of transactions, as the store holds it, where a number is unique only with its key.

    ``query`` has the columns ``key_``, ``number_`` and ``check_`` of every transaction that a run may have made; keys
    are those of ``{after} < key_ <= {to}``. ``highest_key`` queries a number that no key exceeds; ``built`` is the
    highest number of each key in a store as built, ``place_of`` says in words what a key stands for.
    """

    query: str
    highest_key: str
    built: int
    place_of: Callable[[int], str]


@dataclass(frozen=True, kw_only=True)
class StoreDefinition:
    """The store of a ``workload``, by its id; ``version`` rises when its tables or rows change.

    ``tables``: those that are referred to come before those that refer to them; ``load_order``: those with rows, the
    large ones first. ``script`` returns the text of an SQL script by its name, the same names on every DBMS:
    ``tables``, ``indexes``, ``references``, ``statistics``, ``procedures``, ``reset``, ``drop``. ``procedures`` are
    what users call, ``helpers`` what only these call, ``triggers`` the names of triggers, and of their functions where
    a DBMS has such; ``indexes`` are pairs of a table and an index, where a primary key is named ``<table>_pkey``;
    ``references`` are the names of foreign keys.

    ``rows`` makes the rows of a scale and a seed, ``size_bytes`` estimates what tables and indexes of a scale take.
    ``checks`` are the groups of checks of ``verify`` beside those of the objects. ``beyond`` counts what runs have
    added, by what it is called, the most important first: FROM clauses. ``high_water`` queries a number that rises with
    everything that the ledger records and falls only in a reset; ``added_above`` queries how much of it there is above
    such a number, a ``?``. ``measures`` queries further counts, which only the server knows after the loading.
    The audit of a run reads what is ``recorded``, and counts the violations of ``consistency``: FROM clauses of the
    rows that violate what holds at any moment, by what they are. A workload with more to compare has an ``auditor``
    instead, made of a snapshot and ``script``.

    In ``beyond`` and in ``reset``, ``{name}`` is a stored count.
    """

    workload: str
    version: int
    tables: Mapping[str, Table]
    load_order: tuple[str, ...]
    script: Callable[[str], str]
    procedures: tuple[str, ...]
    rows: Callable[[str, int], Rows]
    size_bytes: Callable[[str], int]
    high_water: str
    added_above: str
    beyond: Mapping[str, str]
    triggers: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    indexes: tuple[tuple[str, str], ...] = ()
    references: tuple[str, ...] = ()
    checks: Mapping[str, Checks] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    recorded: Recorded | None = None
    auditor: Callable[[Snapshot, Callable[[str], str]], Auditor] | None = None
    consistency: Mapping[str, str] = field(default_factory=dict)

    def own_checks(self, reader: Reader, counts: Mapping[str, int]) -> dict[str, Callable[[], list[Check]]]:
        """The workload's groups of checks of a store of these stored counts."""
        return {what: partial(check, reader, counts) for what, check in self.checks.items()}

    def counted_beyond(self, reader: Reader, counts: Mapping[str, int]) -> dict[str, int]:
        """How much runs have added to a store of these stored counts."""
        return {title: reader.count(rows.format(**counts)) for title, rows in self.beyond.items()}
