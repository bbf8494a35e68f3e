"""What limited a run other than the servers in some of its seconds: the workstation, clients that were lost or silent.

Read from the run's events and samples, so that it is the same live and after. Called by the recovery analysis.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.analysis.run_data import RunData
from engine.figure_text import duration, listed, percent, plain_spaces
from engine.run_clock import RunClock
from engine.sample import EventKind, RunEvent

_MINUTE_SECONDS = 60
_LIMIT = re.compile(
    r"the workstation(?P<what>(?: is| was) the bottleneck| distort(?:s|ed) the run|'s network limit(?:s|ed) the run"
    r"|'s processors (?:are|were) busy)"
    r"(?: for (?P<length>[\d.:]+)\s(?:s|min|h)| from (?P<since>[\d.:]+) to (?P<until>[\d.:]+) of the run)?"
    r": (?P<how>.*)"
)
_BUSY = re.compile(r"(?P<pct>\d+) % (?:busy|in use)")
_SUSPENDED = re.compile(r"the workstation was suspended for (?P<seconds>[\d.]+) s")


@dataclass(frozen=True, kw_only=True)
class WorkstationLimit:
    """A time in which the workstation was in a run's way, in seconds of the run; ``until`` is infinity while it lasts.

    ``busy_pct`` is how much of its processors was in use at worst, where that is known; ``text`` says what else it did.
    """

    since: float
    until: float
    text: str = ""
    busy_pct: int | None = None


def workstation_limits(run: RunData) -> list[WorkstationLimit]:
    """The times in which the workstation was in the run's way, as its events say, in their order."""
    warnings = (event for event in run.sorted_events() if event.kind is EventKind.WARNING)
    return [limit for event in warnings if (limit := _limit_of(event)) is not None]


def limits_between(run: RunData, first: int, end: int) -> tuple[str, ...]:
    """What limited the run in the seconds ``first <= second < end``, a few words for each thing.

    Such as ``workstation 99 % busy``, ``client ds2 #2 lost``, ``4 s of ds2 #2 unknown``.
    """
    return tuple(dict.fromkeys((*_workstation(run, first, end), *_lost(run, first, end), *_unknown(run, first, end))))


def without_run_times(label: str) -> str:
    """A warning as it is shown beside its moment: an earlier version's says from when to when, on the run's clock."""
    found = _LIMIT.match(label)
    if found is None or found["until"] is None:
        return label
    lasted = plain_spaces(duration(_seconds(found["until"]) - _seconds(found["since"])))
    return f"the workstation{found['what']} for {lasted}: {found['how']}"


def dated_warning(event: RunEvent, clock: RunClock) -> str:
    """A warning of the workstation as a sentence's words, with when it began: ``… for 17 s from 0:27 on: …``."""
    label = without_run_times(event.label)
    found = _LIMIT.match(label)
    if found is None or found["length"] is None:
        return label
    begin = found.end("length") + label[found.end("length") :].index(":")
    return f"{label[:begin]} from {clock.second(event.at_seconds)} on{label[begin:]}"


def _limit_of(event: RunEvent) -> WorkstationLimit | None:
    if (suspended := _SUSPENDED.match(event.label)) is not None:
        since = event.at_seconds - float(suspended["seconds"])
        return WorkstationLimit(since=since, until=event.at_seconds, text="workstation suspended")
    found = _LIMIT.match(event.label)
    if found is None:
        return None
    busy = _BUSY.search(event.detail) or (_BUSY.search(found["how"]) if "processors" in found["what"] else None)
    is_more = "busy" not in found["what"]
    return WorkstationLimit(
        since=event.at_seconds,
        until=_until(event, found),
        text=f"workstation{_in_the_past(found['what'])}: {found['how']}" if is_more else "",
        busy_pct=None if busy is None else int(busy["pct"]),
    )


def _in_the_past(what: str) -> str:
    return what.replace(" is ", " was ").replace("distorts", "distorted").replace("limits", "limited")


def _until(event: RunEvent, found: re.Match[str]) -> float:
    """The event says how long it lasted; that of an earlier version of Spindle from when to when."""
    if found["length"] is not None:
        return event.at_seconds + _seconds(found["length"])
    return math.inf if found["until"] is None else _seconds(found["until"])


def _seconds(text: str) -> float:
    """``28``, ``4:05`` or ``1:02:41`` as seconds."""
    seconds = 0.0
    for part in text.split(":"):
        seconds = _MINUTE_SECONDS * seconds + float(part)
    return seconds


def _workstation(run: RunData, first: int, end: int) -> Iterator[str]:
    limits = [limit for limit in workstation_limits(run) if limit.since < end and limit.until > first]
    busiest = max((limit.busy_pct for limit in limits if limit.busy_pct is not None), default=None)
    if busiest is not None:
        yield f"workstation {percent(busiest, 0)} busy"
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
