"""What a running run emits of its load: a Sample of each client and a ProbeSample of each store, every second.

Counts travel, rates are derived: a sample holds only what can be added up. A second for which there is no sample is
unknown, which is not the same as a second with no orders.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple


class Count(NamedTuple):
    """What was counted of one type of transactions, or of steps.

    How many ended, the sum of their response times and the longest of them in whole microseconds (0 of a step, of which
    it is not recorded), and the response times as ``engine.histogram.pack`` makes them; ``None`` is not recorded.
    """

    n: int = 0
    sum_us: int = 0
    max_us: int = 0
    histogram: bytes | None = b""


class CountNames(NamedTuple):
    """The names of the numbers of a ``Count`` where they stand beside those of other types: in blocks and series."""

    n: str
    sum_us: str
    max_us: str

    @classmethod
    def of(cls, transaction: str) -> "CountNames":
        """Those of the type with this id."""
        return cls(f"{transaction}.n", f"{transaction}.sum_us", f"{transaction}.max_us")


_NOTHING = Count()


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One client's counts of one second.

    ``second`` counts from the run's epoch; a transaction belongs to the second in which it ended. Users by state always
    add up to the client's users; those that are connected and wait for the clock to start count as thinking, and
    those that a stage of the load leaves out as inactive. ``queue`` is how many transactions of an open loop were due
    at the end of the second and not begun, ``backlog`` how much the workload's own emulation had due then
    (``engine.workload.backlog``; 0 for a workload without one). ``rows_received`` are the rows of the answers that came
    since the sample before, and ``bytes_received`` their bytes, 0 where the database's driver does not say.
    ``transactions`` holds the counts of each type and step of the run's workload by its id, first of those that the
    headline metric counts. ``overdue`` holds, as histograms do, how long the transactions waited that their users'
    schedules had due while another was under way (``engine.workload.schedule``): together with the response times of
    the transactions they are the response times as intended by the schedule; ``None`` is no schedule, or not recorded.
    ``errors`` names only the classes that occurred. ``covers`` is how many whole seconds, ending with ``second``, the
    counts are of: 1 in our own runs, the report interval in an imported DVD Store log.
    """

    client: int
    second: int
    covers: int = 1
    working: int = 0
    thinking: int = 0
    inactive: int = 0
    reconnecting: int = 0
    down: int = 0
    rollbacks: int = 0
    retries: int = 0
    reconnects: int = 0
    in_doubt: int = 0
    queue: int = 0
    backlog: int = 0
    rows_received: int = 0
    bytes_received: int = 0
    transactions: Mapping[str, Count] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    overdue: bytes | None = None

    def of(self, transaction: str) -> Count:
        """The counts of a type of transactions or steps, by its id."""
        return self.transactions.get(transaction, _NOTHING)


COUNTS = tuple(each.name for each in fields(Sample) if each.type is int and each.name not in ("client", "second"))
"""The whole numbers of a sample that are of no one type of transaction."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeSample:
    """What the probe of one store saw in one second; ``store`` counts from 1 in ``RunPlan.stores()``.

    ``slots`` has a character for each tenth of the second: ``WRITABLE`` when the answer came in it that a write was
    committed, ``READ_ONLY`` when only such came that writes are refused, ``NO_ANSWER`` when it was asked and none came,
    ``NOT_ASKED`` otherwise. ``host`` is the one that answered last, the one that takes writes before others.
    """

    store: int
    second: int
    slots: str
    host: str = ""


WRITABLE, READ_ONLY, NO_ANSWER, NOT_ASKED = "w", "r", "-", "?"
SLOTS_PER_SECOND = 10
