"""A run's totals as plain values for JSON, under the names of ``spindle run --json``, and back.

The library stores them so, with the keys of every earlier version: what is missing there is unknown. The keys of a
workload's figures are made from its metric's id (``opm``, ``opm_peak``) and from its types: their number under
``plural``, the response times of one under ``rt_ID_ms``, of a step only the mean. ``rt_ms`` are the response times of
the transactions that the headline counts.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from engine.record.totals import (
    NO_TIMES,
    BacklogTotals,
    ClientTotals,
    Figures,
    ResponseTimes,
    StageTotals,
    Totals,
    TransactionTotals,
)
from engine.telemetry.workstation import ProcessSummary, SaturationRecord
from engine.workload.registry import find_workload
from engine.workload.transaction import TransactionType, transactions_of
from engine.workload.workload import Workload

COUNTS = ("rollbacks", "retries", "reconnects", "in_doubt")
"""What is counted of every workload, under the same names."""
_STEP_PERCENTILES = ("p50", "p95", "p99")
_LIMITED = "p90"
_FINEST = "p999"


def times_key(kind: TransactionType) -> str:
    """The key of a type's response times."""
    return f"rt_{kind.id}_ms"


def peak_key(workload: Workload) -> str:
    """The key of the highest value of the headline metric: ``opm_peak``."""
    return f"{workload.headline.id}_peak"


def totals_to_dict(totals: Totals) -> dict[str, Any]:
    """The totals as they are stored; a key that only some runs have is left out where nothing is known."""
    workload, is_imported = find_workload(totals.workload), totals.since_start is None

    def client(each: ClientTotals) -> dict[str, Any]:
        figures = _figures(workload, each, is_imported=is_imported)
        return {"label": each.label, "target": each.target, **figures}

    plain = {
        "measured_seconds": totals.measured_seconds,
        **_figures(workload, totals, is_imported=is_imported),
        **({"rt_last_100_max_ms": totals.last_100_max_ms} if is_imported else {"since_start": totals.since_start}),
        "clients": [client(each) for each in totals.clients],
    }
    if totals.targets:
        plain["targets"] = [client(each) for each in totals.targets]
    steps = [each.id for each in workload.transactions if each.is_step]
    if totals.has_step_times and steps:
        plain["steps"] = {step: _step(totals.of(step)) for step in (*steps, totals.counted)}
    if totals.processes is not None:
        plain["driver"] = [each.to_dict() for each in totals.processes]
    if totals.saturation is not None:
        plain["spells"] = [each.to_dict() for each in totals.saturation]
    plain |= _received(totals) | _backlog(workload, totals)
    if totals.shared_stores:
        plain["shared_stores"] = list(totals.shared_stores)
    if totals.stages:
        plain["stages"] = [_stage(workload, each) for each in totals.stages]
    if totals.after_run is not None:
        plain["after_run"] = totals.after_run
    if totals.further_loads:
        plain["further_loads"] = [{"workload": each.workload, **totals_to_dict(each)} for each in totals.further_loads]
    return plain


def totals_from_dict(workload_id: str, plain: Mapping[str, Any]) -> Totals:
    """The totals of a run of a workload as ``totals_to_dict`` of this version or an earlier one stored them."""
    workload, steps = find_workload(workload_id), plain.get("steps")
    processes, saturation = plain.get("driver"), plain.get("spells")
    backlog = None if workload.backlog is None else plain.get(workload.backlog.id)

    def client(each: Mapping[str, Any]) -> ClientTotals:
        return ClientTotals(**_figures_from(workload, each, {}), label=each["label"], target=each.get("target"))

    return Totals(
        **_figures_from(workload, plain, steps or {}),
        workload=workload_id,
        measured_seconds=plain.get("measured_seconds"),
        clients=tuple(client(each) for each in plain.get("clients") or ()),
        since_start=plain.get("since_start"),
        has_step_times=steps is not None,
        processes=None if processes is None else tuple(ProcessSummary.from_dict(each) for each in processes),
        saturation=None if saturation is None else tuple(SaturationRecord.from_dict(each) for each in saturation),
        after_run=plain.get("after_run"),
        rows_per_second=plain.get("rows_per_second"),
        kb_per_second=plain.get("kb_per_second"),
        backlog=None if not backlog else BacklogTotals(**backlog),
        due=plain.get("due"),
        shared_stores=tuple(plain.get("shared_stores") or ()),
        stages=tuple(_stage_from(workload, each) for each in plain.get("stages") or ()),
        last_100_max_ms=plain.get("rt_last_100_max_ms"),
        targets=tuple(client(each) for each in plain.get("targets") or ()),
        further_loads=tuple(totals_from_dict(each["workload"], each) for each in plain.get("further_loads") or ()),
    )


def _received(of: Totals | StageTotals) -> dict[str, Any]:
    """Nothing where rows were not counted; where only their bytes are not known, null."""
    if of.rows_per_second is None:
        return {} if of.kb_per_second is None else {"kb_per_second": of.kb_per_second}
    return {"rows_per_second": of.rows_per_second, "kb_per_second": of.kb_per_second}


def _backlog(workload: Workload, totals: Totals) -> dict[str, Any]:
    """The workload's own queue, and what was due; each only where it is known."""
    plain: dict[str, Any] = {} if totals.due is None else {"due": totals.due}
    if workload.backlog is not None and totals.backlog is not None:
        plain[workload.backlog.id] = asdict(totals.backlog)
    return plain


def _figures(workload: Workload, figures: Figures, *, is_imported: bool) -> dict[str, Any]:
    is_mixed = len(transactions_of(workload.transactions)) > 1
    intended = None if figures.intended is None else _times(figures.intended)
    return {
        workload.headline.id: figures.headline_rate,
        peak_key(workload): figures.peak,
        **({"tpm": figures.all_a_minute} if is_mixed else {}),
        **{each.plural: figures.of(each.id).count for each in workload.in_columns},
        **{name: figures.counts.get(name) for name in COUNTS},
        "rollback_pct": figures.rollback_pct,
        "rt_ms": _times(figures.times),
        **{
            times_key(each): figures.of(each.id).times.mean if each.is_step else _limited(each, figures)
            for each in workload.transactions
            if each.is_step or is_mixed
        },
        **({} if is_imported else {"overdue": figures.overdue, "rt_intended_ms": intended}),
        "errors": None if figures.errors is None else dict(figures.errors),
    }


def _times(times: ResponseTimes) -> dict[str, float | None]:
    plain = asdict(times)
    del plain[_LIMITED]
    if times.p999 is None:
        del plain[_FINEST]
    return plain


def _limited(kind: TransactionType, figures: Figures) -> dict[str, float | None]:
    """The response times of a type, and its 90th percentile beside the limit of that."""
    times = figures.of(kind.id).times
    limit = {} if kind.response_limit_ms is None else {_LIMITED: times.p90, f"{_LIMITED}_limit": kind.response_limit_ms}
    return _times(times) | limit


def _stage(workload: Workload, stage: StageTotals) -> dict[str, Any]:
    """A stage under the names of the run's own figures, without what it has not."""
    plain = asdict(stage) | {"times": None, "headline": None}
    known = {name: value for name, value in plain.items() if value is not None}
    return {**known, **_received(stage), workload.headline.id: stage.headline, "rt_ms": _times(stage.times)}


def _stage_from(workload: Workload, plain: Mapping[str, Any]) -> StageTotals:
    values = {name: value for name, value in plain.items() if name not in (workload.headline.id, "rt_ms")}
    return StageTotals(**values, headline=plain[workload.headline.id], times=_times_from(plain["rt_ms"]))


def _step(step: TransactionTotals) -> dict[str, Any]:
    times = {f"{name}_ms": getattr(step.times, name) for name in _STEP_PERCENTILES}
    if step.times.p999 is not None:
        times[f"{_FINEST}_ms"] = step.times.p999
    return {"count": step.count, "mean_ms": step.times.mean, **times}


def _figures_from(workload: Workload, plain: Mapping[str, Any], steps: Mapping[str, Any]) -> dict[str, Any]:
    get, counted, intended = plain.get, workload.headline.counts, plain.get("rt_intended_ms")
    transactions = {}
    for each in workload.transactions:
        times = get(times_key(each))
        if each.is_step:
            known = steps.get(each.id) or {}
            times = {"mean": times, **{name: known.get(f"{name}_ms") for name in (*_STEP_PERCENTILES, _FINEST)}}
        elif each.id == counted:
            times = {**(times or {}), **(get("rt_ms") or {})}
        transactions[each.id] = TransactionTotals(count=get(each.plural), times=_times_from(times))
    return {
        "headline_rate": get(workload.headline.id),
        "peak": get(peak_key(workload)),
        "counted": counted,
        "all_a_minute": get("tpm"),
        "transactions": transactions,
        "counts": {name: get(name) for name in COUNTS},
        "rollback_pct": get("rollback_pct"),
        "overdue": get("overdue"),
        "intended": None if intended is None else _times_from(intended),
        "errors": get("errors"),
    }


def _times_from(plain: Mapping[str, Any] | None) -> ResponseTimes:
    if not plain:
        return NO_TIMES
    get = plain.get
    return ResponseTimes(**{each.name: get(each.name) for each in fields(ResponseTimes)})
