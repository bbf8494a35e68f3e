"""Building, resetting and dropping stores for the terminal and the window, under their leases.

However the work ends, the result describes what the database holds afterwards.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from engine.conduct.endpoint import Endpoint, Resolve, container_of, errors_as_planned, state_or_none
from engine.conduct.leasing import Leases, Notify, StoreLease, place_of
from engine.databases.database import BuildReport, Store, StoreState
from engine.databases.lease import Claim
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.replacing import Replacement
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.figure_text import capitalised, counted, listed
from engine.target.store_layout import StoreLayout
from engine.target.target import MSSQL, Target
from engine.workload.registry import find_workload
from engine.workload.workload import Workload

Around = Callable[[Target], AbstractContextManager[tuple[ReportProgress, IsCancelled]]]
"""The context of the work on one store: its progress callback, and whether it is cancelled."""


@dataclass(frozen=True, kw_only=True)
class PlannedReplacement:
    """A complete store of a workload that a build would replace: where it is planned, and how it would make way."""

    planned: Target
    workload: Workload
    replacement: Replacement

    @property
    def sentence(self) -> str:
        """What is there, and what becomes of it."""
        found = f"{self.workload.holds} a {self.workload.store_of(self.replacement.scale)}"
        there = f"{capitalised(place_of(self.planned))} {found}."
        if not self.replacement.must_delete_first:
            return f"{there} The new one is built beside it, and takes its place when it is complete."
        return f"{there} {capitalised(self.replacement.obstacle)}."


@dataclass(frozen=True)
class _Leased:
    """One store under its lease: as planned, where it is, and the store itself."""

    planned: Target
    endpoint: Endpoint
    store: Store
    lease: StoreLease


@dataclass(frozen=True)
class _Step:
    """The work on one store, with its progress callback, and whether it is cancelled."""

    at: _Leased
    report_progress: ReportProgress
    cancelled: IsCancelled


class StoreWork:
    """Work on some stores of a workload, one after the other, all of which are leased for as long as it takes.

    Everything raises ``UserError`` that names the store and the mend; what was cancelled raises ``Cancelled`` with a
    sentence that says what they hold now. ``breaks_lease`` takes the leases over from their holders.
    """

    def __init__(
        self,
        resolve: Resolve,
        stores: Sequence[Target],
        workload: str,
        claim: Claim,
        *,
        notify: Notify,
        breaks_lease: bool = False,
    ) -> None:
        self._resolve = resolve
        self._planned = stores
        self._workload = workload
        self._of = find_workload(workload)
        self._claim = claim
        self._notify = notify
        self._breaks_lease = breaks_lease
        self._done: list[str] = []

    def replacements(self, scale: str) -> list[PlannedReplacement]:
        """The complete stores that a build of this scale would replace, and how. Changes nothing."""
        found = []
        for planned in self._planned:
            endpoint = self._resolve(planned)
            store = endpoint.store(endpoint.timeouts, self._workload)
            with errors_as_planned(planned, endpoint, self._workload):
                replacement = store.replacement(scale) if state_or_none(store) is not None else None
            if replacement is not None:
                found.append(PlannedReplacement(planned=planned, workload=self._of, replacement=replacement))
        return found

    def build(
        self,
        scale: str,
        seed: int,
        *,
        around: Around,
        done: Callable[[Target, BuildReport], None],
        replace: bool,
        delete_first: Collection[Target] = (),
        layout: StoreLayout | None = None,
    ) -> None:
        """Build all stores; ``layout`` is for those of SQL Server. A complete one makes way with ``replace``."""

        def build(step: _Step) -> None:
            planned = step.at.planned
            report = step.at.store.build(
                scale,
                seed,
                replace=replace,
                report_progress=step.report_progress,
                cancelled=step.cancelled,
                layout=layout if planned.kind == MSSQL else None,
                delete_first=planned in delete_first,
                lease=step.at.lease,
            )
            done(planned, report)

        self._each(build, around)

    def reset(self, *, around: Around, done: Callable[[Target], None]) -> None:
        """Take all stores back to what was built."""

        def reset(step: _Step) -> None:
            step.at.store.reset(report_progress=step.report_progress, cancelled=step.cancelled)
            done(step.at.planned)

        self._each(reset, around)

    def drop(self, *, done: Callable[[str], None]) -> None:
        """Remove all stores; ``done`` is called with what was removed."""
        with self._leased() as stores:
            for at in stores:
                with errors_as_planned(at.planned, at.endpoint, self._workload):
                    done(at.store.drop(lease=at.lease))

    def _each(self, do: Callable[[_Step], None], around: Around) -> None:
        with self._leased() as stores:
            for at in stores:
                with (
                    around(at.planned) as (report_progress, cancelled),
                    self._last_word(at, report_progress) as listening,
                ):
                    do(_Step(at, listening, cancelled))
                self._done.append(at.planned.database)

    @contextmanager
    def _leased(self) -> Iterator[list[_Leased]]:
        stores = [self._leased_at(planned, self._resolve(planned)) for planned in self._planned]
        leases = Leases([at.lease for at in stores])
        try:
            leases.take()
        except TargetError as error:
            raise UserError(error.cause, remedy=error.remedy and error.remedy.of(self._workload)) from error
        try:
            yield stores
        finally:
            leases.release()

    def _leased_at(self, planned: Target, endpoint: Endpoint) -> _Leased:
        store, where = endpoint.store(endpoint.timeouts, self._workload), place_of(planned)
        lease = StoreLease(
            store,
            self._claim,
            where,
            notify=self._notify,
            on_conflict=lambda conflict: self._notify(
                f"{capitalised(conflict.text)}{f': {conflict.who}' if conflict.who else ''}."
            ),
            breaks=self._breaks_lease,
        )
        return _Leased(planned, endpoint, store, lease)

    @contextmanager
    def _last_word(self, at: _Leased, report_progress: ReportProgress) -> Iterator[ReportProgress]:
        """Work that is cancelled or fails ends with what the database holds then."""
        has_begun = False

        def listening(step: Progress) -> None:
            nonlocal has_begun
            has_begun = has_begun or step.share > 0
            report_progress(step)

        with errors_as_planned(at.planned, at.endpoint, self._workload):
            before = state_or_none(at.store)
        try:
            with errors_as_planned(at.planned, at.endpoint, self._workload):
                yield listening
        except Cancelled:
            _, left = _left_of(at, before, self._of)
            raise Cancelled(f"Cancelled; {left}{self._others()}.") from None
        except UserError as error:
            is_changed, left = _left_of(at, before, self._of)
            if not (has_begun or is_changed):
                raise
            end = "" if error.remedy is not None else "."
            text = f"{error.cause.rstrip('.')}. {capitalised(left)}{self._others()}{end}"
            raise UserError(text, remedy=error.remedy) from error

    def _others(self) -> str:
        """What became of the other stores, as the end of a sentence."""
        waiting = len(self._planned) - len(self._done) - 1
        done = f"; done before: {listed(self._done)}" if self._done else ""
        return done + (f"; not begun: {counted(waiting, *self._of.wording.stores)}" if waiting > 0 else "")


def _left_of(at: _Leased, before: StoreState | None, workload: Workload) -> tuple[bool, str]:
    """What a database holds after work that did not come to its end: whether that has changed, and as a clause."""
    name, one, holds = container_of(at.planned), workload.wording.stores[0], workload.holds
    try:
        now = at.store.state()
    except (TargetError, UserError) as error:
        if not (isinstance(error, TargetError) and error.error_class is ErrorClass.MISSING_DATABASE):
            return False, f"what {name} holds now can't be seen ({error.cause.rstrip('.')})"
        now, empty = None, f"{name} does not exist"
    else:
        empty = f"{name} is not built" if workload.subject.is_store_itself else f"{name} holds no {one}"
    if now is None:
        was_deleted = before is not None and before.complete
        return before is not None, f"the earlier {one} was deleted before, {empty}" if was_deleted else empty
    if not now.complete:
        return before is None or before.complete, f"{name} {holds} a {one} {now.incompleteness}"
    store = find_workload(now.workload).store_of(now.scale)
    if before is not None and (before.complete, before.as_built_at) == (True, now.as_built_at):
        still = f"is still the {store}" if workload.subject.is_store_itself else f"still holds its {store}"
        return False, f"{name} {still}"
    return True, f"{name} {holds} a {store}{', as built' if now.is_pristine else ''}"
