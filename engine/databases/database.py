"""What the engine needs of a DBMS: the Protocol that every database under test fulfils.

``Session`` is one emulated user's connection, called on the hot path. ``Store`` is the DVD Store in one database:
looked at, built, verified, reset and dropped. Both raise ``TargetError`` for whatever the database says, sorted by
``engine.errors.ErrorClass``.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from engine.databases.lease import NO_LEASE, HeldLease, LeaseTable
from engine.databases.replacing import Replacement
from engine.dvdstore.picks import NewCustomer
from engine.dvdstore.sizing import DbSize
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.databases.stored_orders import Cents, HistorySums, Lines, Orders
    from engine.target.store_layout import StoreLayout

NATIVE_PROTOCOL = "native protocol"
"""What calls go through that the compiled exchange sends and receives itself."""

Cancelled = Callable[[], bool]
Tell = Callable[["Progress"], None]


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long a user waits: for a connection, for the server's answer to one call, and for a silent network."""

    connect_seconds: float = 5.0
    statement_seconds: float = 30.0
    silence_seconds: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far long work has come: what is being done now, and the share of the whole that is done (0 to 1)."""

    doing: str
    share: float


class Rows(Protocol):
    """Rows that have arrived from the server; they are decoded only when somebody asks."""

    def __len__(self) -> int: ...

    def decoded(self) -> list[tuple[Any, ...]]:
        """The rows as tuples of plain Python values; a null is ``None``."""
        ...


class Session(Protocol):
    """One user's open connection. Calls block; another thread may ``cut`` it at any time.

    Every call raises ``TargetError``; when its ``usable`` is false, the session can only be closed.
    """

    host: Host

    def login(self, username: str, password: str) -> tuple[int | None, Rows]:
        """The customer's id (``None``: no such customer) and rows of title, actor, related title bought before."""
        ...

    def new_customer(self, customer: NewCustomer) -> int | None:
        """Register a customer; the new id, or ``None`` when the username is taken."""
        ...

    def browse_by_category(self, category: int, batch_size: int) -> Rows:
        """At most ``batch_size`` of the category's specials: product, category, title, actor, price in cents, special,
        common product; the other two searches have the same columns.
        """
        ...

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> Rows:
        """At most ``batch_size`` products whose actor has both words."""
        ...

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> Rows:
        """At most ``batch_size`` products whose title has both words."""
        ...

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        """The price in cents of each of the products; one that the store does not have is left out."""
        ...

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        """Place an order of (product, quantity) lines, amounts in cents; its id, or ``None`` when it was rolled back
        because the stock of a product is too small.
        """
        ...

    def cut(self) -> None:
        """End the connection under a call that hangs; safe from any thread, never waits."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class StoreState:
    """What a database holds: the build it was given, and what runs have added since.

    ``complete`` is false while a build is under way, or after one that never ended; also, with
    ``is_reset_interrupted``, after a reset that was stopped half-way, which another reset completes. ``as_built_at`` is
    when it was built or last reset, by the server's clock; ``highest_order`` is the highest order id that is there.
    """

    size: DbSize
    seed: int
    complete: bool
    orders_beyond: int
    customers_beyond: int
    history_beyond: int
    as_built_at: str = ""
    highest_order: int = 0
    is_reset_interrupted: bool = False

    @property
    def is_pristine(self) -> bool:
        return self.complete and not (self.orders_beyond or self.customers_beyond or self.history_beyond)

    @property
    def needs_reset(self) -> bool:
        """Whether a reset would take it back to what was built, and it is not that yet."""
        return self.is_reset_interrupted or (self.complete and not self.is_pristine)

    @property
    def incompleteness(self) -> str:
        """What is wrong with a store that is not complete, as the end of "a store"."""
        return "whose last reset was interrupted" if self.is_reset_interrupted else "that is only partly built"


@dataclass(frozen=True, kw_only=True)
class ServerInfo:
    """A server as it is recorded with a run: product and version, the host that answered, and its settings.

    ``measures`` change from minute to minute, as the space in a log does: they are recorded before and after a run.
    ``warnings`` are sentences that whoever starts a run on the server has to know.
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
class Check:
    """One thing that ``verify`` looked at: what it should be, what it is, and whether that is well."""

    what: str
    expected: str
    found: str
    ok: bool


@dataclass(frozen=True, kw_only=True)
class BuildReport:
    """What a build did: rows by table, bytes streamed to the server, and the seconds of loading and indexing.

    ``notes`` are sentences on what the server lacks, what was done instead, and what runs on the store compare with.
    """

    rows: Mapping[str, int]
    bytes_streamed: int
    load_seconds: float
    index_seconds: float
    notes: tuple[str, ...] = ()


class Store(Protocol):
    """The DVD Store in one database of a server; every method opens connections of its own.

    Long work tells its ``Progress`` and asks ``cancelled`` often; when that says yes it raises
    ``engine.errors.Cancelled``, and what it began is undone. It calls ``cancelled`` from any thread, ``tell`` too,
    but never twice at a time. An error that ``tell`` raises ends the work.
    """

    def server(self) -> ServerInfo: ...

    def state(self) -> StoreState | None:
        """What is built in the database; ``None`` when no store is there."""
        ...

    def replacement(self, size: DbSize, layout: "StoreLayout | None" = None) -> Replacement | None:
        """How a build of this size would replace the complete store that is there; ``None`` when there is none.

        Changes nothing. Raises ``UserError`` when there would be no room for it even without the old one.
        """
        ...

    def build(
        self,
        size: DbSize,
        seed: int,
        *,
        replace: bool,
        tell: Tell,
        cancelled: Cancelled,
        layout: "StoreLayout | None" = None,
        delete_first: bool = False,
        lease: HeldLease = NO_LEASE,
    ) -> BuildReport:
        """Make the database when it is missing, then the store; a partly built one is made anew.

        With ``replace``, a complete store makes way: the new one is built beside it and takes its place at the end, so
        that whatever ends the build leaves one of them whole; with ``delete_first`` the old one is removed before.
        ``layout`` says which files the database is made of, where the DBMS lets that be chosen; ``None`` is its own
        way. ``lease`` is taken as soon as there is a database. Raises ``UserError`` when a complete store (unless
        ``replace``) or somebody else's table is in the way, or a layout is given to a DBMS that has none.
        """
        ...

    def verify(self, *, tell: Tell, cancelled: Cancelled) -> list[Check]:
        """Look at everything that makes a store whole; raises ``UserError`` when there is no complete one."""
        ...

    def reset(self, *, tell: Tell, cancelled: Cancelled) -> None:
        """Take the store back to what was built; raises ``UserError`` when there is no complete one."""
        ...

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        """Remove the store, and the database when the build made it and nothing else is in it; says which."""
        ...

    def open_lease(self) -> LeaseTable:
        """A connection for the store's lease alone, for one thread at a time. Raises ``TargetError``."""
        ...

    def load_account(self) -> tuple[str, Secret] | None:
        """The account under which a run's users connect, of least privilege, made or renewed now: user and password.

        ``None``: they connect as the target's own user.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class ProbeAnswer:
    """What a host says to a probe: whether it commits writes, and which server it is.

    ``server`` tells one running server from another, also where several names lead to one; it is nothing to show.
    """

    takes_writes: bool
    server: str


class Prober(Protocol):
    """Asks one host over a connection of its own; for one thread."""

    def ask(self, within_seconds: float) -> ProbeAnswer | None:
        """Ask, or go on waiting for the answer to what was asked before; ``None`` when none came in time.

        Connects when there is no connection, and gives one up that stays without an answer. Returns in time whatever
        the host does; only looking its name up may take longer. Raises ``TargetError`` when the host refuses.
        """
        ...

    def close(self) -> None: ...


class Auditor(Protocol):
    """Looks at the orders of one store, all of it in the state of one moment.

    Orders are asked for by ranges of ids, ``after < id <= to``, of at most ``most_ids``. Each call raises
    ``TargetError``, and ``Cancelled`` when that was asked for.
    """

    most_ids: int

    def state(self) -> tuple[str, int] | None:
        """``StoreState.as_built_at`` and ``highest_order`` now; ``None`` when there is no complete store."""
        ...

    def prices(self) -> "Cents":
        """The price of every product in cents, by product id; 0 where there is no such product."""
        ...

    def orders(self, after: int, to: int) -> "Orders":
        """The orders of a range by ascending id, as ``engine.databases.stored_orders.ORDER_TYPE``."""
        ...

    def lines(self, after: int, to: int) -> "Lines":
        """The lines of the orders of a range, as ``LINE_TYPE``, in any order."""
        ...

    def history(self, after: int, to: int) -> "HistorySums":
        """The history rows of the orders of a range, which may be of any length."""
        ...

    def products_off(self) -> int:
        """How many products have been sold more or less often than all order lines say."""
        ...


class Database(Protocol):
    """One kind of DBMS: what opens sessions and stores on a target of that kind.

    ``maintenance_database`` is there on every server of the kind, also before a store's own database is.
    ``databases_fail_together``: a prober that asks in one database of a server has asked for all of them.
    ``answers_come_in_parts``: the server sends the rows of a call and its end in segments of their own.
    """

    maintenance_database: str
    databases_fail_together: bool
    answers_come_in_parts: bool

    def sessions_are_polled(self, target: Target) -> bool:
        """Whether every session of the target's is an ``engine.databases.polled_session.PolledSession``."""
        ...

    def driver(self, target: Target) -> str:
        """What the users' calls go through, in words: ``NATIVE_PROTOCOL``, or a driver by its name.

        Raises ``UserError`` when there is none.
        """
        ...

    def connect(self, target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0) -> Session:
        """Open a user's session on the first of the target's hosts that accepts it and takes writes.

        The hosts are tried in turn, beginning with number ``first_host``; one that keeps silent holds no other up.
        """
        ...

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts) -> Store: ...

    def auditor(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, cancelled: Cancelled
    ) -> AbstractContextManager[Auditor]:
        """A connection that only reads, for as long as the audit of a store takes."""
        ...

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        """What asks one of the target's hosts whether it commits writes; it changes nothing in the store."""
        ...

    def execute(
        self, target: Target, host: Host, secret: Secret | None, statement: str, *, timeout_seconds: float
    ) -> str:
        """Execute a statement on one of the target's hosts, whatever its role; what the server said.

        Returns in time, also when the host is silent. Raises ``TargetError``.
        """
        ...
