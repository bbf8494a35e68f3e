"""Warnings about a run's readings of machines: when one was not read, and whose clock was off.

Called by ``run_warnings``.
"""

from collections.abc import Iterator

from engine.analysis.run_data import RunData
from engine.figure_text import counted, listed, shortest
from engine.telemetry.event import EventCode, RunEvent

_MOST_COLLECTORS = 3


def collector_warnings(run: RunData) -> Iterator[str]:
    """A sentence for each of a few collectors that failed, then the names of the others; and one for each clock."""
    failures: dict[int, list[RunEvent]] = {}
    clocks: dict[int, RunEvent] = {}
    for event in run.sorted_events():
        if event.code in (EventCode.COLLECTOR_FAILING, EventCode.COLLECTOR_BACK):
            failures.setdefault(event.data["collector"], []).append(event)
        elif event.code is EventCode.COLLECTOR_CLOCK_OFF:
            clocks.setdefault(event.data["collector"], event)
    for events in list(failures.values())[:_MOST_COLLECTORS]:
        yield _failure(events, run)
    if others := list(failures.values())[_MOST_COLLECTORS:]:
        yield f"Nor were {listed([_place(each[0]) for each in others])} always read; the log of events has more."
    for event in clocks.values():
        yield f"At {run.clock.second(event.at_seconds)}, {event.label}; {event.detail}."


def _failure(events: list[RunEvent], run: RunData) -> str:
    """Of one collector: when it failed first, for how long, why, and how often again."""
    first = events[0]
    back = next((each for each in events if each.code is EventCode.COLLECTOR_BACK), None)
    how_long = "until the end" if back is None else f"for {shortest(back.data['failed_seconds'], 1)} s"
    times = sum(each.code is EventCode.COLLECTOR_FAILING for each in events) - 1
    more = f" So it was {counted(times, 'more time', 'more times')}." if times else ""
    since = run.clock.second(first.at_seconds)
    why = first.data["text"].removeprefix(f"{first.data['machine']}: ").rstrip(".")
    return f"{_place(first)} was not read from {since} on, {how_long}: {why}.{more}"


def _place(event: RunEvent) -> str:
    return f"{event.data['machine']} ({event.data['source']})"
