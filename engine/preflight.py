"""Everything that can be wrong with a plan's targets, found before anything is started.

Called by the conductor; opens connections, so never from a thread that may not wait.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.databases import database_of
from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Progress, ServerInfo, Store, StoreState, Tell, Timeouts
from engine.databases.lease import NO_LEASE, HeldLease
from engine.dvdstore.sizing import DbSize
from engine.errors import ErrorClass, TargetError, UserError
from engine.plan import RunPlan
from engine.secrets import Secret
from engine.target import EMBEDDED, Target

DEFAULT_EMBEDDED_SIZE = DbSize(100, "MB")


@dataclass(frozen=True)
class Endpoint:
    """A store's target as it is connected to (the embedded server's port is known by now), and its password."""

    target: Target
    secret: Secret | None

    def store(self, timeouts: Timeouts) -> Store:
        return database_of(self.target.kind).store(self.target, self.secret, timeouts)


Resolve = Callable[[Target], Endpoint]


@dataclass(frozen=True)
class CheckedStore:
    """A store that is there and whole: as planned, where it is, and what was found.

    ``load`` is the same endpoint under the account of a run's users; ``endpoint`` is for what watches and audits.
    """

    planned: Target
    endpoint: Endpoint
    load: Endpoint
    server: ServerInfo
    state: StoreState

    def describe(self) -> dict[str, Any]:
        """The store for the run's environment."""
        return {
            "target": self.planned.url,
            "host": self.server.host,
            "product": self.server.product,
            "version": self.server.version,
            "connect_ms": self.server.connect_ms,
            "settings": dict(self.server.settings),
            **({"before the run": dict(self.server.measures)} if self.server.measures else {}),
            **({"warnings": list(self.server.warnings)} if self.server.warnings else {}),
            "load_account": self._load_account(),
            "driver": database_of(self.load.target.kind).driver(self.load.target),
            "store": asdict(self.state) | {"size": str(self.state.size)},
        }

    def measures_now(self, timeouts: Timeouts) -> dict[str, str]:
        """What the server measures of itself by now; empty where it measures nothing, or does not answer."""
        if not self.server.measures:
            return {}
        try:
            return dict(self.endpoint.store(timeouts).server().measures)
        except (TargetError, UserError):
            return {}

    def _load_account(self) -> str:
        """Which account the load used, in words."""
        user = self.load.target.user
        if self.load != self.endpoint:
            return f"The users connected as {user}, which may only execute the store's procedures."
        return f"The users connected as {user or 'whoever ran Spindle'}, the target's own account."


@dataclass(frozen=True)
class Preflight:
    """A plan whose every store was found as it should be; ``plan`` now names the size."""

    plan: RunPlan
    stores: Mapping[Target, CheckedStore]


def _not_leased(_planned: Target) -> HeldLease:
    return NO_LEASE


def check_plan(
    plan: RunPlan,
    resolve: Resolve,
    timeouts: Timeouts,
    *,
    tell: Tell,
    cancelled: CancelledQuestion,
    lease_of: Callable[[Target], HeldLease] = _not_leased,
) -> Preflight:
    """Look at every store; build those of the embedded server that are missing, each under its lease.

    Raises ``UserError`` that names the store and the mend, or ``Cancelled``.
    """
    stores: dict[Target, CheckedStore] = {}
    for planned in plan.stores():
        endpoint = resolve(planned)
        with told_as_planned(planned, endpoint):
            if planned.kind == EMBEDDED:
                _build_missing(plan, planned, endpoint.store(timeouts), lease_of(planned), tell, cancelled)
            stores[planned] = _check_store(plan, planned, endpoint, timeouts, tell)
    sizes = {checked.state.size for checked in stores.values()}
    if len(sizes) > 1:
        found = ", ".join(f"{planned.database}: {checked.state.size}" for planned, checked in stores.items())
        raise UserError(f"The stores differ in size ({found}); one run drives stores of one size.")
    return Preflight(plan.with_size(sizes.pop()), stores)


def _build_missing(
    plan: RunPlan, planned: Target, store: Store, lease: HeldLease, tell: Tell, cancelled: CancelledQuestion
) -> None:
    state = state_or_none(store)
    if state is None or not state.complete:
        size = plan.db_size or DEFAULT_EMBEDDED_SIZE
        tell_building = named(tell, f"building {planned.database}")
        store.build(size, plan.seed, replace=False, tell=tell_building, cancelled=cancelled, lease=lease)


def _check_store(plan: RunPlan, planned: Target, endpoint: Endpoint, timeouts: Timeouts, tell: Tell) -> CheckedStore:
    store = endpoint.store(timeouts)
    tell(Progress(doing=f"looking at {planned.database}", share=0.0))
    state = store.state()
    server = store.server()
    if not server.writable:
        raise UserError(
            f"Host {server.host} takes no writes, it is a standby; give the primary, or all hosts of the group as in"
            f" {planned.kind}://user@host1,host2/{planned.database}."
        )
    if state is None or not state.complete:
        how = "holds no store" if state is None else "holds a store that is only partly built"
        raise UserError(
            f"Database '{planned.database}' on {server.host} {how}; build it with:"
            f" spindle build --target {planned.argument}"
        )
    if plan.db_size is not None and plan.db_size != state.size:
        raise UserError(
            f"db_size is {plan.db_size}, but database '{planned.database}' on {server.host} holds a {state.size} store;"
            f" give --db-size {state.size}, or replace the store with: spindle build --replace --db-size {plan.db_size}"
            f" --target {planned.argument}"
        )
    return CheckedStore(planned, endpoint, _load_endpoint(endpoint, store), server, state)


def _load_endpoint(endpoint: Endpoint, store: Store) -> Endpoint:
    """Where the users connect: under the store's account of least privilege, where it has one."""
    account = store.load_account()
    if account is None:
        return endpoint
    user, secret = account
    return Endpoint(endpoint.target.with_user(user), secret)


def state_or_none(store: Store) -> StoreState | None:
    """The state; ``None`` also when the embedded server has no such database yet."""
    try:
        return store.state()
    except TargetError as error:
        if error.error_class is ErrorClass.MISSING_DATABASE:
            return None
        raise


@contextmanager
def told_as_planned(planned: Target, endpoint: Endpoint) -> Iterator[None]:
    """Raise what goes wrong with a store as a ``UserError`` whose mend names the target as it was planned.

    The embedded server is connected to under a port that nobody has typed, and that the next start may change.
    """
    try:
        yield
    except (TargetError, UserError) as error:
        text = str(error).replace(endpoint.target.argument, planned.argument).replace(endpoint.target.url, planned.url)
        if isinstance(error, UserError) and text == str(error):
            raise
        raise UserError(text) from error


def named(tell: Tell, work: str) -> Tell:
    """Progress that says which work, on which store, it is of: a build's or a reset's own words do not."""
    return lambda step: tell(replace(step, doing=f"{work}: {step.doing}"))
