"""The wizard's slow work: finding drivers, testing a connection, building, verifying and resetting a plan's stores.

Run by the window's background door; no Qt here. Each function says in one sentence what came of it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.remedy_text import window_text
from engine.connection_result import ConnectionResult
from engine.databases import database_of
from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.database import Check, Progress, ServerInfo, Store, StoreState, Timeouts
from engine.errors import BadInput, ErrorClass, TargetError, UserError
from engine.figure_text import capitalised, counted
from engine.installed_drivers import InstalledDrivers
from engine.plan import RunPlan
from engine.preflight import Endpoint, Resolve, place_of, state_or_none, told_as_planned
from engine.remedies import Remedy, RemedyKind
from engine.store_layout import StoreLayout
from engine.target import MSSQL, Target
from engine.target_kinds import KINDS, kind_facts

TellWork = Callable[[str, float], None]
_Work = Callable[[Target, Store, Callable[[Progress], None]], None]


@dataclass(frozen=True)
class StoreWorkResult:
    """What came of work on stores: whether all is well, and the sentence that says so."""

    ok: bool
    sentence: str


def probe_target(resolve: Resolve, store: Target) -> ConnectionResult:
    """Connect to a store once; an error of the user's or of the database's is the result, not raised."""
    try:
        endpoint = resolve(store)
        with told_as_planned(store, endpoint):
            server, state = _look(endpoint)
    except (UserError, TargetError) as error:
        return ConnectionResult(ok=False, sentence=window_text(error))
    found, ok = _found(store.database, state)
    place = place_of(store, server)
    if not server.writable:
        found, ok = "it accepts no writes because it is a standby: name the primary, or all hosts of the group", False
    return ConnectionResult(
        ok=ok,
        sentence=f"{server.product} {server.version} on {place}, connected in {server.connect_ms} ms; {found}.",
        version=f"{server.product} {server.version}",
        connect_ms=server.connect_ms,
        store_size=str(state.size) if state is not None and state.complete else "",
    )


def installed_drivers() -> dict[str, InstalledDrivers]:
    """The ODBC drivers of this machine, by the kinds of targets that need one."""
    kinds = [kind for kind in KINDS if kind_facts(kind).is_odbc]
    return {kind: _installed(kind) for kind in kinds}


def _installed(kind: str) -> InstalledDrivers:
    try:
        from engine.databases.odbc.drivers import driver_for, drivers_of

        driver_for(kind)
        return InstalledDrivers(kind=kind, names=drivers_of(kind))
    except UserError as error:
        return InstalledDrivers(kind=kind, hint=capitalised(window_text(error)))


def build_stores(
    resolve: Resolve,
    plan: RunPlan,
    *,
    replace: bool,
    tell: TellWork,
    cancelled: CancelledQuestion,
    layout: StoreLayout | None = None,
) -> StoreWorkResult:
    """Build the plan's stores; one of the wanted size that is there is left alone unless ``replace``.

    ``layout`` is for those of SQL Server.

    Raises ``UserError`` that names the store and the mend, or ``Cancelled``.
    """
    size = plan.db_size
    if size is None:
        raise BadInput("size is empty; give the size to build, such as 100MB.")
    built: list[str] = []

    def work(planned: Target, store: Store, tell_step: Callable[[Progress], None]) -> None:
        state = state_or_none(store)
        if state is not None and state.complete and not replace:
            if state.size != size:
                raise UserError(
                    f"Database '{planned.database}' already holds a {state.size} store",
                    remedy=Remedy(kind=RemedyKind.MATCH_SIZE, size=str(state.size), wanted=str(size)),
                )
            return
        of_kind = layout if planned.kind == MSSQL else None
        store.build(size, plan.seed, replace=True, tell=tell_step, cancelled=cancelled, layout=of_kind)
        built.append(planned.database)

    _for_each(resolve, plan, "building", work, tell)
    left = len(plan.stores()) - len(built)
    already = f"{counted(left, 'store')} of {size} {'was' if left == 1 else 'were'} already there" if left else ""
    made = f"{counted(len(built), 'store')} of {size} built" if built else ""
    return StoreWorkResult(True, f"{'; '.join(filter(None, (made, already)))}.")


def verify_stores(resolve: Resolve, plan: RunPlan, *, tell: TellWork, cancelled: CancelledQuestion) -> StoreWorkResult:
    """Look at everything that makes the plan's stores whole. Raises ``UserError`` or ``Cancelled``."""
    checks: dict[str, list[Check]] = {}

    def work(planned: Target, store: Store, tell_step: Callable[[Progress], None]) -> None:
        checks[planned.url] = store.verify(tell=tell_step, cancelled=cancelled)

    _for_each(resolve, plan, "verifying", work, tell)
    count = sum(len(each) for each in checks.values())
    wrong = [(planned, check) for planned in plan.stores() for check in checks[planned.url] if not check.ok]
    if not wrong:
        return StoreWorkResult(True, f"{counted(len(checks), 'store')} verified: all {count} checks passed.")
    planned, check = wrong[0]
    return StoreWorkResult(
        False,
        f"{len(wrong)} of {count} checks failed; in {planned.database}, {check.what} should be {check.expected} and is"
        f" {check.found}.",
    )


def reset_stores(resolve: Resolve, plan: RunPlan, *, tell: TellWork, cancelled: CancelledQuestion) -> StoreWorkResult:
    """Take the plan's stores back to what was built. Raises ``UserError`` or ``Cancelled``."""

    def work(_planned: Target, store: Store, tell_step: Callable[[Progress], None]) -> None:
        store.reset(tell=tell_step, cancelled=cancelled)

    _for_each(resolve, plan, "resetting", work, tell)
    count = len(plan.stores())
    return StoreWorkResult(True, f"{counted(count, 'store')} {'is' if count == 1 else 'are'} reset to what was built.")


def _for_each(resolve: Resolve, plan: RunPlan, doing: str, work: _Work, tell: TellWork) -> None:
    """Do the work on one store after another; what the database says is the user's to hear."""
    stores = plan.stores()
    for place, planned in enumerate(stores):
        lead = f"{doing} {planned.database}"

        def tell_step(step: Progress, place: int = place, lead: str = lead) -> None:
            tell(f"{lead}: {step.doing}", (place + step.share) / len(stores))

        tell(lead, place / len(stores))
        endpoint = resolve(planned)
        with told_as_planned(planned, endpoint):
            work(planned, endpoint.store(Timeouts()), tell_step)


def _look(endpoint: Endpoint) -> tuple[ServerInfo, StoreState | None]:
    """The server and the store's state; a server without the database is asked in another one."""
    store = endpoint.store(Timeouts())
    try:
        return store.server(), store.state()
    except TargetError as error:
        if error.error_class is not ErrorClass.MISSING_DATABASE:
            raise
    maintenance_database = database_of(endpoint.target.kind).maintenance_database
    elsewhere = Endpoint(endpoint.target.with_database(maintenance_database), endpoint.secret)
    return elsewhere.store(Timeouts()).server(), None


def _found(database: str, state: StoreState | None) -> tuple[str, bool]:
    """What the database holds, and whether a run can drive it or a build can make it."""
    if state is None:
        return f"database {database} holds no store yet", True
    if not state.complete:
        return f"database {database} holds a store that is only partly built: build it again", False
    if state.is_pristine:
        return f"database {database} holds a {state.size} store, as built", True
    orders = counted(state.orders_beyond, "order")
    return f"database {database} holds a {state.size} store with {orders} added since the build", True
