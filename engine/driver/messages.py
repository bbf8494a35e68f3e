"""What the run and its client processes say to each other through their pipe; samples and events travel beside.

The run says one message at a time; a process sends a tuple of all that it has to say at that moment. A process, which
may be that of several clients, goes by the number of the first of them.
"""

from dataclasses import asdict, dataclass
from typing import Any

from engine.databases.database import Timeouts
from engine.driver.start_gate import Pace
from engine.driver.timebase import Timebase
from engine.driver.turns import USERS_TURN_US
from engine.dvdstore.user import Mix
from engine.secrets import Secret
from engine.target.target import Target


@dataclass(frozen=True, kw_only=True)
class ClientStart:
    """All that a client needs to know, from its process's start on. ``ledger`` is the file for its orders, if any."""

    client: int
    target: Target
    secret: Secret | None
    mix: Mix
    threads: int
    ramp_rate: float
    seed: int
    timeouts: Timeouts
    ledger: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProbedStore:
    """A store that the probe watches: its number from 1 in ``RunPlan.stores()``, and where it is."""

    number: int
    target: Target
    secret: Secret | None


@dataclass(frozen=True, kw_only=True)
class Begin:
    """Where the run's second 0 is on the monotonic clock, and how long its seconds are: start the ramp then.

    ``beat_seconds`` is how often the process's heart beats, see ``engine.driver.vitals``; ``users_turn_us`` how long
    the turns of its users are on a processor, and ``users_may_preempt`` whether they interrupt others when they wake,
    see ``engine.driver.turns``; ``loops`` how many threads may drive them, see ``engine.driver.sharing``.
    """

    timebase: Timebase
    beat_seconds: float = 0.01
    users_turn_us: int = USERS_TURN_US
    users_may_preempt: bool = True
    loops: int = 1


@dataclass(frozen=True, kw_only=True)
class Go:
    """The clock starts ``at_seconds`` after the epoch: the users, connected by now, begin to order at a ``pace``."""

    at_seconds: float
    pace: Pace


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Which seconds will be measured: ``first <= second < end``, without an end until the run is stopped.

    Said before they begin, and again when the run is extended.
    """

    first: int
    end: int | None


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Let the users end their orders, for at most ``within_seconds``; then cut them, tell the last, and leave."""

    within_seconds: float


@dataclass(frozen=True, kw_only=True)
class Ready:
    """The process has loaded what it needs and waits for the epoch."""

    pid: int


@dataclass(frozen=True, kw_only=True)
class AllConnected:
    """Every user of the client has had a connection, and waits."""

    client: int


@dataclass(frozen=True, kw_only=True)
class VitalSigns:
    """How a client process fared since it told of it last, about a second before ``told_at`` (monotonic).

    ``heartbeat`` is how late its heartbeats came, in microseconds, as ``engine.histogram.pack`` makes it.
    ``run_queue_ms`` is how long the threads that drive its users waited for a processor, in sum; ``answers_waited_ms``
    how long answers that had come waited for such a thread, in sum. Either is ``None`` where nobody tells.
    ``order_ms`` is the sum of the response times of the ``orders`` that ended; ``tick_late_ms`` how late its samples
    were. ``usable_processors`` is how many its users' threads can use at once.
    """

    process: int
    told_at: float
    heartbeat: bytes
    longest_gc_pause_ms: float
    run_queue_ms: float | None
    answers_waited_ms: float | None
    orders: int
    order_ms: float
    tick_late_ms: float
    usable_processors: int

    @property
    def users_waited_ms(self) -> float | None:
        """How long all users together waited for the workstation when their answers had come.

        Where no answer is stamped, how long the threads waited for a processor: of users with a thread each that is
        theirs, of loops for many of them it is the least.
        """
        return self.run_queue_ms if self.answers_waited_ms is None else self.answers_waited_ms


@dataclass(frozen=True, kw_only=True)
class VitalTotals:
    """The same from the start of the clock to the stop; ``late_ticks`` are those later than 100 ms.

    Of the heartbeats' delays, milliseconds; ``None`` when there was none. ``order_waited_ms`` is how long an
    order's answers waited for the workstation when they had come, the mean.
    """

    heartbeat_mean_ms: float | None
    heartbeat_p99_ms: float | None
    heartbeat_max_ms: float | None
    longest_gc_pause_ms: float
    run_queue_ms: float | None
    order_waited_ms: float | None
    late_ticks: int


@dataclass(frozen=True, kw_only=True)
class Farewell:
    """A client process's last word: what it cost the workstation, and how late the latest of its samples was made."""

    clients: tuple[int, ...]
    cpu_user_seconds: float
    cpu_system_seconds: float
    peak_memory_mb: float | None
    worst_tick_late_ms: float
    unfinished_users: int
    vitals: VitalTotals

    def totals(self, clock_offset_ms: float | None) -> dict[str, Any]:
        """All of it as plain values for the run's totals, with how far the process's clock was from the run's."""
        told = asdict(self)
        vitals = told.pop("vitals")
        return {**told, **vitals, "clients": list(self.clients), "clock_offset_ms": clock_offset_ms}
