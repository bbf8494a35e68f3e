"""The names of client processes, made of the labels of their clients."""

from collections.abc import Sequence

from engine.telemetry.workstation import ProcessSummary


def label_of(summary: ProcessSummary, labels: Sequence[str]) -> str:
    """The name of a process, made of the labels of all clients of the run."""
    return together([labels[client - 1] for client in summary.clients])


def together(labels: Sequence[str]) -> str:
    """The labels of consecutive clients in one text: "a", "a and b", "a to c"."""
    first, *others = labels
    return first if not others else f"{first} {'to' if others[1:] else 'and'} {others[-1]}"
