"""The summaries of client processes in a run's totals, see ``engine.driver.messages.ProcessSummary``.

Called by reports and by displays of stored runs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Summary = Mapping[str, Any]


def process_summaries(totals: Mapping[str, Any] | None) -> Sequence[Summary]:
    """The summary of each client process; empty for an imported run or one without totals."""
    return (totals or {}).get("driver") or ()


def clients_of(summary: Summary) -> tuple[int, ...]:
    """The numbers of a process's clients; older runs have one process for each client."""
    return tuple(summary.get("clients") or (summary["client"],))


def label_of(summary: Summary, labels: Sequence[str]) -> str:
    """The name of a process, made of the labels of all clients of the run."""
    return together([labels[client - 1] for client in clients_of(summary)])


def together(labels: Sequence[str]) -> str:
    """The labels of consecutive clients in one text: "a", "a and b", "a to c"."""
    first, *others = labels
    return first if not others else f"{first} {'to' if others[1:] else 'and'} {others[-1]}"
