"""A run as plain values for JSON, and its samples as CSV, for scripts."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

from engine.analysis.headline import headline_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.volumes import volumes_of
from engine.analysis.latency.percentiles import PERCENTILES, mean_ms, merged, percentiles_ms
from engine.analysis.specification import verdicts_json
from engine.analysis.stages.knee import knee_of_stages
from engine.plan.load.profile import StageSpan
from engine.plan.pace import has_ramp
from engine.plan.plan import RunPlan
from engine.record.clock import RunClock
from engine.record.record import Phases, RunRecord
from engine.record.totals_json import peak_key, totals_to_dict
from engine.report.host_findings import findings_json
from engine.report.machines import collector_figures, machines_document
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus
from engine.telemetry.sample import Count, Sample
from engine.workload.registry import DVD_STORE, find_workload
from engine.workload.transaction import transactions_of

_USERS = ("working", "thinking", "reconnecting", "down")
_PACED = ("stage", "inactive", "queue")
_OUTCOMES = ("rollbacks", "retries", "reconnects", "in_doubt")


def result(
    record: RunRecord,
    events: Iterable[RunEvent] = (),
    recoveries: Mapping[int, Mapping[str, Any]] | None = None,
    measurements: Sequence[HostMeasurement] = (),
    collectors: Sequence[CollectorStatus] = (),
) -> dict[str, Any]:
    """A run's record under the names of ``spindle run --json``; unknown figures are null.

    ``recoveries`` are the figures of each fault, by its event's number; ``measurements`` are those of its hosts, of
    which the findings are told, and ``collectors`` what has read its machines. Moments count from the run's start
    (``at_seconds``); displayed moments count from the second in which measuring began, and are included as
    ``since_measuring_seconds``.
    """
    events, clock = list(events), RunClock.of(record.phases)
    totals = {} if record.totals is None else totals_to_dict(record.totals)
    headline = headline_of(record.plan.workload)
    keys = (
        headline.metric.id,
        peak_key(find_workload(record.plan.workload)),
        headline.transaction.plural,
        "rt_ms",
        "clients",
    )
    verdicts = {} if record.totals is None else verdicts_json(record.plan, record.totals)
    known = {key: totals.pop(key, [] if key == "clients" else None) for key in keys}
    return {
        "run_id": record.run_id,
        "name": record.name,
        "state": record.state.value,
        "failure": record.failure,
        "started_at": record.started_at.isoformat(),
        "ended_at": record.ended_at.isoformat() if record.ended_at else None,
        "origin": record.origin.value,
        "note": record.note,
        "tags": list(record.tags),
        "run_set": record.run_set,
        **({"campaign": record.campaign} if record.campaign else {}),
        "configuration": record.configuration,
        "plan": plan_document(record.plan),
        "phases": {
            "warming_up_from": record.phases.warming_up_from,
            "measuring_from": record.phases.measuring_from,
            "measuring_to": record.phases.measuring_to,
        },
        **known,
        **totals,
        **_knee(record),
        **({"verdicts": verdicts} if verdicts else {}),
        "faults": [_fault(event, clock, (recoveries or {}).get(event.number)) for event in events if event.is_fault],
        **_volumes(record, events, measurements),
        **({"host_findings": findings_json(record, events, measurements)} if measurements else {}),
        "audit": None if record.audit is None else dict(record.audit),
        **({"machines": machines_document(collector_figures(record, collectors, measurements))} if collectors else {}),
        "events": [_event(event, clock) for event in events],
        "environment": dict(record.environment),
    }


def _volumes(record: RunRecord, events: Sequence[RunEvent], measurements: Sequence[HostMeasurement]) -> dict[str, Any]:
    """What the volumes that were measured did alone and in the run."""
    volumes = volumes_of(record, events, measurements)
    return {"volumes": [volume.to_dict() for volume in volumes]} if volumes else {}


def _knee(record: RunRecord) -> dict[str, Any]:
    """The knee of a run with stages; null where it has none."""
    stages = () if record.totals is None else record.totals.stages
    if not stages:
        return {}
    knee = knee_of_stages(stages)
    if knee is None:
        return {"knee": None}
    load = "users" if stages[0].users is not None else "rate"
    metric = headline_of(record.plan.workload).metric
    digits = metric.digits(knee.throughput) or None
    return {"knee": {load: round(knee.load, 1), metric.id: round(knee.throughput, digits)}}


def plan_document(plan: RunPlan) -> dict[str, Any]:
    """A plan of the DVD Store as in version 1 of plans, which readers of results know: its parameters among the others.

    They stand where they have always stood.
    """
    plain = plan.to_dict()
    if plan.workload != DVD_STORE:
        return plain
    own = plain.pop("parameters")
    size = {"db_size": own.pop("db_size")} if "db_size" in own else {}
    before: dict[str, dict[str, Any]] = {"threads": size, "seed": own}
    flat: dict[str, Any] = {}
    for key, value in plain.items():
        flat |= {**before.get(key, {}), key: value}
    del flat["workload"]
    return flat | {"format_version": 1}


def write_csv(file: TextIO, record: RunRecord, samples: Iterable[Sample]) -> None:
    """A row for each client and second, in the order of the samples; a second without a sample has no row.

    ``second`` counts from the run's start, ``since_measuring_seconds`` from the second in which measuring began, as
    displays do; it is empty in a run that never measured. Response times are those of the transactions of that second,
    in milliseconds, empty when there were none: as service times of those that the headline metric counts, and of all
    as intended, which is empty without a schedule.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(csv_columns(record.plan.workload, is_paced=is_paced(record.plan)))
    writer.writerows(csv_rows(record, samples))


def is_paced(plan: RunPlan) -> bool:
    """Whether the load of a plan has stages or is an open loop: then its samples have more columns."""
    return plan.profile is not None or plan.is_open_loop


def csv_columns(workload_id: str, *, is_paced: bool = False) -> tuple[str, ...]:
    """The columns of ``write_csv``: of each type of transaction how many ended and the sum of their response times,
    which steps have too, and the longest; at the end those of a load by stages or of an open loop, and of a workload
    with a queue of its own."""
    types = find_workload(workload_id).in_columns
    return (
        *("client", "label", "second", "since_measuring_seconds", "phase", "covers", *_USERS),
        *(each.plural for each in types),
        *_OUTCOMES,
        *(f"{each.id}_us" for each in types),
        *(f"{each.id}_us_max" for each in transactions_of(types)),
        "rt_mean_ms",
        *(f"rt_p{percent}_ms" for percent in PERCENTILES),
        "overdue",
        *(f"rt_intended_p{percent}_ms" for percent in PERCENTILES),
        "errors",
        *(_PACED if is_paced else ()),
        *_more_columns(workload_id),
    )


def _more_columns(workload_id: str) -> tuple[str, ...]:
    """Of a workload with a queue within its emulation: that, and what was received."""
    backlog = find_workload(workload_id).backlog
    return () if backlog is None else (backlog.id, "rows_received", "bytes_received")


def csv_rows(record: RunRecord, samples: Iterable[Sample]) -> Iterator[list[Any]]:
    """The rows of ``write_csv``, with a cell for each of ``csv_columns``."""
    clock = RunClock.of(record.phases)
    types = find_workload(record.plan.workload).in_columns
    headline = headline_of(record.plan.workload).transaction.id
    ramps = has_ramp(record.plan)
    has_more, spans = is_paced(record.plan), _stage_spans(record)
    has_backlog = bool(_more_columns(record.plan.workload))
    for sample in samples:
        by_type = [sample.of(each.id) for each in types]
        served = sample.of(headline)
        counts = merged([served.histogram or b""])
        yield [
            sample.client,
            record.client_labels[sample.client - 1],
            sample.second,
            sample.second - clock.origin_second if clock.is_measuring else None,
            phase_of(sample.second, record.phases, ramps=ramps),
            sample.covers,
            *(getattr(sample, name) for name in _USERS),
            *(each.n for each in by_type),
            *(getattr(sample, name) for name in _OUTCOMES),
            *(each.sum_us for each in by_type),
            *(count.max_us for kind, count in zip(types, by_type, strict=True) if not kind.is_step),
            mean_ms(served.sum_us, served.n),
            *percentiles_ms(counts, PERCENTILES, longest_us=served.max_us or None),
            *_intended(sample, [each for kind, each in zip(types, by_type, strict=True) if not kind.is_step]),
            ";".join(f"{name}={count}" for name, count in sorted(sample.errors.items())),
            *([_stage_of(sample.second, spans), sample.inactive, sample.queue] if has_more else []),
            *([sample.backlog, sample.rows_received, _bytes_of(sample)] if has_backlog else []),
        ]


def _bytes_of(sample: Sample) -> int | None:
    """The bytes of the rows; ``None`` where the database's driver does not say."""
    return None if sample.rows_received and not sample.bytes_received else sample.bytes_received


def _stage_spans(record: RunRecord) -> list[StageSpan]:
    profile, first = record.plan.profile, record.phases.measuring_from
    return [] if profile is None or first is None else list(profile.spans(first))


def _stage_of(second: int, spans: Iterable[StageSpan]) -> int | None:
    """The number of the stage in which a second counts; ``None`` before the first and in settling times."""
    return next((span.number for span in spans if span.counts_from <= second < span.ends), None)


def _intended(sample: Sample, transactions: Iterable[Count]) -> list[float | None]:
    """The number of overdue transactions in a second, and the percentiles of all as intended; empty without a
    schedule."""
    if sample.overdue is None:
        return [None] * (1 + len(PERCENTILES))
    overdue = merged([sample.overdue])
    counts, longest_us = list(transactions), None
    if not overdue.any():
        longest_us = max(each.max_us for each in counts) or None
    served = merged(each.histogram or b"" for each in counts)
    return [int(overdue.sum()), *percentiles_ms(served + overdue, PERCENTILES, longest_us=longest_us)]


def phase_of(second: int, phases: Phases, *, ramps: bool = True) -> str:
    """The phase of a second; after the measuring phase it is ``stopping``. ``ramps``: the first one is a ramp."""
    if phases.warming_up_from is None or second < phases.warming_up_from:
        return "ramping" if ramps else "starting"
    if phases.measuring_from is None or second < phases.measuring_from:
        return "warming up"
    if phases.measuring_to is None or second < phases.measuring_to:
        return "measuring"
    return "stopping"


def _event(event: RunEvent, clock: RunClock) -> dict[str, Any]:
    return {
        "at_seconds": event.at_seconds,
        "since_measuring_seconds": clock.since_measuring_seconds(event.at_seconds),
        "kind": event.kind.value,
        "code": event.code.value,
        "data": dict(event.data),
        "label": event.label,
        "client": event.client,
        "detail": event.detail,
        "by_hand": event.by_hand,
        "is_fault": event.is_fault,
    }


def _fault(event: RunEvent, clock: RunClock, recovery: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "number": event.number,
        "at_seconds": event.at_seconds,
        "since_measuring_seconds": clock.since_measuring_seconds(event.at_seconds),
        "kind": event.kind.value,
        "label": event.label,
        "detail": event.detail,
        "recovery": None if recovery is None else dict(recovery),
    }
