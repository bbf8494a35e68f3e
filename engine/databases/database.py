"""What the engine needs from a system under test, and from a DBMS beyond that: the protocols that these implement.

``Session`` is one emulated user's connection, called on the hot path. ``Store`` is a workload's store in one database:
inspected, built, verified, reset and dropped. Both raise ``TargetError`` for every error of the database, classified by
``engine.errors.ErrorClass``.
"""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from engine.databases.activity import ActivityReader
from engine.databases.lease import NO_LEASE, HeldLease, OpenLease
from engine.databases.progress import IsCancelled, ReportProgress
from engine.databases.replacing import Replacement
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.definition import Check, StoreDefinition
    from engine.databases.exchange.calls import CallTable
    from engine.databases.snapshot import Snapshot
    from engine.target.store_layout import StoreLayout

NATIVE_PROTOCOL = "native protocol"
"""Named as the driver where the compiled exchange speaks the server's protocol itself."""


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long a user waits: for a connection, for the answer to a call, and before a silent network counts as lost."""

    connect_seconds: float = 5.0
    statement_seconds: float = 30.0
    silence_seconds: float = 10.0


USUAL_TIMEOUTS = Timeouts()


class Session(Protocol):
    """One user's open connection. Calls block; another thread may ``cut`` it at any time.

    When the ``usable`` of a ``TargetError`` is false, the session can only be closed.
    """

    host: Host

    @property
    def received(self) -> tuple[int, int]:
        """The rows of all answers so far, and their bytes, 0 where the driver does not say; from any thread."""
        ...

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Make a call of the table that the session was opened with, in one round trip; returns what its ``read`` does.

        Raises ``TargetError``.
        """
        ...

    def cut(self) -> None:
        """Shut the connection down, which ends a hanging call; thread-safe, never waits."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class StoreState:
    """The store that a database holds: its workload's id, what was built, and what runs have added since.

    ``beyond`` counts that by its title, such as "orders"; it is empty for a store that is not complete. ``complete`` is
    false during a build, or after an interrupted one; also, with ``is_reset_interrupted``, after an interrupted reset,
    which another reset completes. ``has_backup``: the server has a backup of the store as built, and a reset restores
    it. ``as_built_at`` is when it was built or last reset, by the server's clock; ``high_water`` is that of
    ``engine.databases.definition.StoreDefinition``.
    """

    workload: str
    scale: str
    seed: int
    complete: bool
    beyond: Mapping[str, int] = field(default_factory=dict)
    as_built_at: str = ""
    high_water: int = 0
    is_reset_interrupted: bool = False
    has_backup: bool = False

    @property
    def is_pristine(self) -> bool:
        return self.complete and not any(self.beyond.values())

    @property
    def needs_reset(self) -> bool:
        """Whether it differs from what was built, so that a reset would change it."""
        return self.is_reset_interrupted or (self.complete and not self.is_pristine)

    @property
    def incompleteness(self) -> str:
        """What is wrong with a store that is not complete, as the end of "a store"."""
        return "whose last reset was interrupted" if self.is_reset_interrupted else "that is only partly built"


@dataclass(frozen=True, kw_only=True)
class ServerInfo:
    """A server as it is recorded with a run: product and version, the host that answered, and its settings.

    ``measures`` change from minute to minute, such as the used space of a log: they are recorded before and after a
    run. ``warnings`` are sentences for the user who starts a run on the server.
    """

    product: str
    version: str
    host: str
    writable: bool
    settings: Mapping[str, str]
    connect_ms: float
    measures: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BuildReport:
    """What a build did: rows by table, bytes streamed to the server, and the seconds of loading and indexing.

    ``notes`` are sentences on features that the server lacks, what was used instead, and which runs are comparable.
    """

    rows: Mapping[str, int]
    bytes_streamed: int
    load_seconds: float
    index_seconds: float
    notes: tuple[str, ...] = ()


class Store(Protocol):
    """The store of one workload in one database of a server; every method opens connections of its own.

    Long work reports its ``Progress`` and calls ``cancelled`` often; if that returns true, it raises
    ``engine.errors.Cancelled`` and undoes what it has done. Both are called from any thread, ``report_progress`` never
    concurrently. An error that ``report_progress`` raises ends the work.
    The store of another workload is a ``UserError`` of every method but ``server``.
    """

    def server(self) -> ServerInfo: ...

    def state(self) -> StoreState | None:
        """The store in the database; ``None`` if there is none."""
        ...

    def replacement(self, scale: str) -> Replacement | None:
        """How a build of this scale would replace the existing complete store; ``None`` if there is none.

        Changes nothing. Raises ``UserError`` if there would not be enough room even without the old one.
        """
        ...

    def build(
        self,
        scale: str,
        seed: int,
        *,
        replace: bool,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
        layout: "StoreLayout | None" = None,
        delete_first: bool = False,
        lease: HeldLease = NO_LEASE,
    ) -> BuildReport:
        """Create the database if it is missing, then the store; a partly built one is rebuilt.

        With ``replace``, a complete store is replaced: the new one is built next to it and swapped in at the end, so
        that an interrupted build leaves one of them complete; with ``delete_first`` the old one is removed before.
        ``layout`` specifies the database's files, where the DBMS supports it; ``None`` leaves them to the DBMS.
        ``lease`` is taken as soon as there is a database. Raises ``UserError`` if a complete store (without
        ``replace``) or a foreign table is in the way, or if a layout is given and not supported.
        """
        ...

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> "list[Check]":
        """Check that the store is complete and consistent; raises ``UserError`` if there is no complete one."""
        ...

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Restore the store to what was built; raises ``UserError`` if there is no complete one."""
        ...

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        """Remove the store, and the database if only the build's objects were in it; returns what was removed."""
        ...

    def open_lease(self) -> OpenLease | None:
        """A connection only for the store's lease, for one thread at a time. Raises ``TargetError``.

        ``None`` where stores have no lease: nothing keeps others from using them.
        """
        ...

    def load_account(self) -> tuple[str, Secret] | None:
        """Create or renew the account of least privilege with which a run's users connect: user and password.

        ``None`` if they connect as the target's own user.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class ProbeAnswer:
    """A host's answer to a probe: whether it commits writes, and which server it is.

    ``server`` identifies a running server, also if several host names resolve to it; it is not for display.
    """

    takes_writes: bool
    server: str


class Prober(Protocol):
    """Queries one host over a connection of its own; for one thread."""

    def probe(self, within_seconds: float) -> ProbeAnswer | None:
        """Send a query, or continue to wait for the previous one's answer; ``None`` if none comes in time.

        Connects if there is no connection, and abandons one that remains without an answer. Returns in time whatever
        the host does; only resolving its name may take longer. Raises ``TargetError`` if the host refuses.
        """
        ...

    def close(self) -> None: ...


class System(Protocol):
    """One kind of system under test: what a database, a mail server and storage have in common.

    ``definition`` is what the workload's bindings say that a store of this kind is; ``engine.workloads.systems`` has
    the system of each kind. A ``Database`` is one with sessions and SQL; the sessions of an
    ``engine.databases.async_system.AsyncSystem`` are coroutines. A system that is neither has no sessions, and its
    clients run a program.
    """

    def driver(self, target: Target) -> str:
        """What users reach the system by, to be displayed: ``NATIVE_PROTOCOL``, or a driver's or a program's name.

        Raises ``UserError`` if there is none.
        """
        ...

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: Any) -> Store: ...

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        """A prober of one of the target's hosts; it changes nothing in the store."""
        ...

    def probed(self, target: Target) -> Target:
        """The target to probe in place of this one: the same for all that fail together, which one query serves."""
        ...

    def elsewhere(self, target: Target) -> Target | None:
        """The same server by what is always there, for a look at it before a store's own database exists.

        ``None`` where there is nothing like that.
        """
        ...


@runtime_checkable
class Database(System, Protocol):
    """One kind of DBMS: opens sessions and stores on targets of that kind.

    ``answers_come_in_parts``: the server sends the rows of a call and its end in separate TCP segments.
    """

    answers_come_in_parts: bool

    def sessions_are_polled(self, target: Target) -> bool:
        """Whether the target's sessions are ``engine.databases.polled_session.PolledSession``."""
        ...

    def connect(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, calls: "CallTable", *, first_host: int = 0
    ) -> Session:
        """Open a user's session, which can make these calls, on the first of the target's hosts that accepts it, takes
        writes and has the store.

        The hosts are tried in order, beginning with number ``first_host``; a silent one does not delay the others.
        """
        ...

    def snapshot(
        self,
        target: Target,
        secret: Secret | None,
        timeouts: Timeouts,
        definition: "StoreDefinition",
        cancelled: IsCancelled,
    ) -> "AbstractContextManager[Snapshot]":
        """A read-only connection to a store for the duration of an audit."""
        ...

    def activity(self, target: Target, secret: Secret | None, databases: Collection[str]) -> ActivityReader:
        """A reader of what the target's server says of itself; nothing is opened yet.

        What the server counts by database is the sum over ``databases``, of which the target's is one.
        """
        ...

    def execute(
        self, target: Target, host: Host, secret: Secret | None, statement: str, *, timeout_seconds: float
    ) -> str:
        """Execute a statement on one of the target's hosts, whatever its role; returns the server's output.

        Returns in time, also if the host is silent. Raises ``TargetError``.
        """
        ...
