"""What a reader must know of a run before believing its figures: sentences for the documents' warnings.

Called by the builders of every document.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.analysis.limits import dated_warning
from engine.analysis.run_data import RunData
from engine.analysis.steady_state import steady_state_of
from engine.figure_text import capitalised, counted
from engine.record import Origin, RunRecord, RunState
from engine.report.client_warnings import client_warnings
from engine.run_clock import RunClock
from engine.sample import EventKind, RunEvent

_ONCE = ("the clock starts without", "the probe is lost")
# What goes on as the run ends, or as it breaks off, is told in the present, and ends with the run.
_PRESENT = (
    "the workstation is the bottleneck",
    "the workstation distorts the ",
    "the workstation's network limits the run",
)
# How each begins, and what is said of those beyond a few: whole by itself, as a set tells it of several runs.
_PAST = {
    "the workstation was the bottleneck": "The workstation was the bottleneck",
    "the workstation distorted the ": "The workstation distorted the run",
    "the workstation's network limited the run": "The workstation's network limited the run",
    "the workstation was suspended": "The workstation was suspended",
    "the workstation's clock was set": "The workstation's clock was set",
    "the clock of client": "The clock of a client drifted",
    "the probe of ": "The probe of a store was lost",
}
_MOST_OF_A_KIND = 3
_STATES = {
    RunState.STOPPED: "It was stopped before its planned end.",
    RunState.INTERRUPTED: "It was interrupted; its figures cover what was measured until then.",
    RunState.FAILED: "It failed; its figures cover what was measured until then.",
}


def run_warnings(record: RunRecord, run: RunData) -> list[str]:
    """A sentence for each thing that limits what the run's figures say; none where all is well."""
    return list(_warnings(record, run))


def _warnings(record: RunRecord, run: RunData) -> Iterator[str]:
    if not record.state.is_final:
        yield "It is still in progress; its figures are those known so far."
    elif record.state in _STATES:
        yield _STATES[record.state]
    yield from _shared_stores(run)
    for server in record.environment.get("servers") or ():
        yield from server.get("warnings") or ()
    steady = steady_state_of(run)
    if steady is not None and steady.warning:
        yield steady.warning
    yield from _missing_seconds(run)
    yield from client_warnings(run)
    yield from _events(record, run)


def _shared_stores(run: RunData) -> Iterator[str]:
    """What others did to the run's stores: then the figures are not those of this run alone."""
    found = [event for event in run.sorted_events() if event.kind is EventKind.STORE]
    if not found:
        return
    told = [f"at {run.clock.moment(event.at_seconds)}, {event.label}" for event in found[:_MOST_OF_A_KIND]]
    more = len(found) - len(told)
    told += [f"and {counted(more, 'more time', 'more times')}"] if more else []
    yield f"Others used the run's stores, so its figures are not its own alone: {'; '.join(told)}."


def _missing_seconds(run: RunData) -> Iterator[str]:
    first, end = run.phases.measuring_from, run.phases.measuring_to
    if first is None or not run.state.is_final or end is None or end <= first:
        return
    for client in run.clients:
        missing = end - first - int(np.count_nonzero(run.series.known(client.number)[first:end]))
        if missing:
            yield (
                f"Of client {client.label}, {counted(missing, 'second')} of {end - first} measured are missing;"
                " they count as without orders."
            )


def _events(record: RunRecord, run: RunData) -> Iterator[str]:
    """The run's own warnings, a few of each kind; those of injections stand in the log of events."""
    told = [event for event in run.sorted_events() if event.kind is EventKind.WARNING]
    if record.origin is Origin.DS2_LOG:
        # A driver's output has no other warnings than what does not add up in it.
        yield from (f"Of the driver's output that it was read from: {event.label}." for event in told)
        return
    for starts, dated in ((_ONCE, False), (_PRESENT, True)):
        for start in starts:
            yield from (_sentence(event, run.clock, dated=dated) for event in _beginning(told, start)[:1])
    for start, what in _PAST.items():
        found = _beginning(told, start)
        yield from (_sentence(event, run.clock) for event in found[:_MOST_OF_A_KIND])
        if len(found) > _MOST_OF_A_KIND:
            more = counted(len(found) - _MOST_OF_A_KIND, "more time", "more times")
            yield f"{what} {more}; the run's log of events has them all."


def _beginning(told: Sequence[RunEvent], start: str) -> list[RunEvent]:
    return [event for event in told if event.label.startswith(start)]


def _sentence(event: RunEvent, clock: RunClock, *, dated: bool = False) -> str:
    since = f"From {clock.second(event.at_seconds)} on, " if dated else ""
    return f"{capitalised(since + dated_warning(event, clock))}."
