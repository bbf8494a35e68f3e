"""The leases of one run's stores: taken before anything is changed, held until its figures and its audit are stored.

Called by the conductor.
"""

from collections.abc import Mapping

from engine.conduct.endpoint import Resolve
from engine.conduct.leasing import Leases, Notify, OnConflict, StoreLease, place_of
from engine.conduct.preflight import CheckedStore
from engine.databases.database import Timeouts
from engine.databases.lease import NO_LEASE, Claim, HeldLease
from engine.errors import Remedy, TargetError, UserError
from engine.plan.plan import RunPlan
from engine.target.target import Target


class RunLeases:
    """``notify`` gets what the user should know; ``on_conflict``, on any thread, what others did to a store that is
    leased to the run.
    """

    def __init__(
        self,
        plan: RunPlan,
        resolve: Resolve,
        timeouts: Timeouts,
        claim: Claim,
        *,
        notify: Notify,
        on_conflict: OnConflict,
    ) -> None:
        self._plan = plan
        self._resolve = resolve
        self._timeouts = timeouts
        self._claim = claim
        self._notify = notify
        self._on_conflict = on_conflict
        self._leases: dict[Target, StoreLease] = {}

    def take(self) -> None:
        """Take the leases of all stores that are there, or none; when they are held already, nothing happens.

        Raises ``UserError``, naming the holder, if a store is in use.
        """
        if self._leases:
            return
        leases = {planned: self._lease(planned) for planned in self._plan.stores()}
        try:
            Leases(list(leases.values())).take()
        except TargetError as error:
            raise UserError(error.cause, remedy=error.remedy and self._of_workload(error.remedy)) from error
        self._leases = leases

    def _of_workload(self, remedy: Remedy) -> Remedy:
        """The remedy for a store of the workload that drives it; where it names no store, of the first one's."""
        plan = self._plan
        store = next((store for store in plan.stores() if store.url == remedy.target), plan.stores()[0])
        return remedy.of(plan.workload_of(store))

    def of(self, planned: Target) -> HeldLease:
        """The lease of a store, for a build that has to make it first."""
        return self._leases.get(planned, NO_LEASE)

    def watch(self, stores: Mapping[Target, CheckedStore]) -> None:
        """Report from now on when one of the stores is not the one any more that was found."""
        for planned, checked in stores.items():
            lease = self._leases.get(planned)
            if lease is not None:
                lease.watch(checked.state.as_built_at)

    def release(self) -> None:
        """Let them go. May be called more than once."""
        leases, self._leases = self._leases, {}
        Leases(list(leases.values())).release()

    def _lease(self, planned: Target) -> StoreLease:
        store = self._resolve(planned).store(self._timeouts, self._plan.workload_of(planned))
        return StoreLease(store, self._claim, place_of(planned), notify=self._notify, on_conflict=self._on_conflict)
