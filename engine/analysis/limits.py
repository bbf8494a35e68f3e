"""What other than the servers limited a run: the workstation, clients that were lost or silent.

Computed from the run's events and samples, so that it is the same during and after the run. Called by the recovery
analysis.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.analysis.run_data import RunData
from engine.figure_text import duration, listed, percent
from engine.record.clock import RunClock
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation_text import WORKSTATION_LIMITS, how_past, limit_sentence, statement


@dataclass(frozen=True, kw_only=True)
class WorkstationLimit:
    """A time in which the workstation limited a run, in seconds of the run; ``until`` is infinity while it lasts.

    ``busy_pct`` is the highest use of its processors, if known; ``text`` describes the limit, ``code`` is its event's.
    ``machine`` is the load machine's name if it was not this workstation.
    """

    since: float
    until: float
    code: EventCode
    text: str = ""
    busy_pct: int | None = None
    machine: str = ""


def workstation_limits(run: RunData) -> list[WorkstationLimit]:
    """The limits of the workstation according to the events, in order."""
    return [limit for event in run.sorted_events() if (limit := _limit_of(event)) is not None]


def limits_between(run: RunData, first: int, end: int) -> tuple[str, ...]:
    """What limited the run in the seconds ``first <= second < end``, in a few words each.

    Such as ``workstation 99 % busy``, ``client ds2 #2 lost``, ``4 s of ds2 #2 unknown``.
    """
    return tuple(dict.fromkeys((*_workstation(run, first, end), *_lost(run, first, end), *_unknown(run, first, end))))


def dated_label(event: RunEvent, clock: RunClock) -> str:
    """An event's label as part of a sentence; a past limit of the workstation includes when it began."""
    if event.code not in WORKSTATION_LIMITS:
        return event.label
    return limit_sentence(event.code, event.data, clock.second(event.at_seconds))


def _limit_of(event: RunEvent) -> WorkstationLimit | None:
    since = event.at_seconds
    if event.code is EventCode.WORKSTATION_SUSPENDED:
        return WorkstationLimit(
            since=since - event.data["seconds"], until=since, code=event.code, text="workstation suspended"
        )
    if event.code not in WORKSTATION_LIMITS:
        return None
    lasted = event.data["lasted_seconds"]
    is_more = event.code is not EventCode.WORKSTATION_BUSY
    return WorkstationLimit(
        since=since,
        until=math.inf if lasted is None else since + lasted,
        code=event.code,
        text=f"{statement(event.code, event.data).removeprefix('the ')}: {how_past(event.data)}" if is_more else "",
        busy_pct=event.data["busy_pct"],
        machine=event.data.get("machine", ""),
    )


def _workstation(run: RunData, first: int, end: int) -> Iterator[str]:
    limits = [limit for limit in workstation_limits(run) if limit.since < end and limit.until > first]
    busiest: dict[str, int] = {}
    for limit in limits:
        if limit.busy_pct is not None:
            busiest[limit.machine] = max(limit.busy_pct, busiest.get(limit.machine, 0))
    for machine, busy_pct in busiest.items():
        yield f"{f'load machine {machine}' if machine else 'workstation'} {percent(busy_pct, 0)} busy"
    yield from (limit.text for limit in limits if limit.text)


def _lost(run: RunData, first: int, end: int) -> Iterator[str]:
    labels = {client.number: client.label for client in run.clients}
    for event in run.sorted_events():
        if event.kind is EventKind.CLIENT_LOST and first - 1 <= event.at_seconds < end:
            yield f"client {labels.get(event.client or 0, event.client)} lost"
        elif event.kind is EventKind.CLIENT_FAILED and first - 1 <= event.at_seconds < end:
            yield f"users of {labels.get(event.client or 0, event.client)} ended"


def _unknown(run: RunData, first: int, end: int) -> Iterator[str]:
    """Seconds without a sample, of clients that had any before."""
    silent: dict[int, list[str]] = {}
    for client in run.clients:
        known = run.series.known(client.number)
        missing = min(end, run.end) - first - int(np.count_nonzero(known[first:end]))
        if missing > 0 and known[:first].any():
            silent.setdefault(missing, []).append(client.label)
    yield from (f"{duration(missing)} of {listed(labels)} unknown" for missing, labels in silent.items())
