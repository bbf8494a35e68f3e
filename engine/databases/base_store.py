"""What the stores of all DBMSs have in common; each DBMS's ``store.py`` has a class of its own derived from it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, ClassVar, Generic, TypeVar

from engine.databases.checking import ObjectQueries, check_all, object_checks
from engine.databases.database import BuildReport, StoreState, Timeouts
from engine.databases.definition import Check, StoreDefinition
from engine.databases.lease import NO_LEASE, HeldLease
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.progress_text import reset_step
from engine.databases.refusals import (
    complete_store_in_the_way,
    foreign_object_in_the_way,
    nothing_to_drop,
    partly_reset,
)
from engine.databases.replacing import Replacement, room_obstacle, with_full_disk_remedy
from engine.databases.snapshot import Reader
from engine.databases.store_record import StoreRecord, require_complete, state_of
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Target

_RESET_ATTEMPTS = 5

C = TypeVar("C")
D = TypeVar("D", bound=StoreDefinition)


class BaseStore(ABC, Generic[C, D]):
    """One store over connections of type ``C``, by a definition of type ``D``.

    With the methods that a subclass adds, it implements ``engine.databases.database.Store``.
    """

    _object_queries: ClassVar[ObjectQueries]
    _full_disk_codes: ClassVar[frozenset[str]]

    def __init__(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: D) -> None:
        self._definition = definition
        self._target = target
        self._secret = secret
        self._timeouts = timeouts

    def state(self) -> StoreState | None:
        with self._opened() as connection:
            record = self._record(connection)
            if record is None:
                return None
            return state_of(
                record,
                self._definition,
                self._reader(connection),
                lambda: self._identity(connection),
                is_reset_interrupted=self._is_reset_interrupted(record),
            )

    def replacement(self, scale: str) -> Replacement | None:
        with self._opened() as connection:
            record = self._record(connection)
            if record is None or not record.is_complete:
                return None
            obstacle = self._rights_obstacle(connection) or room_obstacle(
                self._target, self._definition.size_bytes, record.scale, scale, self._free_bytes(connection)
            )
            return Replacement(scale=record.scale, host=self._host(connection), obstacle=obstacle)

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        with self._opened() as connection:
            counts = self._complete_record(connection).counts
            checks = self._checks(connection, counts)
            return check_all(checks, lambda: self._cancelling(connection, cancelled), report_progress, cancelled)

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """One that ends in a deadlock is begun again: a run that was killed a moment before may have left transactions
        under way, which are few and soon over."""
        for attempt in range(1, _RESET_ATTEMPTS + 1):
            try:
                self._reset(report_progress=report_progress, cancelled=cancelled)
            except TargetError as error:
                if error.error_class is not ErrorClass.DEADLOCK or attempt == _RESET_ATTEMPTS:
                    raise
            else:
                break

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        with self._opened() as connection:
            record = self._record(connection)
        if record is None:
            raise nothing_to_drop(self._target)
        return self._remove(made_database=record.made_database, lease=lease)

    def _checks(self, connection: C, counts: Mapping[str, int]) -> dict[str, Callable[[], list[Check]]]:
        """The groups of checks of a store: of its objects, then the workload's own."""
        reader = self._reader(connection)
        objects = object_checks(self._definition, reader, self._object_queries)
        return objects | self._definition.own_checks(reader, counts)

    def _replaceable(self, *, replace: bool) -> StoreRecord | None:
        """The record of the store that a build may replace; raises ``UserError`` for anything that it may not."""
        with self._opened() as connection:
            record = self._record(connection)
            if record is None:
                foreign = self._foreign_object(connection)
                if foreign is not None:
                    raise foreign_object_in_the_way(self._target, *foreign)
            elif record.is_complete and not replace:
                raise complete_store_in_the_way(self._target, record.scale)
        return record

    def _build_beside(
        self, begin: Callable[[C], None], build: Callable[[], BuildReport], remove: Callable[[], None]
    ) -> BuildReport:
        """Build next to the existing store; however that ends, either the old or the new store is complete.

        ``begin`` creates the place where the new store is built, ``remove`` drops it after a failure.
        """
        with self._opened() as connection:
            begin(connection)
        try:
            with with_full_disk_remedy(self._target, self._full_disk_codes):
                return build()
        except BaseException:
            with suppress(TargetError, UserError):  # the first error is the one to raise
                remove()
            raise

    def _complete_record(self, connection: C) -> StoreRecord:
        """The record of a complete store; raises ``UserError`` if there is none."""
        record = self._record(connection)
        if record is not None and self._is_reset_interrupted(record):
            raise partly_reset(self._target)
        return require_complete(record, self._target)

    def _run_reset(
        self,
        connection: C,
        execute: Callable[[str], object],
        statements: Sequence[str],
        report_progress: ReportProgress,
        cancelled: IsCancelled,
    ) -> None:
        """Execute the statements of a reset, which are four fifths of its progress."""
        for number, statement in enumerate(statements):
            if cancelled():
                raise Cancelled
            doing = reset_step(statement, self._definition.tables)
            report_progress(Progress(doing=doing, share=0.8 * number / len(statements)))
            with self._cancelling(connection, cancelled):
                execute(statement)

    def _end_reset(
        self,
        connection: C,
        execute: Callable[[str], object],
        statistics: Sequence[str],
        report_progress: ReportProgress,
        cancelled: IsCancelled,
    ) -> None:
        """Execute the statements that gather statistics, and report the end of the reset."""
        report_progress(Progress(doing="gathering statistics", share=0.8))
        for statement in statistics:
            with self._cancelling(connection, cancelled):
                execute(statement)
        report_progress(Progress(doing="reset", share=1.0))

    def _is_reset_interrupted(self, record: StoreRecord) -> bool:
        """Whether a reset of the store has begun and not ended; only where it is not one transaction."""
        return False

    @abstractmethod
    def _reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Restore what was built, all of it or nothing, or as far as a further attempt goes on from."""

    @abstractmethod
    def _opened(self) -> AbstractContextManager[C]:
        """A connection for long work, to the first host that takes writes."""

    @abstractmethod
    def _cancelling(self, connection: C, cancelled: IsCancelled) -> AbstractContextManager[None]:
        """Statements inside are cancelled on the server when ``cancelled`` returns true."""

    @abstractmethod
    def _record(self, connection: C) -> StoreRecord | None:
        """The record of the store; ``None`` if there is none. Raises ``UserError``."""

    @abstractmethod
    def _reader(self, connection: C) -> Reader: ...

    @abstractmethod
    def _identity(self, connection: C) -> Sequence[Any]:
        """When the store was built or last reset, and its ``StoreState.high_water``."""

    @abstractmethod
    def _host(self, connection: C) -> str:
        """The host that answered."""

    @abstractmethod
    def _foreign_object(self, connection: C) -> Sequence[str] | None:
        """Kind and name of an object that has a name of the store's and was not made by Spindle."""

    @abstractmethod
    def _rights_obstacle(self, connection: C) -> str:
        """Why this user can't build a store next to another one; empty if there is no known obstacle."""

    @abstractmethod
    def _free_bytes(self, connection: C) -> int | None:
        """What is free where the database's tables are; ``None`` if that is not known."""

    @abstractmethod
    def _remove(self, *, made_database: bool, lease: HeldLease) -> str:
        """Drop the store, and a database that a build created if nothing else is in it; returns what was removed."""
