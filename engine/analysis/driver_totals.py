"""What the totals of a run say of its client processes, as ``engine.driver.messages.ProcessSummary`` reports it.

Called by reports and by whatever shows a stored run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Summary = Mapping[str, Any]


def process_summaries(totals: Mapping[str, Any] | None) -> Sequence[Summary]:
    """What each client process told of itself; none where the run was not driven here, or has no totals."""
    return (totals or {}).get("driver") or ()


def clients_of(summary: Summary) -> tuple[int, ...]:
    """The numbers of a process's clients; older runs have a process for each client."""
    return tuple(summary.get("clients") or (summary["client"],))


def label_of(summary: Summary, labels: Sequence[str]) -> str:
    """What to call a process, by the labels of all clients of the run."""
    return together([labels[client - 1] for client in clients_of(summary)])


def together(labels: Sequence[str]) -> str:
    """Clients that share a process, which are neighbours: "a", "a and b", "a to c"."""
    first, *others = labels
    return first if not others else f"{first} {'to' if others[1:] else 'and'} {others[-1]}"
