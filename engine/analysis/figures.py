"""The figures of a run at a moment, of one client or of all: for the head line and the client table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WINDOW_SECONDS = 10
WINDOWS_SECONDS = (10, 30, 60)
USER_STATES = ("working", "thinking", "reconnecting", "down")
PROGRAM_STATES = ("working", "down")
"""Those of the threads of a program, where a load has no users."""
INACTIVE = "inactive"
"""The state of users that a stage of the load leaves out; runs without stages have none."""


def state_word(state: str, *, is_open_loop: bool) -> str:
    """How a state is shown: users of an open loop do not think, but have nothing to do until something is due."""
    return "idle" if is_open_loop and state == "thinking" else state


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of one client, or of all, at a moment; ``None`` is unknown.

    ``all_a_minute`` are the transactions of all types a minute over the measured time, where a workload has several.
    ``orders`` and its parts count from the reset of the statistics, before that from the start; ``errors``, ``retries``
    and ``reconnects`` always count from the start. Response times, in milliseconds, are those of the last window during
    the run, and of the measured seconds afterwards; ``intended`` ones are those as intended, which exist only with
    think time. ``queue`` is what is due and not begun, ``None`` but in an open loop; ``backlog`` is that of the
    workload's own emulation, ``None`` where it has no queue.
    """

    headline_rate_running: float | None
    headline_rate_now: float | None
    headline_rate_window: float | None
    all_a_minute: int | None = None
    orders: int
    rollbacks: int | None
    rollback_pct: float | None
    retries: int | None
    reconnects: int | None
    mean_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    intended_p95_ms: float | None = None
    intended_p99_ms: float | None = None
    errors: Mapping[str, int] | None = field(default_factory=dict)
    users: Mapping[str, int] = field(default_factory=dict)
    queue: int | None = None
    backlog: int | None = None

    @property
    def error_count(self) -> int | None:
        """The number of errors of all classes."""
        return None if self.errors is None else sum(self.errors.values())
