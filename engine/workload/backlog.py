"""What a workload's own emulation has to do beside its users' transactions, and has not begun: the orders that wait in
Brokerage's market."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.workload.tally import Tally


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """A queue within the emulation of each client.

    ``id`` is its name in JSON and CSV, ``label`` that on screens, ``unit`` one of what waits in it. ``depth`` returns
    how many are due and not begun in the client of a tally, at a moment of the monotonic clock; from any thread.
    """

    id: str
    label: str
    unit: str
    depth: Callable[[Tally, float], int]
