"""What is known of a run at a moment, of one client or of all: the figures of the head line and of the client table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WINDOW_SECONDS = 10
WINDOWS_SECONDS = (10, 30, 60)
USER_STATES = ("working", "thinking", "reconnecting", "down")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is known of one client, or of all, at a moment; ``None`` is not known.

    ``orders`` and what belongs to them count from the reset of the statistics, before it from the start; ``errors``,
    ``retries`` and ``reconnects`` are all since the start. Response times, milliseconds, are of the last window while
    the run goes on, and of the measured seconds when it is over; as served, and ``intended`` as the users' schedule
    had them, which is not known of users without one.
    """

    opm_running: int | None
    opm_now: float | None
    opm_window: float | None
    orders: int
    new_customers: int
    rollbacks: int
    rollback_pct: float | None
    retries: int
    reconnects: int
    mean_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    intended_p95_ms: float | None = None
    intended_p99_ms: float | None = None
    errors: Mapping[str, int] = field(default_factory=dict)
    users: Mapping[str, int] = field(default_factory=dict)
