"""Warnings about a run's figures, as sentences for documents.

Called by the builders of all documents.
"""

from collections.abc import Iterator

import numpy as np

from engine.analysis.limits import dated_label
from engine.analysis.run_data import RunData
from engine.analysis.stages.table import steadiness_sentences
from engine.analysis.steady_state import steady_state_of
from engine.figure_text import capitalised, counted
from engine.record.record import Origin, RunRecord, RunState
from engine.record.totals import NO_TOTALS
from engine.report.client_warnings import client_warnings
from engine.report.collector_warnings import collector_warnings
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation_text import WORKSTATION_LIMITS, limit_sentence

# Of what can happen many times, what is said of those beyond a few: a whole sentence, as a set says it of several runs.
_REPEATED = {
    EventCode.WORKSTATION_BOTTLENECK: "The workstation was the bottleneck",
    EventCode.WORKSTATION_DISTORTION: "The workstation distorted the run",
    EventCode.WORKSTATION_NETWORK: "The workstation's network limited the run",
    EventCode.WORKSTATION_SUSPENDED: "The workstation was suspended",
    EventCode.MAIN_PROCESS_STOOD_STILL: "The main process stood still",
    EventCode.WORKSTATION_CLOCK_SET: "The workstation's clock was set",
    EventCode.CLIENT_CLOCK_DRIFTED: "The clock of a client drifted",
    EventCode.STORE_PROBE_LOST: "The probe of a store was lost",
}
_MOST_OF_A_KIND = 3
_STATES = {
    RunState.STOPPED: "It was stopped before its planned end.",
    RunState.INTERRUPTED: "It was interrupted; its figures cover what was measured until then.",
    RunState.FAILED: "It failed; its figures cover what was measured until then.",
}


def run_warnings(record: RunRecord, run: RunData) -> list[str]:
    """A sentence for each thing that limits the meaning of the run's figures; empty if there is none."""
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
    yield from steadiness_sentences(record.totals or NO_TOTALS, run.headline)
    yield from _missing_seconds(run)
    yield from client_warnings(run)
    yield from collector_warnings(run)
    yield from _events(record, run)


def _shared_stores(run: RunData) -> Iterator[str]:
    """What others did to the run's stores: then the figures are not only those of this run."""
    found = [event for event in run.sorted_events() if event.kind is EventKind.STORE]
    if not found:
        return
    times = [f"at {run.clock.moment(event.at_seconds)}, {event.label}" for event in found[:_MOST_OF_A_KIND]]
    more = len(found) - len(times)
    times += [f"and {counted(more, 'more time', 'more times')}"] if more else []
    yield f"Others used the run's stores, so its figures are not its own alone: {'; '.join(times)}."


def _missing_seconds(run: RunData) -> Iterator[str]:
    first, end = run.phases.measuring_from, run.phases.measuring_to
    if first is None or not run.state.is_final or end is None or end <= first:
        return
    for client in run.clients:
        missing = end - first - int(np.count_nonzero(run.series.known(client.number)[first:end]))
        if missing:
            yield (
                f"Of client {client.label}, {counted(missing, 'second')} of {end - first} measured are missing;"
                f" they count as without {run.headline.many}."
            )


def _events(record: RunRecord, run: RunData) -> Iterator[str]:
    """The run's own warnings, a few of each kind; those of injections are in the event log."""
    warnings = [event for event in run.sorted_events() if event.kind is EventKind.WARNING]
    if record.origin.is_imported:
        # The output of a driver or program has no other warnings than what does not add up in it, or has to be known.
        what = "driver" if record.origin is Origin.DS2_LOG else "program"
        yield from (f"Of the {what}'s output that it was read from: {event.label}." for event in warnings)
        return
    for code in (EventCode.STARTED_INCOMPLETE, EventCode.PROBE_LOST, EventCode.COLLECTORS_LOST):
        yield from (_sentence(event.label) for event in warnings if event.code is code)
    for code, what in _REPEATED.items():
        found = [event for event in warnings if event.code is code]
        for event in filter(_is_lasting, found):  # as the run broke off: it is not known for how long
            said = limit_sentence(event.code, event.data, is_over=record.state.is_final)
            yield _sentence(f"from {run.clock.second(event.at_seconds)} on, {said}")
        over = [event for event in found if not _is_lasting(event)]
        yield from (_sentence(dated_label(event, run.clock)) for event in over[:_MOST_OF_A_KIND])
        if len(over) > _MOST_OF_A_KIND:
            more = counted(len(over) - _MOST_OF_A_KIND, "more time", "more times")
            yield f"{what} {more}; the run's log of events has them all."


def _is_lasting(event: RunEvent) -> bool:
    """Whether it is a limit of the workstation that had not ended."""
    return event.code in WORKSTATION_LIMITS and event.data["lasted_seconds"] is None


def _sentence(text: str) -> str:
    return f"{capitalised(text)}."
