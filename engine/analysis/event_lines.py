"""The events of a run as lines of the event log; simultaneous events of many users or clients become one line."""

from dataclasses import dataclass, replace

from engine.analysis.run_data import RunData
from engine.faults.marks import is_mark
from engine.figure_text import units_joined
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation_text import event_label

GROUPED_SECONDS = 2.0
LONGEST_GROUP_SECONDS = 10.0
_GROUPED = frozenset((EventKind.CONNECTION_LOST, EventKind.CONNECTION_BACK, EventKind.TARGET_ERROR))
_AUDITED = frozenset((EventKind.INJECTION, EventKind.FAULT_END))


@dataclass(frozen=True, kw_only=True)
class EventLine:
    """One line of the event log.

    ``number`` is that of its first event; times count from the run's epoch. ``clients`` are those concerned, empty for
    the whole run; ``count`` is the number of events.
    """

    number: int
    at_seconds: float
    until_seconds: float
    kind: EventKind
    clients: tuple[int, ...]
    text: str
    label: str
    detail: str
    by_hand: bool
    count: int = 1
    error_class: str = ""

    @property
    def is_mark(self) -> bool:
        """Whether it is a mark, which can be renamed and removed."""
        return is_mark(self.kind, by_hand=self.by_hand)


def event_lines(run: RunData) -> list[EventLine]:
    """The lines, sorted by time.

    Connections lost, connections restored and errors of one class that follow each other within ``GROUPED_SECONDS``
    become one line, of one client or several; of a client's errors only the first of each class is shown. Injections
    have their audit line as detail.
    """
    labels = {client.number: client.label for client in run.clients}
    newest: dict[tuple[EventKind, str], int] = {}
    listed: set[tuple[int | None, str]] = set()
    lines: list[EventLine] = []
    for event in run.sorted_events():
        line = _line(event, is_over=run.state.is_final)
        topic = _topic(line)
        if event.kind is EventKind.TARGET_ERROR:
            if (event.client, topic) in listed:
                continue
            listed.add((event.client, topic))
        at = newest.get((event.kind, topic))
        if event.kind in _GROUPED and at is not None and _belongs(lines[at], line):
            lines[at] = _joined(lines[at], line)
        else:
            newest[event.kind, topic] = len(lines)
            lines.append(line)
    return [_written(line, labels) for line in lines]


def _line(event: RunEvent, *, is_over: bool) -> EventLine:
    lost = event.code is EventCode.CONNECTIONS_LOST
    return EventLine(
        number=event.number,
        at_seconds=event.at_seconds,
        until_seconds=event.at_seconds,
        kind=event.kind,
        clients=() if event.client is None else (event.client,),
        text="",
        label=_what_happened(event, is_over=is_over),
        detail=event.detail,
        by_hand=event.by_hand,
        count=event.data["users"] if lost else 1,
        error_class=event.data.get("error_class", ""),
    )


def _what_happened(event: RunEvent, *, is_over: bool) -> str:
    """The text of an event's line; an error's class is written in words, to distinguish it from the event with the same
    name. ``is_over``: the run is, and with it what its workstation did last."""
    match event.code:
        case EventCode.CONNECTIONS_LOST:
            return "connection lost"
        case EventCode.SERVER_ERROR:
            return f"error, {event.data['error_class'].replace('_', ' ')}: {event.data['text']}"
    return f"error, {event.label}" if event.kind is EventKind.TARGET_ERROR else event_label(event, is_over=is_over)


def _topic(line: EventLine) -> str:
    """What events must share to become one line: for errors the class, since the text may name the client."""
    return line.error_class or line.label


def _belongs(group: EventLine, line: EventLine) -> bool:
    is_near = line.at_seconds - group.until_seconds <= GROUPED_SECONDS
    return is_near and line.at_seconds - group.at_seconds <= LONGEST_GROUP_SECONDS


def _joined(group: EventLine, line: EventLine) -> EventLine:
    return replace(
        group,
        until_seconds=line.at_seconds,
        clients=tuple(sorted({*group.clients, *line.clients})),
        detail=group.detail or line.detail,
        count=group.count + line.count,
    )


def _written(line: EventLine, labels: dict[int, str]) -> EventLine:
    """The line with its text, and with the clients in its detail if the text only counts them."""
    names = [labels.get(client, str(client)) for client in line.clients]
    times = f" ×{line.count}" if line.kind is EventKind.CONNECTION_LOST and line.count > 1 else ""
    if len(names) > 1:
        who = "all clients: " if len(names) == len(labels) else f"{len(names)} clients: "
        detail = "\n".join(part for part in (line.detail, ", ".join(names)) if part)
        return replace(line, text=units_joined(f"{who}{line.label}{times}"), detail=detail)
    # A lost client's own label names it already.
    who = f"{names[0]}: " if names and line.kind is not EventKind.CLIENT_LOST else ""
    audit = f"; {line.detail}" if line.kind in _AUDITED and line.detail else ""
    return replace(line, text=f"{units_joined(f'{who}{line.label}{times}')}{audit}")
