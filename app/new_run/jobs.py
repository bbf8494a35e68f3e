"""Slow work of the wizard: listing drivers, testing a connection, building, verifying and resetting stores.

Run in the background by the window; no Qt here. Each function returns its result as one sentence.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from app.remedy_text import window_text
from app.workbench import WINDOW
from engine.conduct.endpoint import Endpoint, Resolve, container_of, errors_as_planned, place_of, state_or_none
from engine.conduct.leasing import Notify, holder_of
from engine.conduct.preflight import match_scale
from engine.conduct.store_work import Around, PlannedReplacement, StoreWork
from engine.databases.database import ServerInfo, StoreState
from engine.databases.definition import Check
from engine.databases.lease import Claim, LeaseHolder
from engine.databases.progress import IsCancelled, ReportProgress
from engine.draft.sql_server_draft import on_screen
from engine.errors import BadInput, Cancelled, ErrorClass, TargetError, UserError
from engine.figure_text import capitalised, counted
from engine.plan.plan import RunPlan
from engine.target.connection_result import ConnectionResult
from engine.target.installed_drivers import InstalledDrivers
from engine.target.kinds import KINDS, kind_facts
from engine.target.store_layout import StoreLayout
from engine.target.target import STORAGE, Target
from engine.workload.registry import find_workload
from engine.workload.wording import GENERAL
from engine.workload.workload import Workload
from engine.workloads.systems import system_of

TellWork = Callable[[str, float], None]


@dataclass(frozen=True)
class StoreWorkResult:
    """The result of work on stores: whether it succeeded, ``None`` if it was cancelled, and a sentence."""

    ok: bool | None
    sentence: str


def _nobody(_sentence: str) -> None:
    """Ignores notifications."""


def probe_target(resolve: Resolve, store: Target, workload: str) -> ConnectionResult:
    """Connect to a workload's store once; an error of the user's or the database's is the result, and is not raised."""
    try:
        endpoint = resolve(store)
        with errors_as_planned(store, endpoint, workload):
            server, state, holder, is_there = _look(endpoint, workload)
    except (UserError, TargetError) as error:
        return ConnectionResult(
            ok=False, sentence=f"{capitalised(on_screen(window_text(error)))}{_quick_look(store, error)}"
        )
    found, ok = _found(store, state, find_workload(workload)) if is_there else (_missing(store, workload), True)
    if holder is not None:
        found += f"; it is in use since {holder.since_text} by {holder.description}"
    place = place_of(store, server)
    if not server.writable:
        found, ok = "it accepts no writes because it is a standby: name the primary, or all hosts of the group", False
    return ConnectionResult(
        ok=ok,
        sentence=f"{server.product} {server.version} on {place}, connected in {server.connect_ms} ms; {found}.",
        version=f"{server.product} {server.version}",
        connect_ms=server.connect_ms,
        store_size=state.scale if state is not None and state.complete else "",
    )


def _quick_look(store: Target, error: UserError | TargetError) -> str:
    """What can be said of a disk of this machine without fio; empty where that is not what is missing."""
    if store.kind != STORAGE or store.storage.machine:
        return ""
    from engine.services.storage.fio.engines import FioMissingError
    from engine.services.storage.quick_look import quick_look

    if not isinstance(error, FioMissingError):
        return ""
    try:
        return f" {quick_look(str(Path(store.database).parent)).sentence}"
    except UserError:
        return ""


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


def stores_in_the_way(resolve: Resolve, plan: RunPlan) -> list[PlannedReplacement]:
    """The complete stores that a build of the plan's stores would replace, and how. Raises ``UserError``."""
    return [
        found
        for load, stores in _stores_of_loads(plan)
        for found in _work(resolve, load, stores, "looking", notify=_nobody).replacements(_scale_of(load))
    ]


def build_stores(
    resolve: Resolve,
    plan: RunPlan,
    *,
    replace: bool,
    on_progress: TellWork,
    cancelled: IsCancelled,
    layout: StoreLayout | None = None,
    delete_first: Collection[Target] = (),
    notify: Notify = _nobody,
) -> StoreWorkResult:
    """Build the stores of all loads of the plan; an existing one of the right size is left alone unless ``replace``.

    ``layout`` is for those of the first load on SQL Server, ``delete_first`` are the stores that are deleted before the
    new ones are built. Raises ``UserError`` that names the store and the remedy.
    """
    parts = _stores_of_loads(plan)
    scales = [_scale_of(load) for load, _ in parts]
    wanted = [[each for each in stores if replace or not _is_there(resolve, load, each)] for load, stores in parts]
    every = [store for stores in wanted for store in stores]

    def work() -> None:
        for number, (load, _) in enumerate(parts):
            _work(resolve, load, wanted[number], "replacing" if replace else "building", notify=notify).build(
                scales[number],
                plan.seed,
                around=_around("building", every, on_progress, cancelled),
                done=lambda _planned, _report: None,
                replace=replace,
                delete_first=[each for each in delete_first if each in wanted[number]],
                layout=layout if number == 0 else None,
            )

    words = [
        sentence
        for (load, stores), built in zip(parts, wanted, strict=True)
        for sentence in _built(load, len(built), len(stores) - len(built))
    ]
    return _worded(work, f"{'; '.join(words)}.")


def _built(load: RunPlan, built: int, left: int) -> Iterator[str]:
    """How many stores of a load were built, and how many were left as they were, as clauses."""
    workload = find_workload(load.workload)
    size, stores = workload.scale.in_words(load.scale), workload.wording.stores
    if built:
        yield f"{counted(built, *stores)} of {size} built"
    if left:
        yield f"{counted(left, *stores)} of {size} {'was' if left == 1 else 'were'} already there"


def _stores_of_loads(plan: RunPlan) -> list[tuple[RunPlan, tuple[Target, ...]]]:
    """Each load of the plan with its stores, of which those of an earlier load are not named again."""
    seen: set[Target] = set()
    parts = []
    for load in plan.loads:
        stores = tuple(store for store in load.stores() if store.with_label("") not in seen)
        seen |= {store.with_label("") for store in stores}
        if stores:
            parts.append((load, stores))
    return parts


def verify_stores(resolve: Resolve, plan: RunPlan, *, on_progress: TellWork, cancelled: IsCancelled) -> StoreWorkResult:
    """Verify the plan's stores. Raises ``UserError``."""
    checks: dict[Target, list[Check]] = {}
    found: list[str] = []
    in_use: list[str] = []
    around = _around("verifying", plan.stores(), on_progress, cancelled)
    try:
        for planned in plan.stores():
            endpoint = resolve(planned)
            workload = plan.workload_of(planned)
            store = endpoint.store(endpoint.timeouts, workload)
            with around(planned) as (report_step, _), errors_as_planned(planned, endpoint, workload):
                checks[planned] = store.verify(report_progress=report_step, cancelled=cancelled)
                if len(plan.stores()) == 1:
                    found.append(f"{capitalised(_found(planned, store.state(), find_workload(workload))[0])}.")
            holder = holder_of(store)
            if holder is not None:
                in_use.append(f"{planned.database} is in use since {holder.since_text} by {holder.description}.")
    except Cancelled:
        return StoreWorkResult(None, "Cancelled; nothing was changed.")
    count = sum(len(each) for each in checks.values())
    wrong = [(planned, check) for planned, each in checks.items() for check in each if not check.ok]
    if not wrong:
        verified = f"{counted(len(checks), *called(plan))} verified: all {count} checks passed."
        return StoreWorkResult(True, " ".join([verified, *found, *in_use]))
    planned, check = wrong[0]
    failed = (
        f"{len(wrong)} of {count} checks failed; in {planned.database}, {check.what} should be {check.expected} and is"
        f" {check.found}."
    )
    return StoreWorkResult(False, " ".join([failed, *in_use]))


def reset_stores(
    resolve: Resolve, plan: RunPlan, *, on_progress: TellWork, cancelled: IsCancelled, notify: Notify = _nobody
) -> StoreWorkResult:
    """Reset the plan's stores to their state after the build. Raises ``UserError``."""
    stores = plan.stores()

    def work() -> None:
        for load, of_load in _stores_of_loads(plan):
            _work(resolve, load, of_load, "reset", notify=notify).reset(
                around=_around("resetting", stores, on_progress, cancelled), done=lambda _planned: None
            )

    return _worded(
        work, f"{counted(len(stores), *called(plan))} {'is' if len(stores) == 1 else 'are'} reset to what was built."
    )


def called(plan: RunPlan) -> tuple[str, str]:
    """What one and several of the plan's stores are called; those of several loads by the general word."""
    return GENERAL.stores if plan.is_mixed else find_workload(plan.workload).wording.stores


def _worded(work: Callable[[], None], sentence: str) -> StoreWorkResult:
    """The result of the work as a sentence; a cancel is a result as well."""
    try:
        work()
    except Cancelled as cancelled:
        return StoreWorkResult(None, str(cancelled))
    return StoreWorkResult(True, sentence)


def _work(resolve: Resolve, plan: RunPlan, stores: Sequence[Target], purpose: str, *, notify: Notify) -> StoreWork:
    return StoreWork(resolve, stores, plan.workload, Claim(purpose=purpose, program=WINDOW), notify=notify)


def _scale_of(plan: RunPlan) -> str:
    if plan.scale is None:
        workload = find_workload(plan.workload)
        name = workload.scale.label.lower()
        example = workload.scale.typed(workload.usual_scale)[workload.scale.keys[0]]
        raise BadInput(f"{name} is empty; give the {name} to build, such as {example}.")
    return str(plan.scale)


def _is_there(resolve: Resolve, plan: RunPlan, planned: Target) -> bool:
    """Whether a complete store of this size exists; raises ``UserError`` for one of another size."""
    endpoint = resolve(planned)
    with errors_as_planned(planned, endpoint, plan.workload):
        state = state_or_none(endpoint.store(endpoint.timeouts, plan.workload))
    if state is None or not state.complete:
        return False
    if state.scale != str(plan.scale):
        there = find_workload(plan.workload).store_of(state.scale)
        raise UserError(
            f"{capitalised(container_of(planned))} already holds a {there}",
            remedy=match_scale(plan, planned, state),
        )
    return True


def _around(doing: str, stores: Sequence[Target], on_progress: TellWork, cancelled: IsCancelled) -> Around:
    """The progress of each store as a part of the whole."""

    @contextmanager
    def around(planned: Target) -> Iterator[tuple[ReportProgress, IsCancelled]]:
        place, lead = stores.index(planned), f"{doing} {planned.database}"
        on_progress(lead, place / len(stores))
        yield lambda step: on_progress(f"{lead}: {step.doing}", (place + step.share) / len(stores)), cancelled

    return around


def _look(endpoint: Endpoint, workload: str) -> tuple[ServerInfo, StoreState | None, LeaseHolder | None, bool]:
    """The server, the store's state and its user, and whether the database exists; a server without it is asked through
    another one."""
    store = endpoint.store(endpoint.timeouts, workload)
    try:
        return store.server(), store.state(), holder_of(store), True
    except TargetError as error:
        if error.error_class is not ErrorClass.MISSING_DATABASE:
            raise
        elsewhere = system_of(endpoint.target.kind).elsewhere(endpoint.target)
        if elsewhere is None:
            raise
    return replace(endpoint, target=elsewhere).store(endpoint.timeouts, workload).server(), None, None, False


def _missing(planned: Target, workload: str) -> str:
    """The database does not exist."""
    one = find_workload(workload).wording.stores[0]
    return f"{container_of(planned)} does not exist yet: building a {one} creates it"


def _found(planned: Target, state: StoreState | None, workload: Workload) -> tuple[str, bool]:
    """What the target holds, and whether a run can drive it or a build can create it."""
    place, one, holds = container_of(planned), workload.wording.stores[0], workload.holds
    if state is None:
        return f"{place} is not built yet" if workload.subject.is_store_itself else f"{place} holds no {one} yet", True
    if not state.complete:
        remedy = "reset it again" if state.is_reset_interrupted else "build it again"
        return f"{place} {holds} a {one} {state.incompleteness}: {remedy}", False
    found = f"{place} {holds} a {workload.store_of(state.scale)}"
    if state.is_pristine:
        return f"{found}, as built", True
    title, count = next(iter(state.beyond.items()))
    added = counted(count, title.removesuffix("s"), title)
    return f"{found} with {added} added since the build", True
