"""What happens in a run: its kind for readers, its code and data for programs, its label for the log of events.

A program decides by kind, code and data; it never reads the label.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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
    INJECTION = "injection"
    FAULT_END = "fault end"
    PROBE = "probe"
    STORE = "store"  # others used a store of the run
    VOLUME = "volume"  # the volume of a disk was measured by itself


class EventCode(StrEnum):
    """What exactly happened, where programs distinguish it within a kind; the comment names the event's data.

    The values are stored in libraries and exports, so they are never changed. Times are seconds unless the name of a
    value has another unit.
    """

    NONE = ""  # the kind says all that programs need

    PHASE_BEGAN = "phase began"  # state: the ``RunState`` that began

    # ``stage`` is the number of a stage of the load. Rates and throughputs are in units of the headline metric.
    STAGE_BEGAN = "stage began"  # stage, users or rate, seconds, settle_seconds, think_time_ms where it has one
    STAIRCASE_ENDED = "staircase ended"  # reason, stage, throughput, p95_ms, and the limit or growth that was decisive
    RATE_NOT_HELD = "rate not held"  # rate, queue, grew_seconds, completed, held_rate (or None), workstation_limited

    # The three limits of a workstation, and what may become one. ``lasted_seconds`` is None while it goes on, ``how``
    # names the measures over their limits as a clause, ``how_past`` the same in the past, ``busy_pct`` is the use of
    # all processors at worst or None.
    WORKSTATION_BOTTLENECK = "workstation bottleneck"
    WORKSTATION_DISTORTION = "workstation distortion"
    WORKSTATION_NETWORK = "workstation network"
    WORKSTATION_BUSY = "workstation busy"

    WORKSTATION_SUSPENDED = "workstation suspended"  # seconds
    MAIN_PROCESS_STOOD_STILL = "main process stood still"  # seconds
    WORKSTATION_CLOCK_SET = "workstation clock set"  # ahead_seconds, negative when it was set back
    CLIENT_CLOCK_DRIFTED = "client clock drifted"  # ahead_ms, negative when it is behind

    STARTED_INCOMPLETE = "started incomplete"  # clients: labels of those of which users were not connected
    PROBE_LOST = "probe lost"  # the process that probes all stores
    STORE_PROBE_LOST = "store probe lost"  # the part of it that asks one server

    # ``collector`` is the number of one, ``machine`` the name of what it reads, ``source`` the way.
    COLLECTORS_LOST = "collectors lost"  # the process of all of them
    COLLECTOR_FAILING = "collector failing"  # collector, machine, source, text
    COLLECTOR_BACK = "collector back"  # collector, machine, source, failed_seconds
    COLLECTOR_CLOCK_OFF = "collector clock off"  # collector, machine, source, ahead_seconds, error_seconds

    # ``machine`` is the name of a load machine. ``started`` has for each how late its users began by its own clock,
    # and within what that is known: ``late_ms`` and ``error_ms``; ``skew_ms`` is how far apart they were by these, and
    # ``error_ms`` what may be added to it.
    LOAD_MACHINES_STARTED = "load machines started"  # skew_ms, error_ms, started
    LOAD_MACHINE_LOST = "load machine lost"  # machine, silent_seconds
    LOAD_MACHINE_BACK = "load machine back"  # machine, silent_seconds
    LOAD_MACHINE_CLOCK_DRIFTED = "load machine clock drifted"  # machine, ahead_ms, error_ms
    LOAD_MACHINE_REFUSED = "load machine refused"  # address, reason
    SCHEDULER_LOST = "scheduler lost"  # that of the load machines
    LEDGER_NOT_FETCHED = "ledger not fetched"  # machine, reason, folder: where it is on the machine

    CONNECTIONS_LOST = "connections lost"  # users
    CONNECTIONS_BACK = "connections back"  # users, first_seconds, median_seconds, last_seconds
    SERVER_ERROR = "server error"  # error_class, text
    USERS_HUNG = "users hung"  # users
    USERS_WAITED = "users waited"  # users, longest_seconds

    LEDGER_UNWRITTEN = "ledger unwritten"  # held in memory and tried again
    LEDGER_WRITTEN = "ledger written"  # after it could not be
    LEDGER_GIVEN_UP = "ledger given up"
    LEDGER_KEPT_ELSEWHERE = "ledger kept elsewhere"
    LEDGER_LOST = "ledger lost"

    # ``when``: before or after the run; ``load``: a key of ``PROBE_LOADS`` in ``engine.machines.storage_probes``;
    # ``disk``: the block device as collectors name it; ``error``: why it was not measured, in the place of what follows
    # the load. when, folder, machine, load, disk, filesystem, file_mb, seconds, iops, mean_ms, p99_ms, engine
    VOLUME_MEASURED = "volume measured"

    # What others did to a store of the run; ``place`` names the store as sentences do.
    STORE_REMOVED = "store removed"
    STORE_REBUILT = "store rebuilt"
    STORE_LEASE_TAKEN = "store lease taken"
    STORE_HELD_BY_OTHERS = "store held by others"
    STORE_FOREIGN_ORDERS = "store foreign orders"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEvent:
    """Something that happened at ``at_seconds`` after the run's epoch, to one client or (``None``) to the run.

    ``number`` is its place in the run, from 1, and stays when the event is changed; 0 is not numbered yet. The label of
    a mark is what it says. ``data`` has the values that ``code`` names, of types that JSON has. ``is_fault`` is true of
    a mark or an injection that the run is to recover from, judged from ``at_seconds`` on. An injection's detail is its
    line for the audit: who, what, when, and what came of it.
    """

    at_seconds: float
    kind: EventKind
    label: str
    code: EventCode = EventCode.NONE
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    client: int | None = None
    detail: str = ""
    by_hand: bool = False
    number: int = 0
    is_fault: bool = False
