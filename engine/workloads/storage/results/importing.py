"""Makes a run for the library of a result that SQLIO, diskspd or fio has printed."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.record import Origin, Phases, RunRecord, RunState
from engine.record.totals import ClientTotals, Totals, TransactionTotals
from engine.target.target import STORAGE as STORAGE_TARGET
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from engine.workload.registry import STORAGE
from engine.workloads.driver_files import ImportedRun
from engine.workloads.storage.results.diskspd_text import is_diskspd_text, read_diskspd_text
from engine.workloads.storage.results.diskspd_xml import is_diskspd_xml, read_diskspd_xml
from engine.workloads.storage.results.fio import is_fio, read_fio
from engine.workloads.storage.results.result import StorageResult
from engine.workloads.storage.results.sqlio import is_sqlio, read_sqlio
from engine.workloads.storage.transactions import IO, READ, WRITE

_KB, _MINUTE = 1024, 60
_READERS = (
    (is_fio, read_fio),
    (is_diskspd_xml, read_diskspd_xml),
    (is_diskspd_text, read_diskspd_text),
    (is_sqlio, read_sqlio),
)
_MOST_OF_AN_ERROR = 120
_MOST_APART = 0.05
"""How far the I/Os by second may be from all I/Os, as a share, to be of the same time."""


def is_storage_result(text: str) -> bool:
    """Whether a file holds what one of the programs prints."""
    return any(is_its(text) for is_its, _ in _READERS)


def read_storage_result(
    text: str, *, source: str, started_at: datetime, new_run_id: Callable[[datetime], str]
) -> ImportedRun:
    """The run in what a program has printed; it ended at ``started_at`` (UTC), the time of the file.

    What the program does not print is unknown; what has to be known to compare the result is a warning of the run.
    Raises ``BadInput``, naming ``source``.
    """
    read = next((read for is_its, read in _READERS if is_its(text)), None)
    if read is None:
        raise BadInput(f"{source} holds no result of SQLIO, diskspd or fio; give all that the program printed.")
    try:
        return _imported(read(text, source), source, started_at, new_run_id)
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())[:_MOST_OF_AN_ERROR]
        raise BadInput(f"{source} can't be read ({why}); give what the program printed, unchanged.") from error


def _imported(
    result: StorageResult, source: str, started_at: datetime, new_run_id: Callable[[datetime], str]
) -> ImportedRun:
    if result.seconds <= 0:
        raise BadInput(f"{source} is of a test of 0 s, which has no result a second; give one that ran.")
    seconds = max(1, round(result.seconds))
    plan = _plan(result, seconds, source)
    (client,) = plan.client_plans()
    began = started_at - timedelta(seconds=seconds)
    record = RunRecord(
        run_id=new_run_id(began),
        name=PurePath(source).name,
        plan=plan,
        client_labels=(client.label,),
        state=RunState.COMPLETED,
        started_at=began,
        ended_at=started_at,
        phases=Phases(warming_up_from=0, measuring_from=0, measuring_to=seconds),
        environment={
            "imported_from": PurePath(source).name,
            "clock": "the file's time",
            "program": result.program,
            **({"settings": dict(result.settings)} if result.settings else {}),
        },
        totals=_totals(result, client.label, client.target, seconds),
        origin=Origin.STORAGE_PROGRAM,
    )
    return ImportedRun(record=record, samples=tuple(_samples(result, seconds)), events=tuple(_events(result, seconds)))


def _plan(result: StorageResult, seconds: int, source: str) -> RunPlan:
    path = result.path.replace("\\", "/") or PurePath(source).stem
    parameters = {
        "file_size": result.file_mb,
        "pattern": result.pattern,
        "read_pct": result.read_pct,
        "block_kb": None if result.block_bytes is None else max(1, result.block_bytes // _KB),
        "queue_depth": result.queue_depth,
    }
    return RunPlan(
        workload=STORAGE,
        targets=(Target(kind=STORAGE_TARGET, database=f"/{path.lstrip('/')}"),),
        threads=result.threads or 1,
        warmup_minutes=(result.warmup_seconds or 0) / _MINUTE,
        minutes=seconds / _MINUTE,
        parameters={key: value for key, value in parameters.items() if value is not None},
    )


def _totals(result: StorageResult, label: str, target: Target, seconds: int) -> Totals:
    size, ios = result.done[IO].bytes, result.done[IO].ios
    figures: dict[str, Any] = {
        "headline_rate": int(ios // result.seconds),
        "counted": IO,
        "transactions": {
            kind: TransactionTotals(count=done.ios, times=done.times) for kind, done in result.done.items()
        },
    }
    return Totals(
        **figures,
        workload=STORAGE,
        measured_seconds=seconds,
        has_step_times=any(result.done[kind].times.p99 is not None for kind in (READ, WRITE) if kind in result.done),
        kb_per_second=None if size is None else round(size / 1000 / result.seconds, 2),
        clients=(ClientTotals(**figures, label=label, target=target.url),),
    )


def _samples(result: StorageResult, seconds: int) -> Iterator[Sample]:
    """A sample of each second where the program counted by seconds, otherwise one of the whole time."""
    by_second, ios = result.iops_by_second, result.done[IO].ios
    if abs(sum(by_second) - ios) <= _MOST_APART * ios and len(by_second) == seconds:
        for second, count in enumerate(by_second):
            yield Sample(client=1, second=second, transactions={IO: Count(round(count), histogram=None)})
        return
    yield Sample(
        client=1,
        second=seconds - 1,
        covers=seconds,
        transactions={
            kind: Count(done.ios, round(1000 * (done.times.mean or 0) * done.ios), histogram=None)
            for kind, done in result.done.items()
        },
    )


def _events(result: StorageResult, seconds: int) -> Iterator[RunEvent]:
    yield RunEvent(
        at_seconds=0,
        kind=EventKind.PHASE,
        label=RunState.MEASURING,
        code=EventCode.PHASE_BEGAN,
        data={"state": RunState.MEASURING.value},
    )
    unsaid = [name for name, value in (("queue depth", result.queue_depth),) if value is None]
    notes = [*result.notes, *(f"{result.program} does not say the {name}; 1 is assumed" for name in unsaid)]
    for note in notes:
        yield RunEvent(at_seconds=seconds, kind=EventKind.WARNING, label=note)
