"""The messages between the run and its client processes; samples and events use the same pipe.

The run sends one message at a time; a process sends a tuple of all messages that it has at that moment, among them the
types of ``engine.telemetry``. A process may have several clients; its number is that of the first of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.databases.database import Timeouts
from engine.driver.start_gate import Pace
from engine.driver.time_slices import USER_TIME_SLICE_US
from engine.driver.timebase import Timebase
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.pacing import PacingPlan
from engine.workload.registry import find_workload
from engine.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class ClientStart:
    """Everything that a client needs to know when its process starts.

    ``workload`` is an id, ``parameters`` are the workload's with the scale of the store. ``first_user`` is how many
    users the clients before this one have on the same store; ``ledger`` is the file for its orders, if any. ``pacing``
    is its share of a load by stages or of an open loop.
    """

    client: int
    target: Target
    secret: Secret | None
    workload: str
    parameters: Mapping[str, Any]
    think_time_ms: float
    threads: int
    pacing: PacingPlan | None = None
    first_user: int = 0
    ramp_rate: float
    seed: int
    timeouts: Timeouts
    ledger: str | None = None

    def found_workload(self) -> Workload:
        """The workload; imports its package."""
        return find_workload(self.workload)

    @property
    def mean_think_seconds(self) -> float:
        return self.found_workload().mean_think_seconds(self.parameters, self.think_time_ms)


@dataclass(frozen=True, kw_only=True)
class ProbedStore:
    """A store that the probe queries: its number from 1 in ``RunPlan.stores()``, and its target."""

    number: int
    target: Target
    secret: Secret | None


@dataclass(frozen=True, kw_only=True)
class Begin:
    """Start the ramp at the run's second 0; ``timebase`` says when that is, and how long a second of the run lasts.

    ``beat_seconds`` is the interval of the process's heartbeat, see ``engine.driver.process_health``.
    ``user_time_slice_us`` is the time slice of its users' threads, and ``users_may_preempt`` whether they preempt other
    threads when they wake, see ``engine.driver.time_slices``. ``loops`` is how many threads may drive the users, see
    ``engine.driver.sharing``. The process ends when no message has come for ``silent_seconds``; ``None`` where the end
    of the pipe says enough.
    """

    timebase: Timebase
    beat_seconds: float = 0.01
    user_time_slice_us: int = USER_TIME_SLICE_US
    users_may_preempt: bool = True
    loops: int = 1
    silent_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class StartOrdering:
    """The clock starts ``at_seconds`` after the epoch: the connected users begin to place orders at a ``pace``.

    ``measuring_from`` is the second at which measuring begins, and with it the first stage of the load.
    """

    at_seconds: float
    measuring_from: int
    pace: Pace


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Which seconds will be measured: ``first <= second < end``; ``end`` is ``None`` for until the run is stopped.

    Sent before they begin, and again when the run is extended.
    """

    first: int
    end: int | None


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Let the users end their orders, for at most ``within_seconds``; then cut them, send the last samples, and end."""

    within_seconds: float


@dataclass(frozen=True)
class KeepAlive:
    """Whoever has started the process is still there."""


@dataclass(frozen=True, kw_only=True)
class Ready:
    """The process has loaded what it needs and waits for the epoch."""

    pid: int


@dataclass(frozen=True, kw_only=True)
class AllConnected:
    """Every user of the client has connected and waits for the start."""

    client: int


@dataclass(frozen=True, kw_only=True)
class OrderingBegan:
    """The first user of the process began to place orders ``late_ms`` after its moment, by the clock of its machine."""

    late_ms: float


@dataclass(frozen=True, kw_only=True)
class HealthReport:
    """The health of a client process since its last report, about a second before ``sent_at`` (monotonic).

    ``heartbeat`` is a histogram of the lateness of its heartbeats in microseconds, packed by ``engine.histogram.pack``.
    ``run_queue_ms`` is the total time that the threads driving its users waited for a processor; ``answers_waited_ms``
    the total time that answers had arrived without being read. Either is ``None`` where the system does not measure it.
    ``order_ms`` is the sum of the response times of the ``orders`` that ended; ``tick_late_ms`` the lateness of its
    samples. ``usable_processors`` is how many processors its users' threads can use at once.
    """

    process: int
    sent_at: float
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
        """How long all users together waited for the workstation after their answers had arrived.

        Without timestamps of arrival: how long the threads waited for a processor. That is exact for users with a
        thread each, and a lower bound for loops that drive many users.
        """
        return self.run_queue_ms if self.answers_waited_ms is None else self.answers_waited_ms
