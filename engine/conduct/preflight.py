"""Everything that can be wrong with a plan's targets, found before anything is started.

Called by the conductor; opens connections, so never from a thread that may not wait.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.conduct.endpoint import Endpoint, Resolve, container_of, errors_as_planned, place_of, state_or_none
from engine.conduct.made_stores import MadeStores
from engine.databases.database import ServerInfo, Store, StoreState, Timeouts
from engine.databases.lease import NO_LEASE, HeldLease
from engine.databases.progress import IsCancelled, Progress, ReportProgress, named
from engine.errors import Notice, Remedy, RemedyKind, TargetError, UserError
from engine.figure_text import capitalised, listed, whole
from engine.plan.plan import RunPlan
from engine.subject import Subject
from engine.target.kinds import kind_facts
from engine.target.target import Target
from engine.workload.registry import find_workload
from engine.workload.scale import Scale
from engine.workloads.systems import system_of

_MOST_ADDED = 2


@dataclass(frozen=True)
class CheckedStore:
    """A store that is there and whole: as planned, where it is, and what was found.

    ``load`` is the same endpoint under the account of a run's users; ``endpoint`` is for what watches and audits.
    ``is_made``: the run has written it, and removes it at its end.
    """

    planned: Target
    endpoint: Endpoint
    load: Endpoint
    server: ServerInfo
    state: StoreState
    is_made: bool = False

    def describe(self) -> dict[str, Any]:
        """The store for the run's environment."""
        return {
            "target": self.planned.url,
            "host": place_of(self.planned, self.server),
            "product": self.server.product,
            "version": self.server.version,
            "connect_ms": self.server.connect_ms,
            "settings": dict(self.server.settings),
            **({"before the run": dict(self.server.measures)} if self.server.measures else {}),
            **({"warnings": list(self.server.warnings)} if self.server.warnings else {}),
            "load_account": self._load_account(),
            "driver": system_of(self.load.target.kind).driver(self.load.target),
            "store": _recorded(self.state),
            **({"written for the run, removed at its end": True} if self.is_made else {}),
        }

    def measures_now(self, timeouts: Timeouts) -> dict[str, str]:
        """What the server measures of itself by now; empty where it measures nothing, or does not answer."""
        if not self.server.measures:
            return {}
        try:
            return dict(self.endpoint.store(timeouts, self.state.workload).server().measures)
        except (TargetError, UserError):
            return {}

    def _load_account(self) -> str:
        """Which account the load used, in words; empty where none logs in."""
        subject, user = kind_facts(self.load.target.kind).subject, self.load.target.user
        if subject is Subject.STORAGE:
            return ""
        if subject is Subject.MAIL:
            return "Each user connected with an account of its own."
        if self.load != self.endpoint:
            return f"The users connected as {user}, which may only execute the store's procedures."
        return f"The users connected as {user or 'the account that ran Spindle'}, the target's own account."


@dataclass(frozen=True)
class Preflight:
    """A plan whose every store was found as it should be; ``plan`` now names the size."""

    plan: RunPlan
    stores: Mapping[Target, CheckedStore]

    def found(self, store: Target) -> CheckedStore:
        """One of the stores, whatever its label."""
        return next(each for planned, each in self.stores.items() if planned.with_label("") == store.with_label(""))

    def notices(self) -> list[Notice]:
        """Which stores were not as built."""
        return [
            Notice(
                cause=f"{capitalised(kind_facts(planned.kind).subject.holder)} {planned.database} holds"
                f" {_added(checked.state)} added since the build",
                remedy=Remedy(kind=RemedyKind.RESET_STORE, target=planned.url, workload=checked.state.workload),
            )
            for planned, checked in self.stores.items()
            if not checked.state.is_pristine
        ]


def _added(state: StoreState) -> str:
    """The most important of what runs have added to a store."""
    return listed([f"{whole(count)} {title}" for title, count in state.beyond.items()][:_MOST_ADDED])


def _not_leased(_planned: Target) -> HeldLease:
    return NO_LEASE


def check_plan(
    plan: RunPlan,
    resolve: Resolve,
    timeouts: Timeouts,
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
    lease_of: Callable[[Target], HeldLease] = _not_leased,
    made: MadeStores | None = None,
) -> Preflight:
    """Look at every store of every load; build those that are missing where runs do so, each under its lease.

    ``made`` remembers those that are to be removed at the end. Raises ``UserError`` that names the store and the mend,
    or ``Cancelled``.
    """
    stores: dict[Target, CheckedStore] = {}
    loads = [
        _check_load(load, stores, resolve, timeouts, report_progress, cancelled, lease_of, made) for load in plan.loads
    ]
    return Preflight(plan.with_loads(loads) if plan.is_mixed else loads[0], stores)


def _check_load(
    plan: RunPlan,
    stores: dict[Target, CheckedStore],
    resolve: Resolve,
    timeouts: Timeouts,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
    lease_of: Callable[[Target], HeldLease],
    made: MadeStores | None,
) -> RunPlan:
    """Look at the stores of one load and add them to ``stores``; its plan with their size.

    A store that several loads drive is looked at for each: it must be as each expects it.
    """
    own: dict[Target, CheckedStore] = {}
    for planned in plan.stores():
        endpoint = resolve(planned)
        with errors_as_planned(planned, endpoint, plan.workload):
            if kind_facts(planned.kind).builds_missing:
                store = endpoint.store(timeouts, plan.workload)
                _build_missing(plan, planned, store, lease_of(planned), report_progress, cancelled, made)
            checked = check_store(plan, planned, endpoint, timeouts, report_progress)
            own[planned] = replace(checked, is_made=made is not None and planned in made)
    scales = {checked.state.scale for checked in own.values()}
    if len(scales) > 1:
        found = ", ".join(f"{planned.database}: {checked.state.scale}" for planned, checked in own.items())
        raise UserError(f"The stores differ in size ({found}); one run drives stores of one size.")
    known = {planned.with_label("") for planned in stores}
    stores.update({planned: found for planned, found in own.items() if planned.with_label("") not in known})
    sized = plan.with_scale(find_workload(plan.workload).scale.read(scales.pop()))
    _check_users(sized)
    return sized


def _check_users(plan: RunPlan) -> None:
    """Raises ``UserError`` for a store with more users than it can have, such as one for each mailbox."""
    workload = find_workload(plan.workload)
    if workload.most_users is None:
        return
    most = workload.most_users(plan.scale)
    for target, clients in Counter(client.target.with_label("") for client in plan.client_plans()).items():
        if (users := clients * plan.threads) > most:
            has = workload.scale.in_words(plan.scale)
            raise UserError(
                f"The plan has {users} users on {container_of(target)}, which has {has}; give at most {most} users, or"
                " build more."
            )


def _build_missing(
    plan: RunPlan,
    planned: Target,
    store: Store,
    lease: HeldLease,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
    made: MadeStores | None,
) -> None:
    state = state_or_none(store)
    if state is None or not state.complete:
        scale = str(plan.scale or find_workload(plan.workload).usual_scale)
        report_building = named(report_progress, f"building {planned.database}")
        if made is not None:
            made.begin(planned, plan.workload, scale, store)
        store.build(scale, plan.seed, replace=False, report_progress=report_building, cancelled=cancelled, lease=lease)
        if made is not None and (built := store.state()) is not None:
            made.complete(planned, built)


def check_store(
    plan: RunPlan, planned: Target, endpoint: Endpoint, timeouts: Timeouts, report_progress: ReportProgress
) -> CheckedStore:
    """Look at one store; raises ``UserError`` or ``TargetError`` unless it is whole, writable, of the plan's size."""
    store = endpoint.store(timeouts, plan.workload)
    report_progress(Progress(doing=f"checking {planned.database}", share=0.0))
    state = store.state()
    server = store.server()
    if not server.writable:
        raise UserError(
            f"Host {server.host} accepts no writes: it is a standby",
            remedy=Remedy(kind=RemedyKind.PRIMARY_SERVER, target=planned.url),
        )
    where = f"{capitalised(container_of(planned))} on {place_of(planned, server)}"
    if state is None or not state.complete:
        how, kind = _incomplete(state)
        raise UserError(f"{where} {how}", remedy=Remedy(kind=kind, target=planned.url))
    if plan.scale is not None and str(plan.scale) != state.scale:
        workload = find_workload(plan.workload)
        raise UserError(
            f"{where} holds a {workload.store_of(state.scale)}, and the plan expects one of"
            f" {workload.scale.in_words(plan.scale)}",
            remedy=match_scale(plan, planned, state),
        )
    return CheckedStore(planned, endpoint, _load_endpoint(endpoint, store), server, state)


def match_scale(plan: RunPlan, planned: Target, state: StoreState) -> Remedy:
    """What can be done about a store of another scale than the plan's."""
    scale = find_workload(plan.workload).scale
    there = scale.read(state.scale)
    return Remedy(
        kind=RemedyKind.MATCH_SIZE,
        target=planned.url,
        workload=plan.workload,
        size=_size(scale, there),
        wanted=_size(scale, plan.scale),
        options=scale.options(there),
        wanted_options=scale.options(plan.scale),
    )


def _size(scale: Scale, of: object) -> str:
    """A scale as somebody would type it, or in words where it is typed in several fields."""
    typed = tuple(scale.typed(of).values())
    return typed[0] if len(typed) == 1 else scale.in_words(of)


def _recorded(state: StoreState) -> dict[str, Any]:
    """A store's state as it is stored with a run."""
    return {
        "size": state.scale,
        "seed": state.seed,
        "complete": state.complete,
        **{f"{title.split()[0]}_beyond": count for title, count in state.beyond.items()},
        "as_built_at": state.as_built_at,
        "highest_order": state.high_water,
        "is_reset_interrupted": state.is_reset_interrupted,
    }


def _incomplete(state: StoreState | None) -> tuple[str, RemedyKind]:
    """What a database without a complete store holds, and what is to be done about it."""
    if state is None:
        return "holds no store", RemedyKind.BUILD_STORE
    kind = RemedyKind.FINISH_RESET if state.is_reset_interrupted else RemedyKind.FINISH_STORE
    return f"holds a store {state.incompleteness}", kind


def _load_endpoint(endpoint: Endpoint, store: Store) -> Endpoint:
    """Where the users connect: under the store's account of least privilege, where it has one."""
    account = store.load_account()
    if account is None:
        return endpoint
    user, secret = account
    return Endpoint(endpoint.target.with_user(user), secret, endpoint.timeouts)
