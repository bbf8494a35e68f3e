"""The messages between a run and its agents; most of them carry those between the run and a client process.

Moments in them are of the machine's own monotonic clock unless they say otherwise: the controller, which measures how
far the clocks are apart, translates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.driver.messages import ClientStart
from engine.telemetry.event import RunEvent
from engine.telemetry.workstation import WorkstationReport

GRACE_SECONDS = 7.0
"""How long a run waits for a silent load machine before it goes on without it, and an agent for its controller before
it stops its users, which takes up to two seconds more."""
SILENT_SECONDS = 2.5
"""How long nothing may come from the other side before it counts as lost, so that its loss is recorded in the run
within 3 s."""

# The first of a connection; not numbered.


@dataclass(frozen=True, kw_only=True)
class Hello:
    """The agent of a run on a machine, and the number up to which it has received messages. ``session`` is the agent
    process's."""

    run_id: str
    machine: str
    session: str
    received: int
    spindle: str


@dataclass(frozen=True, kw_only=True)
class Welcome:
    """The connection is accepted; the run has received up to this number."""

    received: int


@dataclass(frozen=True)
class Refused:
    """The connection is not accepted, nor would another one be; ``reason`` is a clause."""

    reason: str


# Heartbeats; not numbered.


@dataclass(frozen=True)
class Ping:
    """From the controller, at ``sent_at`` by its clock."""

    sent_at: float


@dataclass(frozen=True)
class Pong:
    """The answer: received and sent at these moments of the machine's clock; ``utc_seconds`` is its time of day at the
    moment of sending."""

    ping_sent_at: float
    received_at: float
    sent_at: float
    utc_seconds: float


# From the run.


@dataclass(frozen=True, kw_only=True)
class ShareOut:
    """Drive these clients; the answer is ``SharedOut``. ``labels`` are their names by number."""

    starts: tuple[ClientStart, ...]
    labels: Mapping[int, str]


@dataclass(frozen=True)
class Launch:
    """Start the client process of this number."""

    process: int


@dataclass(frozen=True)
class ToProcess:
    """A message to a client process."""

    process: int
    message: object


@dataclass(frozen=True)
class CloseProcess:
    """Close the pipe of a client process, which makes it end, and kill it if it does not in time."""

    process: int


@dataclass(frozen=True)
class FetchLedger:
    """Send the piece of a client's ledger that begins at this byte; its process has ended."""

    client: int
    offset: int


@dataclass(frozen=True)
class StopUsers:
    """The run goes on without the machine, which was silent for too long: end its users, and keep the ledgers for the
    run."""


@dataclass(frozen=True)
class EndAgent:
    """The run is over: end, and remove the ledgers if the run has fetched all of them."""

    has_ledgers: bool


# From the agent.


@dataclass(frozen=True, kw_only=True)
class MachineReady:
    """The first message of an agent: the machine as its run's record describes it, usable processors, and the folder of
    the run's ledgers."""

    described: Mapping[str, Any]
    processors: int
    ledgers: str


@dataclass(frozen=True)
class SharedOut:
    """For each client process there: its clients, and whether their users' threads may preempt others."""

    shares: tuple[tuple[tuple[int, ...], bool], ...]


@dataclass(frozen=True)
class FromProcess:
    """Messages of a client process, forwarded together."""

    process: int
    messages: tuple[object, ...]


@dataclass(frozen=True)
class ProcessEnded:
    """A client process has ended, and how, in words."""

    process: int
    how: str


@dataclass(frozen=True)
class MeterEvent:
    """A finding about the machine, with a number of the agent's own that stays the same when it is changed."""

    event: RunEvent


@dataclass(frozen=True)
class MeterReport:
    """A report on the machine; the number of a saturation interval is that of its ``MeterEvent``."""

    report: WorkstationReport


@dataclass(frozen=True, kw_only=True)
class LedgerPiece:
    """Bytes of a client's ledger from ``offset`` on with their SHA-256, and the ledger's ``size``.

    The last piece, which may be empty, also has the SHA-256 of the whole ledger. ``failure`` is a clause on why there
    is nothing to send.
    """

    client: int
    offset: int
    data: bytes = b""
    sha256: bytes = b""
    size: int = 0
    ledger_sha256: bytes = b""
    failure: str = ""
