"""The probe: asks every server ten times a second, independently of the load, whether it commits writes.

``Run`` starts it as one process for all stores: in the application's own process a repaint or a busy collector thread
would delay its threads by more than the tenth of a second that is measured. It has a thread for each server and user,
so that none waits for another, and sends a sample of each store every second. It ends when its pipe does, as the client
processes do.

Where the databases of a server fail together, one query serves all stores on it: 24 stores would otherwise cost the
server 240 commits a second, a fifth as many as 768 users' orders. A setting of a single database, such as read-only,
then shows for all of these stores or for none.
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from engine.databases.database import Prober
from engine.driver.messages import Begin, ProbedStore
from engine.driver.probe_timeline import NO_RESULT, ProbeTimeline, SlotResult
from engine.driver.timebase import Timebase
from engine.errors import ErrorClass, TargetError
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import SLOTS_PER_SECOND
from engine.workloads.systems import system_of

_WAIT_FOR_EPOCH_SECONDS = 120.0
# An answer that arrives at the very end of a second is still recorded before the sample is sent.
_MARGIN_SECONDS = 0.05
# A host that refuses the user, or lacks the database, is not asked ten times a second why.
_REFUSED_SLOTS = SLOTS_PER_SECOND
# The errors of a server that is down; any other error is a refusal.
_UNAVAILABLE = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
_STACK_BYTES = 512 * 1024


def run_probe(pipe: "Connection[Any, Any]", stores: Sequence[ProbedStore]) -> None:
    """The process's main function; it returns when the run closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        message = pipe.recv() if pipe.poll(_WAIT_FOR_EPOCH_SECONDS) else None
    except (EOFError, OSError):
        return
    if not isinstance(message, Begin):
        return
    threading.stack_size(_STACK_BYTES)
    timelines = [
        ProbeTimeline(store.number, _name_of(store.target), list(map(str, store.target.hosts))) for store in stores
    ]
    pollers = pollers_of(stores, timelines, message.timebase)
    for poller in pollers:
        poller.start()
    _tick(pipe, message.timebase, timelines, pollers)


def _name_of(target: Target) -> str:
    return target.label or target.database


def pollers_of(
    stores: Sequence[ProbedStore], timelines: "Sequence[ProbeTimeline]", timebase: Timebase
) -> "list[HostPoller]":
    """One poller for each server, which records on the timelines of all stores there; it queries the first of them."""
    pollers: dict[tuple[object, ...], HostPoller] = {}
    for store, timeline in zip(stores, timelines, strict=True):
        system, target = system_of(store.target.kind), store.target
        for number, host in enumerate(target.hosts):
            asked = system.probed(replace(target, hosts=(host,), label=""))
            poller = pollers.setdefault((asked, store.secret), HostPoller(timebase, name=str(host)))
            poller.add(system.prober(target, host, store.secret), timeline, number)
    return list(pollers.values())


def _tick(
    pipe: "Connection[Any, Any]",
    timebase: Timebase,
    timelines: "Sequence[ProbeTimeline]",
    pollers: "Sequence[HostPoller]",
) -> None:
    """Send each second when it is over, until the pipe ends or a message comes: the run is over then."""
    second = 0
    try:
        while not pipe.poll(max(0.0, timebase.moment(second + 1) + _MARGIN_SECONDS - time.monotonic())):
            messages: list[object] = []
            for timeline in timelines:
                sample, events = timeline.take(second)
                messages += [sample, *events]
            # In one message: each one costs the run's collector two waits for its interpreter's lock.
            pipe.send((*messages, *(event for poller in pollers if (event := poller.take_failure()) is not None)))
            second += 1
    except (EOFError, OSError):
        return


class HostPoller:
    """Queries one server in every slot and records the answer; its thread ends with the process.

    A database that refuses or is closed says nothing about the others: the next store's database is queried then.
    """

    def __init__(self, timebase: Timebase, *, name: str) -> None:
        self._probers: deque[Prober] = deque()
        self._timelines: list[tuple[ProbeTimeline, int]] = []
        self._timebase = timebase
        self._name = name
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=f"probe-{name}", daemon=True)

    def add(self, prober: Prober, timeline: ProbeTimeline, host: int) -> None:
        """Add a store on this server, which is its host number ``host``; at least once, before ``start``."""
        self._probers.append(prober)
        self._timelines.append((timeline, host))

    def start(self) -> None:
        self._thread.start()

    def take_failure(self) -> RunEvent | None:
        """The warning that an internal error has ended this poller, once; never the error's own text."""
        fault = self._failure
        if fault is None:
            return None
        self._failure = None
        label = f"the probe of {self._name} was lost"
        detail = f"{type(fault).__name__}; from now on its black-outs show only in the load"
        at_seconds = round(self._timebase.at(time.monotonic()), 3)
        return RunEvent(
            at_seconds=at_seconds, kind=EventKind.WARNING, code=EventCode.STORE_PROBE_LOST, label=label, detail=detail
        )

    def _run(self) -> None:
        slot = 0
        try:
            while True:
                slot = max(slot, self._slot_now())
                time.sleep(max(0.0, self._begin_of(slot) - time.monotonic()))
                slot += self._probe_slot(slot)
        except Exception as fault:
            self._failure = fault

    def _probe_slot(self, slot: int) -> int:
        """Query until the slot is over and record the answer; returns how many slots it covers."""
        for _ in range(len(self._probers)):
            try:
                answer = self._probers[0].probe(max(0.0, self._begin_of(slot + 1) - time.monotonic()))
            except TargetError as error:
                self._probers.rotate(-1)
                if error.error_class in _UNAVAILABLE:
                    answer = None
                else:
                    continue
            self._record((slot,), NO_RESULT if answer is None else SlotResult(answer))
            return 1
        self._record(range(slot, slot + _REFUSED_SLOTS), NO_RESULT)
        return _REFUSED_SLOTS

    def _record(self, slots: Iterable[int], seen: SlotResult) -> None:
        for slot in slots:
            for timeline, host in self._timelines:
                timeline.record(host, slot, seen)

    def _begin_of(self, slot: int) -> float:
        return self._timebase.moment(slot / SLOTS_PER_SECOND)

    def _slot_now(self) -> int:
        return int(self._timebase.at(time.monotonic()) * SLOTS_PER_SECOND)
