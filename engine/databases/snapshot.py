"""A store as it is at one moment, for those who compare what it holds: each DBMS has its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from engine.workload.rows.randomness import Whole


class Reader:
    """What checks read of a store; every call raises ``TargetError``.

    ``read_value`` reads the first value of a query in the words that all DBMSs share.
    """

    def __init__(self, read_value: Callable[[str], Any]) -> None:
        self.value = read_value

    def count(self, rows: str) -> int:
        """The number of rows of a FROM clause."""
        return int(self.value(f"SELECT count(*) FROM {rows}"))  # noqa: S608 - our own text


class Snapshot(Reader, ABC):
    """Reads one store in the state of one moment, by queries in the words that all DBMSs share.

    Each call raises ``TargetError``, and ``engine.errors.Cancelled`` when the audit is cancelled. ``most_ids`` is the
    longest range of ids to ask ``numbers`` for at once.
    """

    most_ids: int

    def __init__(self) -> None:
        super().__init__(lambda query: self.rows(query)[0][0])

    @abstractmethod
    def identity(self) -> tuple[str, int] | None:
        """``StoreState.as_built_at`` and ``high_water`` now; ``None`` when there is no complete store."""

    @abstractmethod
    def rows(self, query: str) -> Sequence[Sequence[Any]]:
        """All rows of a query."""

    @abstractmethod
    def numbers(
        self, query: str, columns: Sequence[str], after: int, to: int
    ) -> "Iterator[tuple[int, Sequence[Whole]]]":
        """The whole numbers, none of them null, that a query has for a range of ids: in bulk, in no order.

        ``columns`` are the names that the query gives its columns; ``{after}`` and ``{to}`` in it are the bounds of
        ``after < id <= to``. The range may come in several parts, each with its own ``after``.
        """


class Auditor(Protocol):
    """Reads what the ledger records from a snapshot, and checks whatever else has to hold of it while it does.

    A workload has one where the numbers of its recorded transactions are unique in the whole store. They are read by
    ranges of ``after < number <= to``, of at most ``most_numbers``. Each call raises ``TargetError``, and
    ``engine.errors.Cancelled`` when the audit is cancelled.
    """

    most_numbers: int

    def stored(self, after: int, to: int) -> "npt.NDArray[np.void]":
        """The transactions of a range by ascending number, as ``engine.audit.comparing.STORED_TYPE``."""
        ...

    def violations(self, after: int, to: int) -> Mapping[str, int]:
        """How many there are of each violation of what has to hold, by what it is; called at last, with the range of
        all that was read."""
        ...
