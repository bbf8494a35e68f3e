"""The event log of a run in a document, without what must not be passed on, and with the times of injections.

Called by the documents of one run.
"""

import re
from collections.abc import Callable

from engine.analysis.event_lines import EventLine, event_lines
from engine.analysis.run_data import RunData
from engine.figure_text import counted, duration
from engine.record.clock import RunClock
from engine.report.document import Column, DataTable
from engine.report.redaction import redactor
from engine.report.run_parts import time_note
from engine.telemetry.event import EventKind

MOST_LINES = 400
_DONE = (EventKind.INJECTION, EventKind.FAULT_END)
_TIMES = re.compile(r"(asked|began|done) \d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d\.\d{1,3})\d*Z?")


def event_table(run: RunData) -> DataTable:
    """A line for each event, or for simultaneous events of many users or clients."""
    redact = redactor(run.plan)
    lines = event_lines(run)
    left_out = len(lines) - MOST_LINES
    return DataTable(
        caption="Events",
        columns=(Column(title="At", is_number=True), Column(title="Kind"), Column(title="What happened")),
        rows=tuple(_row(line, run.clock, redact) for line in lines[:MOST_LINES]),
        note=time_note(run.clock) + (f" {counted(left_out, 'later line')} are left out." if left_out > 0 else ""),
    )


def _row(line: EventLine, clock: RunClock, redact: Callable[[str], str]) -> tuple[str, ...]:
    return clock.moment(line.at_seconds), line.kind.value, redact(_text(line))


def _text(line: EventLine) -> str:
    """The text of an event; of an injection its times, without who requested it and the command."""
    if line.kind not in _DONE:
        times = "" if line.until_seconds - line.at_seconds < 1 else _lasted(line)
        return f"{line.text}{times}"
    when = ", ".join(f"{word} {at}" for word, at in _TIMES.findall(line.detail))
    return f"{line.label} ({when} UTC)" if when else line.label


def _lasted(line: EventLine) -> str:
    return f", over {duration(line.until_seconds - line.at_seconds)}"
