"""The lease of a store, which says who uses it, for what, and when the last heartbeat was: a row in a database.

All times are the server's, so that the workstations' clocks do not matter. The holder renews its lease by heartbeats.
Without one for the lease's duration the holder is taken to be dead and anybody may take the lease over; on the holder's
own machine, as soon as its process has ended. Being a row, it follows the store to another server in a failover.
Stores that are in no database keep theirs in another way (``engine.services.mail.lease``), behind ``OpenLease``.
``engine.conduct.leasing`` takes leases and keeps them alive.
"""

import getpass
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from engine.databases.process_key import has_ended, process_key
from engine.errors import ErrorClass, TargetError

LEASE_SECONDS = 30.0
HEARTBEAT_SECONDS = 5.0
_CALLS_SECONDS = 5.0
_LONGEST_TEXT = 200
_COLUMNS = (
    "token", "user_name", "host_name", "process_id", "process_key", "program", "purpose", "lasts_seconds", "generation",
)  # fmt: skip


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "somebody"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Who wants to use a store, and for what (``run 'nightly'``); one claim may be for several stores.

    ``program`` says where the user can stop it. The lease expires ``lasts_seconds`` after the last heartbeat.
    """

    purpose: str
    program: str
    lasts_seconds: float = LEASE_SECONDS
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    user_name: str = field(default_factory=_user_name)
    host_name: str = field(default_factory=socket.gethostname)
    process_id: int = field(default_factory=os.getpid)
    process_key: str = field(default_factory=process_key)
    token: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True, kw_only=True)
class LeaseHolder:
    """The holder of a store's lease; the ``token`` is empty if there is none.

    ``generation`` counts how often the lease was taken; ``silent_seconds`` is the time since the last heartbeat.
    """

    token: str
    user_name: str
    host_name: str
    process_id: int
    process_key: str
    program: str
    purpose: str
    lasts_seconds: float
    generation: int
    since: datetime
    silent_seconds: float

    @property
    def is_alive(self) -> bool:
        return bool(self.token) and self.silent_seconds <= self.lasts_seconds and not has_ended(self.process_key)

    @property
    def end(self) -> str:
        """Why a holder is taken to be dead, as a clause."""
        if has_ended(self.process_key):
            return "whose process has ended"
        return f"which was last heard of {self.silent_seconds:.0f} s ago"

    @property
    def description(self) -> str:
        """The holder in words: ``anna@lab-ws2 (run 'nightly', Spindle window, process 4711)``."""
        return f"{self.user_name}@{self.host_name} ({self.purpose}, {self.program}, process {self.process_id})"

    @property
    def since_text(self) -> str:
        """When the lease was taken, in local time; with the date if that is not today."""
        since = self.since.astimezone()
        is_today = since.date() == datetime.now(UTC).astimezone().date()
        return since.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M")


@dataclass(frozen=True, kw_only=True)
class LeaseSql:
    """The lease in the SQL of one DBMS, with ``?`` for values.

    ``found`` queries whether there are a store and a lease table; ``make`` creates the table with its one row;
    ``identity`` queries when a complete store was built and its ``StoreState.high_water``; ``added_above`` how
    much was added above such a number. ``now``, ``since`` and ``silent_seconds`` are expressions: the server's clock,
    and from the row's columns, seconds since 1970 and since the last heartbeat.
    """

    table: str
    found: str
    make: tuple[str, ...]
    identity: str
    added_above: str
    now: str
    since: str
    silent_seconds: str

    @property
    def read(self) -> str:
        columns = ", ".join(_COLUMNS)
        return f"SELECT {columns}, {self.since}, {self.silent_seconds} FROM {self.table}"  # noqa: S608 - our own names

    @property
    def take(self) -> str:
        """Write a claim into the row, if that is still of a generation, and free, expired, or of one of two tokens."""
        return (
            f"UPDATE {self.table} SET token = ?, user_name = ?, host_name = ?, process_id = ?, process_key = ?,"  # noqa: S608
            f" program = ?, purpose = ?, lasts_seconds = ?, since = {self.now}, heartbeat_at = {self.now},"
            " generation = generation + 1"
            f" WHERE generation = ? AND (token IN ('', ?, ?) OR {self.silent_seconds} > lasts_seconds)"
        )

    @property
    def beat(self) -> str:
        return f"UPDATE {self.table} SET heartbeat_at = {self.now} WHERE token = ?"  # noqa: S608 - our own names

    @property
    def release(self) -> str:
        return f"UPDATE {self.table} SET token = '' WHERE token = ?"  # noqa: S608 - our own names


class LeaseConnection(Protocol):
    """A connection in autocommit for the lease alone; every call raises ``TargetError``."""

    def query(self, statement: str, *values: object) -> list[Any]:
        """Execute a statement; its rows, if it has any."""
        ...

    def cut(self) -> None:
        """End the connection under a call that hangs; from any thread, never waits."""
        ...

    def close(self) -> None: ...


class HeldLease(Protocol):
    """The lease under which a store is built or dropped, as far as the store itself has to do with it."""

    def take(self) -> None:
        """Take the lease, for which there was perhaps no database before; raises ``UserError`` when it is another's."""
        ...

    def rest(self) -> None:
        """Close the lease's connection, which would be in the way of dropping the database."""
        ...


class _NoLease:
    """Implements ``HeldLease`` where it is known that nobody else uses the store."""

    def take(self) -> None:
        return

    def rest(self) -> None:
        return


NO_LEASE = _NoLease()


class OpenLease(Protocol):
    """A connection to the lease of one store, for one thread at a time. Every call raises ``TargetError``."""

    def in_time(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Calls inside end within some seconds, also where the server is frozen."""
        ...

    def found(self) -> tuple[bool, bool]:
        """Whether there is a store, and whether there is room for its lease."""
        ...

    def make(self) -> None:
        """Make room for the lease; another process may do so at the same time."""
        ...

    def read(self) -> LeaseHolder:
        """The present holder of the lease."""
        ...

    def take(self, claim: Claim, seen: LeaseHolder, *, breaks: bool = False) -> LeaseHolder:
        """Take the lease if it has not changed since ``seen`` and has no live holder; returns its holder then.

        With ``breaks`` it is taken from the holder that was seen, who may be alive.
        """
        ...

    def beat(self, claim: Claim) -> LeaseHolder:
        """Send a heartbeat; returns the lease's holder then, which may be another."""
        ...

    def release(self, token: str) -> None:
        """Let the lease go, if it is still that of the token."""
        ...

    def identity(self) -> tuple[str, int] | None:
        """``StoreState.as_built_at`` and ``high_water`` now; ``None`` when there is no complete store."""
        ...

    def added_above(self, high_water: int) -> int:
        """How much that the ledger records the store has above a number of ``StoreState.high_water``."""
        ...

    def close(self) -> None: ...


class LeaseTable:
    """Implements ``OpenLease`` by the row of one database."""

    def __init__(self, connection: LeaseConnection, sql: LeaseSql) -> None:
        self._connection = connection
        self._sql = sql

    @contextmanager
    def in_time(self, seconds: float | None = None) -> Iterator[None]:
        """The connection to a server that is frozen is cut."""
        timer = threading.Timer(seconds or _CALLS_SECONDS, self._connection.cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def found(self) -> tuple[bool, bool]:
        ((store, table),) = self._connection.query(self._sql.found)
        return bool(store), bool(table)

    def make(self) -> None:
        error: TargetError | None = None
        for statement in self._sql.make:
            try:
                self._connection.query(statement)
            except TargetError as found:
                error = error or found
        if error is not None and not (self.found()[1] and self._connection.query(self._sql.read)):
            raise error

    def read(self) -> LeaseHolder:
        rows = self._connection.query(self._sql.read)
        if not rows:
            raise TargetError(ErrorClass.OTHER, f"table {self._sql.table} has lost its row")
        *texts, lasts_seconds, generation, since, silent_seconds = rows[0]
        token, user_name, host_name, process_id, key, program, purpose = texts
        return LeaseHolder(
            token=token,
            user_name=user_name,
            host_name=host_name,
            process_id=int(process_id),
            process_key=key,
            program=program,
            purpose=purpose,
            lasts_seconds=float(lasts_seconds),
            generation=int(generation),
            since=datetime.fromtimestamp(float(since), UTC),
            silent_seconds=float(silent_seconds),
        )

    def take(self, claim: Claim, seen: LeaseHolder, *, breaks: bool = False) -> LeaseHolder:
        given_up = seen.token if breaks or not seen.is_alive else claim.token
        self._connection.query(
            self._sql.take,
            *(claim.token, claim.user_name[:_LONGEST_TEXT], claim.host_name[:_LONGEST_TEXT], claim.process_id),
            claim.process_key,
            *(claim.program[:_LONGEST_TEXT], claim.purpose[:_LONGEST_TEXT], claim.lasts_seconds),
            *(seen.generation, claim.token, given_up),
        )
        return self.read()

    def beat(self, claim: Claim) -> LeaseHolder:
        self._connection.query(self._sql.beat, claim.token)
        return self.read()

    def release(self, token: str) -> None:
        self._connection.query(self._sql.release, token)

    def identity(self) -> tuple[str, int] | None:
        rows = self._connection.query(self._sql.identity)
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def added_above(self, high_water: int) -> int:
        return int(self._connection.query(self._sql.added_above, high_water)[0][0])

    def close(self) -> None:
        self._connection.close()
