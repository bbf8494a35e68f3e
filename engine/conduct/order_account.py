"""Checks after a run whether its stores hold as many orders as it can have placed, to detect changes by others.

Used by the conductor; as a sink of the run it counts what each client can have placed.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.headline import headline_of
from engine.conduct.leasing import LeaseConflict, place_of, store_rebuilt, store_removed
from engine.conduct.preflight import CheckedStore
from engine.databases.database import Timeouts
from engine.databases.lease import OpenLease
from engine.driver.sinks import Sink
from engine.errors import TargetError, UserError
from engine.figure_text import counted
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.target.target import Host, Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workload.registry import find_workload

_LOOK_SECONDS = 10.0
_COUNT_SECONDS = 60.0
# How many seconds of its orders a client may not have reported when it was lost, or was not waited for.
_UNREPORTED_SECONDS = 10
_log = logging.getLogger(__name__)


@dataclass
class _Account:
    """What a client reported: orders that it may have placed, acknowledged or in doubt, and those rolled back.

    ``recorded`` are the transactions that place an order; with ``includes_rollbacks`` also those that rolled it back.
    It has so many users, or ``threads``.
    """

    recorded: tuple[str, ...]
    includes_rollbacks: bool
    threads: int
    placed: int = 0
    rolled_back: int = 0
    most_in_a_second: int = 0
    is_whole: bool = True

    def add(self, sample: Sample) -> None:
        placed = sum(sample.of(each).n for each in self.recorded)
        self.placed += placed + sample.in_doubt - (sample.rollbacks if self.includes_rollbacks else 0)
        self.rolled_back += sample.rollbacks
        self.most_in_a_second = max(self.most_in_a_second, placed)


def _account_of(load: RunPlan) -> _Account:
    """That of a client of a load."""
    metric = headline_of(load.workload).metric
    recorded = find_workload(load.workload).recorded or (metric.counts,)
    return _Account(recorded, metric.includes_rollbacks, load.threads)


class OrderAccount(Sink):
    """A ``Sink`` that counts; when the run is over, ``findings`` compares the counts with the stores.

    ``newest_event`` is the highest number of an event so far.
    """

    def __init__(self, plan: RunPlan, timeouts: Timeouts) -> None:
        self._clients = plan.client_plans()
        self._timeouts = timeouts
        self._accounts = {client.number: _account_of(plan.loads[client.load]) for client in self._clients}
        self.newest_event = 0
        self._reported: set[tuple[EventCode, str]] = set()

    def write_sample(self, sample: Sample) -> None:
        self._accounts[sample.client].add(sample)

    def write_event(self, event: RunEvent) -> None:
        self.newest_event = max(self.newest_event, event.number)
        if event.kind is EventKind.STORE:
            self._reported.add((event.code, event.data["place"]))
        if event.client is not None and event.kind in (EventKind.CLIENT_LOST, EventKind.CLIENT_FAILED):
            self._accounts[event.client].is_whole = False

    def findings(self, stores: Mapping[Target, CheckedStore], state: RunState) -> list[LeaseConflict]:
        """What others did to the stores; one that can't be inspected is left out.

        Waits for the servers, but not for ever.
        """
        found: list[LeaseConflict] = []
        unreachable: set[tuple[Host, ...]] = set()
        for planned, checked in stores.items():
            hosts = checked.endpoint.target.hosts
            if hosts in unreachable:
                continue
            try:
                table = checked.endpoint.store(self._timeouts, checked.state.workload).open_lease()
            except (TargetError, UserError):
                unreachable.add(hosts)
                continue
            if table is None:
                continue
            try:
                found += filter(None, [self._finding(table, planned, checked, state)])
            except TargetError as error:
                _log.info("the orders of %s were not counted: %s", place_of(planned), error)
            finally:
                table.close()
        return found

    def _finding(
        self, table: OpenLease, planned: Target, checked: CheckedStore, state: RunState
    ) -> LeaseConflict | None:
        mine = [client.number for client in self._clients if client.target.with_label("") == planned.with_label("")]
        accounts, before = [self._accounts[number] for number in mine], checked.state
        placed, place = sum(account.placed for account in accounts), place_of(planned)
        with table.in_time(_LOOK_SECONDS):
            identity = table.identity()
        if identity is None:
            return self._news(store_removed(place))
        if identity[0] != before.as_built_at:
            return self._news(store_rebuilt(place))
        ids = identity[1] - before.high_water
        if ids <= placed + sum(account.rolled_back for account in accounts):
            return None  # each order takes an id, also one that is rolled back
        with table.in_time(_COUNT_SECONDS):
            found = table.added_above(before.high_water)
        if found <= placed + self._unreported_orders(accounts, state):
            return None
        headline = headline_of(before.workload)
        foreign = counted(found - placed, headline.one, headline.many)
        text = f"{place} holds {foreign} that this run did not place"
        return LeaseConflict(EventCode.STORE_FOREIGN_ORDERS, place, text)

    def _news(self, conflict: LeaseConflict) -> LeaseConflict | None:
        """The conflict, unless the lease has reported it during the run."""
        return None if (conflict.code, conflict.place) in self._reported else conflict

    def _unreported_orders(self, accounts: Sequence[_Account], state: RunState) -> int:
        """How many orders no sample may have counted: one of each user, and the last ones of a lost client."""
        unreported = sum(account.threads for account in accounts)
        for account in accounts:
            if state is not RunState.COMPLETED or not account.is_whole:
                unreported += _UNREPORTED_SECONDS * account.most_in_a_second
        return unreported
