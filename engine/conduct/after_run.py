"""The audit of a run that is in the library: after the run and on demand, from the terminal and the window.

It opens connections and reads files, so never from a thread that may not wait.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from engine.analysis.headline import headline_of
from engine.audit.ledger_files import ledger_path
from engine.audit.report import AuditReport, Verdict
from engine.audit.store_audit import StoreBefore
from engine.conduct.auditing import Auditing, DrivenStore, FaultMoment, RunEnd, audit_run
from engine.conduct.endpoint import Resolve
from engine.conduct.leasing import Leases, Notify, StoreLease, place_of
from engine.databases.database import Timeouts
from engine.databases.lease import Claim
from engine.databases.progress import IsCancelled, ReportProgress
from engine.errors import TargetError, UserError
from engine.library.library import Library
from engine.plan.clients import ClientPlan
from engine.record.record import Origin, RunRecord, RunState, split_reference
from engine.record.totals import NO_TOTALS
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.workload.registry import find_workload

_NOTHING = AuditReport(verdict=Verdict.NOTHING, stores=())
"""Of a load that records nothing."""


def _ignored(_sentence: str) -> None:
    """The default: the report is all that the user needs."""


def audit_after_run(
    library: Library,
    run_id: str,
    resolve: Resolve,
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
    timeouts: Timeouts | None = None,
    claim: Claim | None = None,
    notify: Notify = _ignored,
) -> AuditReport:
    """Compare the orders acknowledged to the run's clients with what the servers hold now; store the report in the run.

    ``resolve`` says where a target is, as ``Targets.resolve`` does. The stores are leased for the ``claim`` meanwhile,
    unless they are still leased to the run. Raises ``UserError`` for a run that is not there, goes on or was imported,
    for a store that somebody else uses, and for a run that can't be audited any more; and ``Cancelled``. Both keep what
    an earlier audit found.
    """
    record = library.run(split_reference(run_id)[0])
    if not record.state.is_final:
        raise UserError(f"run '{record.run_id}' is still {record.state.value}; audit it after its end.")
    if record.origin is not Origin.SPINDLE:
        raise UserError(f"run '{record.run_id}' was imported; only runs that Spindle drove have ledgers.")
    events = library.events(record.run_id)
    auditing = Auditing(
        run_id=record.run_id,
        end=run_end(record, events),
        ledger=lambda client: ledger_path(library.path, record.run_id, client),
        resolve=resolve,
        timeouts=timeouts or Timeouts(),
        report_progress=report_progress,
        cancelled=cancelled,
    )
    faults = [FaultMoment(at_seconds=event.at_seconds, label=event.label) for event in events if event.is_fault]
    loads = driven_stores(library, record)
    if not any(loads):
        title = find_workload(record.plan.workload).title
        raise UserError(f"run '{record.run_id}' is of {title}, whose clients record nothing to look for; audit others.")
    with _leased(
        auditing, list({store.planned: store for stores in loads for store in stores}.values()), claim, notify
    ):
        first, *others = [audit_run(auditing, stores, faults) if stores else _NOTHING for stores in loads]
    report = replace(first, further_loads=tuple(others))
    if report.worst_verdict is Verdict.NOT_POSSIBLE:
        _keep_earlier(record, report)
    library.set_audit(record.run_id, report.to_dict())
    return report


def _keep_earlier(record: RunRecord, report: AuditReport) -> None:
    """Raises ``UserError`` when the run has the result of an audit that was possible, where this one was not."""
    earlier = None if record.audit is None else AuditReport.from_dict(record.audit)
    if earlier is None or earlier.worst_verdict is Verdict.NOT_POSSIBLE:
        return
    stores = (store for load in report.loads for store in load.stores if store.verdict is Verdict.NOT_POSSIBLE)
    why = " ".join(f"{store.database}: {store.notes[-1]}" for store in stores)
    raise UserError(f"{why} The result of the audit at {earlier.audited_at} is kept.")


@contextmanager
def _leased(auditing: Auditing, stores: Sequence[DrivenStore], claim: Claim | None, notify: Notify) -> Iterator[None]:
    """The stores that can be reached are leased inside; of the others, the audit itself says why it is not possible."""
    leases: list[StoreLease] = []
    try:
        for store in stores if claim is not None else ():
            assert claim is not None
            with suppress(TargetError):
                lease = StoreLease(
                    auditing.resolve(store.planned).store(auditing.timeouts, store.workload),
                    claim,
                    place_of(store.planned),
                    notify=notify,
                )
                lease.take_if_there()
                leases.append(lease)
        yield
    finally:
        Leases(leases).release()


def driven_stores(library: Library, record: RunRecord) -> list[list[DrivenStore]]:
    """The stores of each load of a run, each store with all of its clients, its recorded state, and where later runs on
    it began; none of a load that records nothing."""
    plan = record.plan
    clients: dict[Target, list[ClientPlan]] = {}
    for client in plan.client_plans():
        clients.setdefault(client.target.with_label(""), []).append(client)
    later = [run for run in library.runs(started_from=record.started_at) if run.run_id != record.run_id]

    def driven(planned: Target, workload: str) -> DrivenStore:
        before = _before(record, planned)
        followers = [_before(run, planned) for run in later]
        begins = [
            each.high_water
            for each in followers
            if each is not None and before is not None and each.as_built_at == before.as_built_at
        ]
        return DrivenStore(
            planned=planned,
            workload=workload,
            clients={client.number: client.label for client in clients[planned]},
            users=max(plan.loads[client.load].threads for client in clients[planned]),
            before=before,
            unknown_to=min(begins, default=None),
        )

    return [
        [driven(store.with_label(""), load.workload) for store in load.stores()]
        if find_workload(load.workload).user is not None
        else []
        for load in plan.loads
    ]


def run_end(record: RunRecord, events: Iterable[RunEvent]) -> RunEnd:
    """How the run ended, as far as it explains ledgers that end early."""
    loads = (record.totals or NO_TOTALS).loads
    counts = [
        (headline_of(each.workload).transaction.plural, each.since_start or {}) for each in loads if each.workload
    ]
    return RunEnd(
        lost=frozenset(
            event.client for event in events if event.kind is EventKind.CLIENT_LOST and event.client is not None
        ),
        not_fetched={
            event.client: event.detail
            for event in events
            if event.code is EventCode.LEDGER_NOT_FETCHED and event.client is not None
        },
        is_interrupted=record.state is RunState.INTERRUPTED,
        is_stopped=record.state is RunState.STOPPED,
        has_ordered=not counts or any(since.get(plural) != 0 or since.get("in_doubt") != 0 for plural, since in counts),
    )


def _before(record: RunRecord, planned: Target) -> StoreBefore | None:
    """The state of a store that a run recorded at its start; ``None`` if there is none, or it did not drive it."""
    for server in record.environment.get("servers") or ():
        store = server.get("store") or {}
        if server.get("target") == planned.url and store.get("as_built_at"):
            beyond = any(count for name, count in store.items() if name.endswith("_beyond"))
            return StoreBefore(
                as_built_at=store["as_built_at"], high_water=store["highest_order"], is_pristine=not beyond
            )
    return None
