"""Warnings of losses at the run's clients that Spindle itself caused or can't account for: users, their last
transactions, the ledger.

Called by ``run_warnings``, which also warns of seconds without a sample; a server's errors are part of the result.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.analysis.run_data import RunData
from engine.figure_text import counted, listed
from engine.telemetry.event import EventCode, EventKind, RunEvent

# An outage at the end hangs the users of all clients: so many have a sentence, the others are named.
_MOST_CLIENTS = 3
_LEDGER_STATES = frozenset(
    {
        EventCode.LEDGER_UNWRITTEN,
        EventCode.LEDGER_WRITTEN,
        EventCode.LEDGER_GIVEN_UP,
        EventCode.LEDGER_KEPT_ELSEWHERE,
        EventCode.LEDGER_LOST,
    }
)


class _Loss(NamedTuple):
    """The codes of the events of a loss, and its sentences for one client and for several."""

    find: Callable[[RunData], list[RunEvent]]
    sentence: str
    in_short: str


def client_warnings(run: RunData) -> Iterator[str]:
    """A sentence for each loss of a few clients; then the names of the others."""
    labels = {client.number: client.label for client in run.clients}
    for loss in _LOSSES:
        by_client: defaultdict[str, list[RunEvent]] = defaultdict(list)
        for event in loss.find(run):
            if event.client in labels:
                by_client[labels[event.client]].append(event)
        for label in list(by_client)[:_MOST_CLIENTS]:
            yield _sentence(loss, label, by_client[label], run)
        if others := list(by_client)[_MOST_CLIENTS:]:
            yield f"So it was of {listed(others)}: {loss.in_short}."


def _sentence(loss: _Loss, client: str, events: list[RunEvent], run: RunData) -> str:
    first, *later = events
    sentence = loss.sentence.format(since=run.clock.second(first.at_seconds), label=first.label, many=run.headline.many)
    more = f" So it was {counted(len(later), 'more time', 'more times')}." if later else ""
    return f"Of client {client}, {sentence}.{more}"


def _ended(run: RunData) -> list[RunEvent]:
    """Losses of users before the measuring ended; later ones are missing in no figure."""
    end = run.phases.measuring_to
    return [
        event
        for event in run.sorted_events()
        if event.kind is EventKind.CLIENT_FAILED and (end is None or event.at_seconds < end)
    ]


def _unwritten(run: RunData) -> list[RunEvent]:
    """Ledgers that could not be written until the end: for each client its last ledger event decides."""
    last = {event.client: event for event in run.sorted_events() if event.code in _LEDGER_STATES}
    return [event for event in last.values() if event.code in (EventCode.LEDGER_UNWRITTEN, EventCode.LEDGER_LOST)]


def _with_code(code: EventCode) -> Callable[[RunData], list[RunEvent]]:
    return lambda run: [event for event in run.sorted_events() if event.code is code]


_LOSSES = (
    _Loss(
        _ended,
        "from {since} on: {label}; no other users took their place",
        "users ended by a fault of Spindle's own",
    ),
    _Loss(
        _with_code(EventCode.USERS_HUNG),
        "{label}; the times of these calls are in no service time",
        "users hung in a call at the end",
    ),
    _Loss(
        _with_code(EventCode.USERS_WAITED),
        "{label}; the run's last second was over, so their wait is in no time as intended",
        "users were waiting when measuring ended",
    ),
    _Loss(_with_code(EventCode.LEDGER_GIVEN_UP), "from {since} on: {label}", "the ledger is given up"),
    _Loss(
        _unwritten,
        "from {since} on: {label}, without success; the audit will lack these {many}",
        "the ledger can't be written",
    ),
)
