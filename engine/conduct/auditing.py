"""The audit of a run: its stores one by one, and what was lost at each of its faults.

Called by ``engine.conduct.after_run``, which knows the library; this file knows ledgers and servers only.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.analysis.headline import headline_of
from engine.audit.comparing import EarlyEnd
from engine.audit.keyed_audit import compare_by_key
from engine.audit.ledger import End
from engine.audit.ledger_reading import LedgerContent, UnreadableLedger, read_ledger
from engine.audit.message_audit import compare_messages, require_same_mailboxes, runs_of
from engine.audit.report import STOP_NOW, AuditReport, Consistency, FaultLoss, OrderCounts, StoreAudit, Verdict, worst
from engine.audit.store_audit import NotPossible, StoreBefore, StoreFindings, compare_by_number, counts_of, examples_of
from engine.conduct.endpoint import Endpoint, Resolve, errors_as_planned
from engine.databases import database_of
from engine.databases.database import Timeouts
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import TargetError, UserError
from engine.figure_text import capitalised
from engine.services.mail.system import MailServer
from engine.target.target import Target
from engine.workload.registry import DVD_STORE
from engine.workloads.bindings import store_of
from engine.workloads.systems import system_of

Seconds = npt.NDArray[np.float64]
_NOTHING: Seconds = np.empty(0)
_LAG_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class DrivenStore:
    """A store that a run drove: as planned, the id of its workload, the labels of its clients by number, how many users
    each had, what was noted of it at the start (``None``: nothing, by an older Spindle), and its high water when
    the next run on it began (``None``: there was none)."""

    planned: Target
    workload: str
    clients: Mapping[int, str]
    users: int
    before: StoreBefore | None
    unknown_to: int | None = None


@dataclass(frozen=True, kw_only=True)
class FaultMoment:
    """A fault of the run, in seconds since its epoch."""

    at_seconds: float
    label: str


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """How a run ended, as far as it explains ledgers that end early: the clients that were ``lost`` in its course,
    whether Spindle itself was (``is_interrupted``), whether the user stopped it (``is_stopped``); ``has_ordered`` is
    false when it is known that no purchase was ever made. ``not_fetched`` says of clients whose ledgers could not be
    fetched from their load machine why, as a clause."""

    lost: frozenset[int] = frozenset()
    not_fetched: Mapping[int, str] = field(default_factory=dict)
    is_interrupted: bool = False
    is_stopped: bool = False
    has_ordered: bool = True


class _NotRecorded(NotPossible):
    """The run's ledgers are empty whatever it did."""


@dataclass(frozen=True, kw_only=True)
class Auditing:
    """What the audit of a run needs: how it ended, where a client's ledger is, where a target is, and how long to wait
    for it."""

    run_id: str
    ledger: Callable[[int], Path]
    resolve: Resolve
    timeouts: Timeouts
    report_progress: ReportProgress
    cancelled: IsCancelled
    end: RunEnd = RunEnd()


def audit_run(auditing: Auditing, stores: Sequence[DrivenStore], faults: Sequence[FaultMoment]) -> AuditReport:
    """Audit all stores of a run; for one that can't be audited the report says why. Raises ``Cancelled``."""
    began = time.monotonic()
    audits, gone = [], []
    for number, store in enumerate(stores):
        audit, gone_seconds = _audit_store(_part_of(auditing, number, len(stores), store), store)
        audits.append(audit)
        gone.append(gone_seconds)
    auditing.report_progress(Progress(doing="audited", share=1.0))
    return AuditReport(
        verdict=worst(audit.verdict for audit in audits),
        stores=tuple(audits),
        faults=losses_at(faults, np.concatenate([_NOTHING, *gone])),
        audited_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 2),
    )


def losses_at(faults: Sequence[FaultMoment], gone_seconds: Seconds) -> tuple[FaultLoss, ...]:
    """What was lost at each fault, from the moments at which the orders that are gone had been acknowledged.

    An order counts for the fault that follows within ``_LAG_SECONDS``, else for the nearest in time: an asynchronous
    copy loses what came shortly before the server's end, perhaps after an earlier fault that made it lag, and a server
    that lives on unseen loses what came shortly after.
    """
    if not faults:
        return ()
    distances = np.array([fault.at_seconds for fault in faults]) - gone_seconds[:, None]
    follows = np.where((distances >= 0) & (distances <= _LAG_SECONDS), distances, np.inf)
    is_followed = np.isfinite(follows).any(axis=1)
    charged = np.where(is_followed, follows.argmin(axis=1), np.abs(distances).argmin(axis=1))
    losses = []
    for number, fault in enumerate(faults):
        mine = gone_seconds[charged == number]
        age = max(0.0, fault.at_seconds - float(mine.min())) if len(mine) else 0.0
        losses.append(
            FaultLoss(at_seconds=fault.at_seconds, label=fault.label, gone=len(mine), oldest_age_seconds=round(age, 3))
        )
    return tuple(losses)


def _part_of(auditing: Auditing, number: int, stores: int, store: DrivenStore) -> Auditing:
    """The same for one of the stores, whose progress is a part of the whole."""

    def report_progress(step: Progress) -> None:
        doing = f"{store.planned.database}: {step.doing}"
        auditing.report_progress(Progress(doing=doing, share=(number + step.share) / stores))

    return replace(auditing, report_progress=report_progress)


def _audit_store(auditing: Auditing, store: DrivenStore) -> tuple[StoreAudit, Seconds]:
    """The audit of a store, and when what is gone had been acknowledged, in seconds since the epoch."""
    ledgers, notes = _read_ledgers(auditing, store)
    ends = [end for ledger in ledgers if (end := _early_end(auditing.end, store, ledger)) is not None]
    try:
        found = _compare(auditing, store, ledgers, ends)
    except (NotPossible, TargetError, UserError) as error:
        if not isinstance(error, _NotRecorded) and _has_nothing(auditing.end, store, ledgers):
            return _store_audit(store, Verdict.NOTHING, notes=()), _NOTHING
        reason = f"It could not be audited: {str(error).rstrip('.')}."
        return _store_audit(store, Verdict.NOT_POSSIBLE, notes=(*notes, reason)), _NOTHING
    counts = counts_of(found.findings)
    many = headline_of(store.workload).recorded.many
    if counts.unknown and store.before is not None and not store.before.is_pristine:
        notes.append("The store was not as built when the run began: other programs may have written to it.")
    if found.findings.others:
        notes.append(
            f"The ids of {found.findings.others:,} of the {many} that were not acknowledged are not known: the store"
            f" also holds {many} of other runs, and only how many were added during this one shows them."
        )
    if store.unknown_to is not None and found.place_of is None:
        notes.append(f"{capitalised(many)} above {store.unknown_to:,} are of later runs and were not checked.")
    elif store.unknown_to is not None:
        notes.append(f"The {many} of later runs were not checked.")
    audit = _store_audit(
        store,
        _verdict(counts, found.consistency, ledgers, ends, clients=len(store.clients)),
        counts=counts,
        found=found,
        notes=tuple(notes),
    )
    gone = [found.findings.lost["moment_ms"], found.findings.replaced["moment_ms"]]
    return audit, np.concatenate(gone) / 1000


def _store_audit(
    store: DrivenStore,
    verdict: Verdict,
    *,
    counts: OrderCounts | None = None,
    found: StoreFindings | None = None,
    notes: tuple[str, ...],
) -> StoreAudit:
    return StoreAudit(
        target=store.planned.url,
        database=store.planned.database,
        verdict=verdict,
        counts=counts or OrderCounts(),
        examples={} if found is None else examples_of(found.findings, found.place_of),
        consistency=() if found is None else found.consistency,
        notes=notes,
        cut_off_by={} if found is None else found.findings.cut_off_by,
    )


def _compare(
    auditing: Auditing, store: DrivenStore, ledgers: Sequence[LedgerContent], ends: Sequence[EarlyEnd]
) -> StoreFindings:
    if not ledgers:
        raise NotPossible("the run has no ledger")
    if store.before is None:
        raise NotPossible(
            f"the run did not record which {headline_of(store.workload).recorded.many} existed when it began"
        )
    endpoint: Endpoint = auditing.resolve(store.planned)
    system = system_of(endpoint.target.kind)
    if isinstance(system, MailServer):
        return _compare_messages(auditing, store, store.before, system, endpoint, ledgers, ends)
    database = database_of(endpoint.target.kind)
    definition = store_of(store.workload, endpoint.target.kind)
    with (
        errors_as_planned(store.planned, endpoint, store.workload),
        database.snapshot(
            endpoint.target, endpoint.secret, auditing.timeouts, definition, auditing.cancelled
        ) as snapshot,
    ):
        if definition.auditor is not None:
            return compare_by_number(
                definition.auditor(snapshot, definition.script),
                snapshot.identity(),
                store.before,
                ledgers,
                ends=ends,
                unknown_to=store.unknown_to,
                report_progress=auditing.report_progress,
                cancelled=auditing.cancelled,
            )
        if definition.recorded is None and store.workload != DVD_STORE:
            raise _NotRecorded(f"workload '{store.workload}' records no transactions in the ledger")
        if definition.recorded is not None:
            return compare_by_key(
                snapshot,
                definition,
                definition.recorded,
                store.before,
                ledgers,
                ends=ends,
                later=store.unknown_to,
                report_progress=auditing.report_progress,
                cancelled=auditing.cancelled,
            )
        raise NotPossible(f"the workload {store.workload} does not say what is recorded in a store")


def _compare_messages(
    auditing: Auditing,
    store: DrivenStore,
    before: StoreBefore,
    system: MailServer,
    endpoint: Endpoint,
    ledgers: Sequence[LedgerContent],
    ends: Sequence[EarlyEnd],
) -> StoreFindings:
    definition = store_of(store.workload, endpoint.target.kind)
    with errors_as_planned(store.planned, endpoint, store.workload):
        mailboxes = system.store(endpoint.target, endpoint.secret, auditing.timeouts, definition)
        require_same_mailboxes(mailboxes.identity(), before)
        copies = mailboxes.copies(
            runs_of(ledgers), report_progress=auditing.report_progress, cancelled=auditing.cancelled
        )
    return compare_messages(copies, ledgers, ends, lambda key: f"sent by {mailboxes.address(key - 1)}")


def _read_ledgers(auditing: Auditing, store: DrivenStore) -> tuple[list[LedgerContent], list[str]]:
    """The readable ledgers, and sentences about the others and about those that end unexpectedly."""
    ledgers, notes = [], []
    many = headline_of(store.workload).recorded.many
    for client, label in store.clients.items():
        try:
            content = read_ledger(auditing.ledger(client), auditing.run_id, client)
        except UnreadableLedger as reason:
            why = auditing.end.not_fetched.get(client, reason)
            notes.append(f"The ledger of client {label} is missing ({why}): its {many} count as unknown.")
            continue
        ledgers.append(content)
        if content.torn:
            notes.append(
                f"The ledger of client {label} holds {content.torn:,} records that can't be read: their {many} count"
                " as unknown."
            )
        if not content.is_complete and not _cause(auditing.end, store, content):
            notes.append(
                f"The ledger of client {label} ends early, after {content.last_moment_ms / 1000:.1f} s: what was"
                " acknowledged to it later counts as unknown."
            )
    return ledgers, notes


def _cause(run: RunEnd, store: DrivenStore, ledger: LedgerContent) -> str:
    """What cut a client off whose ledger ends early; empty when that is not known."""
    client = f"client {store.clients[ledger.client]}"
    if ledger.client in run.lost:
        return f"the end of {client} after {ledger.last_moment_ms / 1000:.1f} s"
    if ledger.end is End.HUNG:
        return f"calls of {client} that hung at the end"
    if run.is_interrupted:
        return "the end of Spindle"
    return STOP_NOW if ledger.end is End.CUT or run.is_stopped else ""


def _early_end(run: RunEnd, store: DrivenStore, ledger: LedgerContent) -> EarlyEnd | None:
    """What may be missing in a ledger that ends early: an order of each user, and, of a client that was killed with
    orders still in its memory, those of two seconds."""
    cause = "" if ledger.is_complete else _cause(run, store, ledger)
    if not cause:
        return None
    in_memory = 0
    if ledger.end is None and not ledger.has_room and len(ledger.acknowledged):
        moments = ledger.acknowledged["moment_ms"]
        in_memory = 2 * int(np.count_nonzero(moments + 1_000 > moments[-1]))
    return EarlyEnd(cause=cause, moment_ms=ledger.last_moment_ms, most=store.users + in_memory)


def _has_nothing(run: RunEnd, store: DrivenStore, ledgers: Sequence[LedgerContent]) -> bool:
    """Whether it is known that no order was acknowledged or is in doubt."""
    if not ledgers:
        return not run.has_ordered
    is_empty = not any(len(ledger.acknowledged) or len(ledger.in_doubt) or ledger.torn for ledger in ledgers)
    return is_empty and len(ledgers) == len(store.clients)


def _verdict(
    counts: OrderCounts,
    consistency: Sequence[Consistency],
    ledgers: Sequence[LedgerContent],
    ends: Sequence[EarlyEnd],
    *,
    clients: int,
) -> Verdict:
    if counts.gone:
        return Verdict.LOST
    if len(ledgers) < clients:
        return Verdict.INCOMPLETE
    is_explained = sum(ledger.is_complete for ledger in ledgers) + len(ends) == clients
    if counts.unknown or not is_explained or any(each.wrong for each in consistency):
        return Verdict.SUSPICIOUS
    if not counts.acknowledged:
        return Verdict.NOTHING
    return Verdict.CUT_OFF if ends else Verdict.CLEAN
