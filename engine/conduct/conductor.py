"""Carries out one plan, from the check of its targets to its record in the library; for the terminal and the window.

To be called in this order: ``reset_changed`` if requested, ``prepare`` (everything that can fail before the start),
``start``, then ``finish`` when the run is over, and ``close`` in any case. The first two take long and may be called on
any thread.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from engine.cluster.starter import AgentStarter
from engine.conduct.endpoint import state_or_none
from engine.conduct.fault_tools import check_faults
from engine.conduct.lab_monitor import LabMonitor
from engine.conduct.lease_conflicts import LeaseConflicts
from engine.conduct.library_entry import LibraryEntry
from engine.conduct.load_machines import check_load_machines
from engine.conduct.machines import ReadMachines, read_machines, with_server_waits
from engine.conduct.made_stores import MadeStores
from engine.conduct.order_account import OrderAccount
from engine.conduct.placed_clients import PlacedClients
from engine.conduct.preflight import Preflight, check_plan
from engine.conduct.run_leases import RunLeases
from engine.conduct.run_parts import RunParts
from engine.conduct.store_counts import StoreCounts
from engine.conduct.targets import Targets
from engine.conduct.volume_probes import VolumeProbes
from engine.databases.lease import Claim
from engine.databases.progress import IsCancelled, ReportProgress, named
from engine.driver.run import Run
from engine.driver.sinks import AllSinks, Sink
from engine.errors import Notice
from engine.faults.planned import PlannedFault
from engine.library.library import Library
from engine.library.rescue import Rescue
from engine.library.run_id import new_run_id
from engine.plan.naming import name_of
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.record.totals import Totals, totals_of_loads
from engine.telemetry.event import EventKind

_STOP_SECONDS = 20.0


class Conductor:
    """One run of ``plan``. ``run`` is there after ``start``.

    ``notify`` gets sentences for the user, and ``warn`` those that must not be overlooked, where that is not the same.

    ``program`` is shown to others who want to use a store of the run. ``name`` is the run's in the library instead of
    the plan's. ``claim`` is that of work that the run is a part of, which may hold the leases already.
    ``agents`` starts the agents of a plan with load machines; without it they are those of the home's cluster.
    ``made`` keeps the stores that runs write for themselves, for several runs; without it they are removed at the end
    of this one.
    ``tick_seconds`` is how long a second of the run lasts: 1, but where a day's run is tried out in less than a day.
    """

    run: Run

    def __init__(
        self,
        plan: RunPlan,
        *,
        library: Library,
        targets: Targets,
        notify: Callable[[str], None],
        warn: Callable[[str], None] | None = None,
        program: str = "command line",
        name: str = "",
        claim: Claim | None = None,
        agents: AgentStarter | None = None,
        made: MadeStores | None = None,
        tick_seconds: float = 1.0,
    ) -> None:
        self.plan = plan
        self._name = name or name_of(plan)
        self._library = library
        self._targets = targets
        self._notify = notify
        self._warn = warn or notify
        self._timeouts = targets.timeouts
        self._tick_seconds = tick_seconds
        self._preflight: Preflight | None = None
        self._machines: ReadMachines | None = None
        self._entry: LibraryEntry | None = None
        self._lab_watch: LabMonitor | None = None
        self._sinks: AllSinks = AllSinks([])
        self._account: OrderAccount | None = None
        self._store_counts: StoreCounts | None = None
        self._placed = PlacedClients(agents, self._warn)
        self._made = made or MadeStores(library.path, notify)
        self._keeps_made = made is not None
        self._volumes = VolumeProbes(plan.storage_probes, targets, self._made, self._warn)
        self._conflicts = LeaseConflicts(self._warn)
        claimed = claim or Claim(purpose=f"run '{self._name}'", program=program)
        self.leases = RunLeases(
            plan, targets.resolve, self._timeouts, claimed, notify=self._notify, on_conflict=self._conflicts.report
        )
        self.run_id = ""

    @property
    def name(self) -> str:
        """What the run is called in the library."""
        return self._name

    def reset_changed(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Take every store that runs have changed back to what was built; what is missing is left to ``prepare``.

        Raises ``UserError`` or ``Cancelled``.
        """
        self._resolve_machines()
        with self._leased():
            for planned in self.plan.stores():
                with self._targets.store(planned, self.plan.workload_of(planned)) as store:
                    state = state_or_none(store)
                    if state is not None and state.needs_reset:
                        store.reset(
                            report_progress=named(report_progress, f"resetting {planned.database}"), cancelled=cancelled
                        )

    def prepare(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Look at every target; afterwards ``plan`` names the size. Raises ``UserError`` or ``Cancelled``."""
        self._resolve_machines()
        with self._leased():
            self._preflight = check_plan(
                self.plan,
                self._targets.resolve,
                self._timeouts,
                report_progress=report_progress,
                cancelled=cancelled,
                lease_of=self.leases.of,
                made=self._made,
            )
            self.plan = self._preflight.plan
            if self.plan.server_waits:
                self._machines = with_server_waits(self._machines or ReadMachines(), self._preflight.stores)
            check_faults(self.plan.faults, self._parts.injection_targets())
            self.leases.watch(self._preflight.stores)
            for checked in self._preflight.stores.values():
                for warning in checked.server.warnings:
                    self._warn(warning)
            self._placed.check(
                self.plan,
                self._targets,
                [checked.load.target for checked in self._preflight.stores.values()],
                report_progress=report_progress,
                cancelled=cancelled,
            )
            self._volumes.measure_before(report_progress=report_progress, cancelled=cancelled)

    def notices(self) -> list[Notice]:
        """What the user should know before the run: which stores were not as built when ``prepare`` looked at them."""
        assert self._preflight is not None, "prepare comes first"
        return self._preflight.notices()

    def start(self, sinks: Sequence[Sink], *, announce: Callable[[str], None] = lambda _: None) -> None:
        """Enter the run in the library and begin; the library is one more sink.

        ``announce`` is called with the run's id before it is in the library. Returns before anything is measured; until
        then it may wait for the library, for a name server and for load machines. Raises ``UserError`` when one of
        these can't be used.
        """
        parts, clients = self._parts, self.plan.client_plans()
        now = datetime.now(UTC)
        run_id = new_run_id(now)
        self._placed.connect(run_id, clients)
        record = RunRecord(
            run_id=run_id,
            plan=self.plan,
            client_labels=tuple(client.label for client in clients),
            state=RunState.PREPARING,
            started_at=now,
            environment=parts.environment(self._placed),
            name=self.name,
            note=self.plan.note,
            tags=self.plan.tags,
        )
        announce(record.run_id)
        self.run_id = record.run_id
        entry = LibraryEntry(self._library, record, notify=self._on_storage_notice, warn=self._warn)
        self._entry = entry
        self._account = OrderAccount(self.plan, self._timeouts)
        self._sinks = AllSinks([entry.writer, *sinks])
        try:
            taking: list[Sink] = [entry.writer, self._account, *sinks]
            if self._preflight is not None:
                self._store_counts = StoreCounts(self._preflight.stores, self._timeouts)
                taking.append(self._store_counts)
            self.run = parts.run(
                record.run_id, self._library.path, taking, self._placed, tick_seconds=self._tick_seconds
            )
        except BaseException:
            entry.abandon()
            raise
        if any(store.nodes > 1 for store in self.plan.stores()):
            self._lab_watch = LabMonitor(self._targets.lab_news, self.run)
            self._lab_watch.start()
        self.run.start()
        self._conflicts.begin(self.run)
        self._volumes.begin(self.run)
        self._placed.begin(self.run)

    def check_fault(self, fault: PlannedFault) -> None:
        """Look whether something that is to be injected while the run goes on can be; raises ``UserError``.

        It may wait for a management controller.
        """
        check_faults((fault,), self._parts.injection_targets())

    @property
    def _parts(self) -> RunParts:
        assert self._preflight is not None, "prepare comes first"
        return RunParts(self._preflight, self._targets, self._timeouts, self._machines or ReadMachines())

    def _resolve_machines(self) -> None:
        """Find how the plan's machines are reached and read, once, before anything is changed anywhere."""
        if self._machines is None:
            check_load_machines(self.plan, self._targets.inventory)
            self._machines = read_machines(
                self.plan.machines, self._targets.inventory, self._targets.secret, notify=self._warn
            )

    @property
    def kept_in(self) -> Library:
        """Where the run is: the library, or the one of its own that took it instead."""
        return self._library if self.rescue is None else self.rescue.library

    @property
    def rescue(self) -> Rescue | None:
        """The library of its own that holds the run, after ``finish``, where the library did not take the run's end."""
        return None if self._entry is None else self._entry.rescue

    def finish(self, *, keeps_leases: bool = False) -> RunRecord:
        """When the run is over: its totals from the samples as they are stored, and its final state.

        With ``keeps_leases`` its stores stay leased until ``close``, for an audit that follows. A library that does
        not take the end of the run costs no result: see ``rescue``.
        """
        assert self._account is not None
        assert self._entry is not None, "start comes first"
        is_kept = False
        try:
            last_sinks = AllSinks([self._sinks, self._account])
            self._placed.finish(self._library.path, last_sinks, self._account.newest_event + 1)
            self._measure_volumes(last_sinks)
            self._check_stores()
            if self._lab_watch is not None:
                self._lab_watch.stop()
            record = self._entry.end(self.run, self._with_measures)
            is_kept = keeps_leases
        finally:
            self._placed.close()
            self._remove_made()
            if not is_kept:
                self.leases.release()
        return record

    def _measures_after(self) -> dict[str, dict[str, str]]:
        """What servers and stores measured by themselves, by target."""
        counts = self._store_counts.measures() if self._store_counts is not None else {}
        measures = self._parts.measures_after()
        return {url: {**counts.get(url, {}), **measures.get(url, {})} for url in {**counts, **measures}}

    def _with_measures(self, totals: Totals) -> Totals:
        """The totals with the measures of the stores that each load drove. It waits for the servers."""
        measures = self._measures_after()
        loads = []
        for load, of in zip(self.plan.loads, totals.loads, strict=True):
            own = {store.url: measures[store.url] for store in load.stores() if store.url in measures}
            loads.append(replace(of, after_run=own) if own else of)
        return totals_of_loads(loads) if measures else totals

    def close(self) -> None:
        """Release the stores; after an error since ``start``, end the run and keep what was measured.

        A run that was kept in memory goes with it.
        """
        try:
            if self._entry is not None and self._entry.is_open:
                self.run.stop_now()
                self.run.wait(_STOP_SECONDS)
                self._volumes.give_up()
                self.finish()
        finally:
            self._placed.close()
            self._remove_made()
            self.leases.release()
            if self.rescue is not None:
                self.rescue.library.close()

    def _measure_volumes(self, sinks: Sink) -> None:
        """Measure the volumes again, unless the run has failed."""
        assert self._account is not None
        if self.run.state in (RunState.COMPLETED, RunState.STOPPED):
            at_seconds = float(self.run.phases.measuring_to or 0)
            self._volumes.write_after(sinks, at_seconds=at_seconds, number=self._account.newest_event + 1)

    def _remove_made(self) -> None:
        """Remove the stores that this run has written, unless they are kept for others."""
        if not self._keeps_made:
            self._made.remove()

    @contextmanager
    def _leased(self) -> Iterator[None]:
        """The stores are leased inside, and stay so unless something goes wrong."""
        try:
            self.leases.take()
            yield
        except BaseException:
            self.leases.release()
            raise

    def _check_stores(self) -> None:
        """Add to the run what others did to its stores, as far as the stores show it."""
        preflight, account = self._preflight, self._account
        assert preflight is not None
        assert account is not None, "start comes first"
        at_seconds = float(self.run.phases.measuring_to or 0)
        found = account.findings(preflight.stores, self.run.state)
        self._conflicts.write_found(found, self._sinks, at_seconds=at_seconds, number=account.newest_event + 1)

    def _on_storage_notice(self, text: str) -> None:
        """Called by the library's writer; the run continues with a warning."""
        self._warn(text)
        self.run.add_event(EventKind.LIBRARY, text)
