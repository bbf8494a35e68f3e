"""What a running run emits of its load: a Sample of each client and a ProbeSample of each store, every second.

Counts travel, rates are derived: a sample holds only what can be added up. A second for which there is no sample is
unknown, which is not the same as a second with no orders.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One client's counts of one second.

    ``second`` counts from the run's epoch; an order belongs to the second in which it ended. Users by state always add
    up to the client's users; those that are connected and wait for the clock to start count as thinking. Response times
    are sums of microseconds over the steps that ended in this second; ``histogram`` holds the orders' response times as
    ``engine.histogram.pack`` makes them, ``overdue`` in the same way how long the orders waited that their users'
    schedules had due while another was under way (``engine.workload.schedule``): the two together are the response
    times as intended by the schedule; ``None`` is no schedule, or not recorded. ``steps`` holds the response times of
    the steps that occurred in the same way, by their names; ``None`` is not recorded. ``errors`` names only the classes
    that occurred. ``covers`` is how many whole seconds, ending with ``second``, the counts are of: 1 in our own runs,
    the report interval in an imported DVD Store log.
    """

    client: int
    second: int
    covers: int = 1
    working: int = 0
    thinking: int = 0
    reconnecting: int = 0
    down: int = 0
    orders: int = 0
    new_customers: int = 0
    logins: int = 0
    browses: int = 0
    purchases: int = 0
    rollbacks: int = 0
    retries: int = 0
    reconnects: int = 0
    in_doubt: int = 0
    order_us: int = 0
    new_customer_us: int = 0
    login_us: int = 0
    browse_us: int = 0
    purchase_us: int = 0
    order_us_max: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    histogram: bytes = b""
    overdue: bytes | None = None
    steps: Mapping[str, bytes] | None = None


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
