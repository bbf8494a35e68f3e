"""The probe: asks every server ten times a second whether it commits writes, beside the load.

Started by ``Run`` as one process for all stores: in the application's own, a repaint or a busy collector would hold
its threads up by more than the tenth of a second that is measured. It has a thread for each server and user, so that
none waits for another, and sends a sample of each store a second. It ends with its pipe, as the clients do.

Stores on the same server are asked for by one question, where its databases fail together: 24 of them would cost the
server 240 commits a second, a fifth as many as 768 users' orders. What somebody has set for one database alone, such as
that it only be read, then shows for all or for none of them.
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from engine.databases import database_of
from engine.databases.database import Prober
from engine.driver.messages import Begin, ProbedStore
from engine.driver.probe_board import NOTHING, ProbeBoard, Seen
from engine.driver.timebase import Timebase
from engine.errors import ErrorClass, TargetError
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import SLOTS_PER_SECOND

_WAIT_FOR_EPOCH_SECONDS = 120.0
# An answer that comes with the last moment of a second is still noted before its sample is sent.
_MARGIN_SECONDS = 0.05
# A host that refuses the user, or lacks the database, is not asked ten times a second why.
_REFUSED_SLOTS = SLOTS_PER_SECOND
# What a server says, or doesn't, that is gone; any other error is a refusal.
_OUT = (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)
_STACK_BYTES = 512 * 1024


def run_probe(pipe: "Connection[Any, Any]", stores: Sequence[ProbedStore]) -> None:
    """The process's main function; it returns when the run has no more to hear of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        message = pipe.recv() if pipe.poll(_WAIT_FOR_EPOCH_SECONDS) else None
    except (EOFError, OSError):
        return
    if not isinstance(message, Begin):
        return
    threading.stack_size(_STACK_BYTES)
    boards = [ProbeBoard(store.number, _name_of(store.target), list(map(str, store.target.hosts))) for store in stores]
    askers = askers_of(stores, boards, message.timebase)
    for asker in askers:
        asker.start()
    _tick(pipe, message.timebase, boards, askers)


def _name_of(target: Target) -> str:
    return target.label or target.database


def askers_of(stores: Sequence[ProbedStore], boards: "Sequence[ProbeBoard]", timebase: Timebase) -> "list[HostAsker]":
    """One for each server, which notes on the boards of all stores there; the first of these has the question asked."""
    askers: dict[tuple[object, ...], HostAsker] = {}
    for store, board in zip(stores, boards, strict=True):
        database, target = database_of(store.target.kind), store.target
        for number, host in enumerate(target.hosts):
            asked = replace(target, hosts=(host,), label="")
            if database.databases_fail_together:
                asked = asked.with_database(database.maintenance_database)
            asker = askers.setdefault((asked, store.secret), HostAsker(timebase, name=str(host)))
            asker.add(database.prober(target, host, store.secret), board, number)
    return list(askers.values())


def _tick(
    pipe: "Connection[Any, Any]", timebase: Timebase, boards: "Sequence[ProbeBoard]", askers: "Sequence[HostAsker]"
) -> None:
    """Send each second when it is over, until the pipe ends or says anything: the run is over then."""
    second = 0
    try:
        while not pipe.poll(max(0.0, timebase.moment(second + 1) + _MARGIN_SECONDS - time.monotonic())):
            told: list[object] = []
            for board in boards:
                sample, events = board.take(second)
                told += [sample, *events]
            # In one piece: each that arrives costs the run's collector two waits for its interpreter's lock.
            pipe.send((*told, *(event for asker in askers if (event := asker.take_fault()) is not None)))
            second += 1
    except (EOFError, OSError):
        return


class HostAsker:
    """Asks one server in every slot, and notes what it shows; its thread ends with the process.

    A database that refuses, or is closed, says nothing of the others: then another store's is asked in.
    """

    def __init__(self, timebase: Timebase, *, name: str) -> None:
        self._probers: deque[Prober] = deque()
        self._boards: list[tuple[ProbeBoard, int]] = []
        self._timebase = timebase
        self._name = name
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=f"probe-{name}", daemon=True)

    def add(self, prober: Prober, board: ProbeBoard, host: int) -> None:
        """A store there, of which this is the host of that number; to be called before ``start``, once at least."""
        self._probers.append(prober)
        self._boards.append((board, host))

    def start(self) -> None:
        self._thread.start()

    def take_fault(self) -> RunEvent | None:
        """The warning that a fault of our own has ended it; once, and never the words of the fault."""
        fault = self._fault
        if fault is None:
            return None
        self._fault = None
        label = f"the probe of {self._name} is lost"
        detail = f"{type(fault).__name__}; from now on its black-outs show only in the orders"
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
                slot += self._ask(slot)
        except Exception as fault:
            self._fault = fault

    def _ask(self, slot: int) -> int:
        """Ask until the slot is over, and note what came; how many slots that is good for."""
        for _ in range(len(self._probers)):
            try:
                answer = self._probers[0].ask(max(0.0, self._begin_of(slot + 1) - time.monotonic()))
            except TargetError as error:
                self._probers.rotate(-1)
                if error.error_class in _OUT:
                    answer = None
                else:
                    continue
            self._note((slot,), NOTHING if answer is None else Seen(answer))
            return 1
        self._note(range(slot, slot + _REFUSED_SLOTS), NOTHING)
        return _REFUSED_SLOTS

    def _note(self, slots: Iterable[int], seen: Seen) -> None:
        for slot in slots:
            for board, host in self._boards:
                board.note(host, slot, seen)

    def _begin_of(self, slot: int) -> float:
        return self._timebase.moment(slot / SLOTS_PER_SECOND)

    def _slot_now(self) -> int:
        return int(self._timebase.at(time.monotonic()) * SLOTS_PER_SECOND)
