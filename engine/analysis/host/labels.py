"""What counters and their readers are called: in legends, in the window and in documents."""

from collections import Counter
from collections.abc import Iterable

Reader = tuple[str, int]
"""A machine, and the number of one of those who read it."""


def counter_label(counter: str, machine: str, reader: str = "") -> str:
    """``CPU (db1)``; with what has read it where that has to be told, ``CPU (db1, Prometheus)``."""
    of = ", ".join(filter(None, (machine, reader)))
    return f"{counter} ({of})" if of else counter


def reader_names(readers: Iterable[tuple[Reader, str]]) -> dict[Reader, str]:
    """What to call each reader, given with its own name; those of a machine that have the same are numbered."""
    named = dict(readers)
    alike = Counter((machine, name) for (machine, _), name in named.items())
    had: Counter[tuple[str, str]] = Counter()
    found = {}
    for (machine, number), name in sorted(named.items()):
        had[machine, name] += 1
        found[machine, number] = f"{name} {had[machine, name]}" if alike[machine, name] > 1 else name
    return found
