"""What a running client tells: one Sample a second, and events as they happen.

Counts travel, rates are derived: a sample holds only what can be added up. A second for which there is no sample is
unknown, which is not the same as a second with no orders.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One client's counts of one second.

    ``second`` counts from the run's epoch; an order belongs to the second in which it ended. Users by state always
    add up to the client's users; those that are connected and wait for the clock to start count as thinking. Response
    times are sums of microseconds over the steps that ended in this second; ``histogram`` holds the orders' response
    times as ``engine.histogram.pack`` makes them. ``errors`` names only the classes that occurred. ``covers`` is how
    many whole seconds, ending with ``second``, the counts are of: 1 in our own runs, the report interval in an imported
    DVD Store log.
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


class EventKind(StrEnum):
    """What happened in a run; only events mark time on its charts."""

    PHASE = "phase"
    MARK = "mark"
    WARNING = "warning"
    CONNECTION_LOST = "connection lost"
    CONNECTION_BACK = "connection back"
    TARGET_ERROR = "target error"
    CLIENT_LOST = "client lost"
    CLIENT_FAILED = "client failed"
    LIBRARY = "library"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEvent:
    """Something that happened at ``at_seconds`` after the run's epoch, to one client or (``None``) to the run.

    ``number`` is its place in the run, from 1, and stays when the event is changed; 0 is not numbered yet. The label of
    a mark is what it says.
    """

    at_seconds: float
    kind: EventKind
    label: str
    client: int | None = None
    detail: str = ""
    by_hand: bool = False
    number: int = 0
