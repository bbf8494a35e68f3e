"""Stores a run in progress in the library: a sink for its samples and events that can neither block nor break the run.

``Library.start_run`` creates it; the run's collector thread calls its ``write_…`` methods; a separate thread writes.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from queue import Empty, SimpleQueue

from sqlalchemy import Engine

from engine.errors import Cancelled, UserError
from engine.figure_text import whole
from engine.library.backlog import MOST_BYTES, Backlog
from engine.library.connecting import write_transaction
from engine.library.host_readings import PackedReading, ReadingPacker
from engine.library.hour_packer import HourPacker
from engine.library.probe_spans import ProbeSpans
from engine.library.rows import phases_row
from engine.library.run_items import Change, Item, Removal, write_items
from engine.record.record import Phases, RunState
from engine.record.totals import Totals
from engine.record.totals_json import totals_to_dict
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, WorkstationLoad, WorkstationReport

BUSY_SECONDS = 1.0
MOST_QUEUED = 100_000
_GATHER_SECONDS = 0.25
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_MEASURED = (Sample, ProbeSample, WorkstationLoad, MachineLoad, PackedReading)

_log = logging.getLogger(__name__)


class RunWriter:
    """The library's end of one running run.

    What comes in is written in transactions a quarter of a second apart, so that it is durable well within a second
    on a disk that is well. When disk or library fail, everything is kept in memory (see ``Backlog`` for how much) and
    tried again until it is written or ``close`` gives up; ``notify`` gets one sentence when the trouble begins and
    one when it is over, on the writer's thread. The methods may be called from any thread, that one included.
    """

    def __init__(self, engine: Engine, key: int, *, notify: Callable[[str], None]) -> None:
        """Write to the run of ``key``; the writer owns the engine from now on."""
        self._engine = engine
        self._key = key
        self._on_storage_notice = notify
        self._queue: SimpleQueue[Item | None] = SimpleQueue()
        self._backlog = Backlog()
        self._given_up = threading.Event()
        self._closed = False
        self._is_ended = False
        self._durable = 0
        self._lost = 0
        self._in_trouble = False
        self._has_reported_loss = False
        self._pause = 0.0
        self._packer = HourPacker(engine, key)
        self._probes = ProbeSpans()
        self._readings = ReadingPacker()
        self._finished = False
        self.began_at: datetime | None = None
        self._thread = threading.Thread(target=self._work, name="library-writer", daemon=True)
        self._thread.start()

    @property
    def durable(self) -> int:
        """How many samples and events are durable, counted as often as they were passed in."""
        return self._durable

    @property
    def is_failing(self) -> bool:
        """Whether the last attempt to write failed."""
        return self._in_trouble

    def write_sample(self, sample: Sample) -> None:
        self._put(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self._put(sample)

    def write_workstation(self, report: WorkstationReport) -> None:
        self._put(report)

    def write_host(self, reading: HostReading) -> None:
        self._put(self._readings.packed(reading))

    def write_collector(self, status: CollectorStatus) -> None:
        self._put(status)

    def write_event(self, event: RunEvent) -> None:
        """Store an event, which has a number; an event with an existing number is replaced."""
        self._put(event)

    def remove_event(self, number: int) -> None:
        self._put(Removal(number))

    def begin(self, started_at: datetime) -> None:
        """Store the moment of the run's second 0, which is known only when its clients are ready."""
        self.began_at = started_at
        self._put(Change({"started_at": started_at}))

    def set_state(self, state: RunState, phases: Phases) -> None:
        """Store a state; a final one is left to ``finish``, which stores the totals in the same transaction."""
        if not state.is_final:
            self._put(Change({"state": state.value, **phases_row(phases)}))

    def finish(
        self,
        state: RunState,
        *,
        ended_at: datetime,
        totals: Totals | None,
        phases: Phases,
        failure: str = "",
    ) -> None:
        """Store the end of the run; ``close`` then waits until it is durable."""
        values = {"state": state.value, "ended_at": ended_at, "failure": failure, **phases_row(phases)}
        self._put(Change({**values, "totals": None if totals is None else totals_to_dict(totals)}))
        self._finished = True

    def flush(self, timeout_seconds: float) -> bool:
        """Wait until all earlier items are durable, except those that the library rejected; returns whether they
        are."""
        done = threading.Event()
        self._put(done)
        return done.wait(timeout_seconds)

    def close(self, timeout_seconds: float) -> bool:
        """Write the remaining items for at most ``timeout_seconds`` (and the current attempt); returns whether all are
        durable.

        Later items are ignored. Further calls only return the same answer.
        """
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        self._thread.join(timeout_seconds)
        if self._thread.is_alive():
            self._given_up.set()
            self._thread.join(2 * BUSY_SECONDS)
        return self._is_ended and not self._backlog and not self._lost and not self._backlog.lost

    def left_over(self) -> Iterator[list[Item]]:
        """What ``close`` could not write, in order, batch by batch."""
        yield from self._backlog.all()
        while not self._queue.empty():
            if (item := self._queue.get()) is not None:
                yield [item]

    def _put(self, item: Item) -> None:
        if self._closed:
            return
        if self._queue.qsize() > MOST_QUEUED and isinstance(item, _MEASURED):
            self._lost += 1  # an attempt to write has hung for an hour or more
            return
        self._queue.put(item)

    def _work(self) -> None:
        try:
            while self._take_in():
                self._write_waiting()
                self._packer.pack_one()
            if self._finished and not self._given_up.is_set():
                self._packer.pack_all(self._given_up.is_set)
                self._packer.pack_hosts(self._given_up.is_set)
        except Exception as error:  # an error of the writer must not end the run
            self._lost += 1
            _log.exception("the library's writer ended")
            self._send_notice(f"the library stopped writing this run: {error}; the run continues, but is not stored.")
        finally:
            self._engine.dispose()

    def _take_in(self) -> bool:
        """Add waiting items, and those that arrive within a moment or in the pause between two attempts, to the
        backlog; returns whether there is anything to write."""
        items: list[Item] = []
        if not self._backlog and not self._is_ended:
            items = self._received(None)
        until = time.monotonic() + max(_GATHER_SECONDS, self._pause)
        while not self._is_ended and not self._given_up.is_set() and (left := until - time.monotonic()) > 0:
            items += self._received(left)
        self._backlog.add(items)
        if self._is_ended:
            self._given_up.wait(self._pause)
        return bool(self._backlog) and not self._given_up.is_set()

    def _received(self, timeout_seconds: float | None) -> list[Item]:
        """All items in the queue, after waiting for the first of them."""
        items: list[Item] = []
        with suppress(Empty):
            item = self._queue.get(timeout=timeout_seconds)
            while item is not None:
                items.append(item)
                item = self._queue.get_nowait()
            self._is_ended = True
        return items

    def _write_waiting(self) -> None:
        """Write the backlog, or as much of it as the library accepts."""
        while self._backlog and not self._given_up.is_set():
            batch = self._backlog.first()
            try:
                self._write(batch)
            except Cancelled:
                return
            except UserError as trouble:
                self._report_outage(trouble)
                return
            except Exception as error:  # a bug in one item must not lose the others
                if len(batch) > 1:
                    self._backlog.split_first()
                else:
                    self._refuse(batch[0], error)
                    self._backlog.drop_first()
            else:
                self._backlog.drop_first()
                self._report_recovery()

    def _refuse(self, item: Item, error: Exception) -> None:
        self._lost += 1
        _log.error("the library refused %r", item, exc_info=error)
        self._send_notice(f"the library refused a {type(item).__name__} of this run: {error}.")

    def _report_outage(self, trouble: UserError) -> None:
        longest = min(2 * self._pause, _LONGEST_PAUSE_SECONDS) or _FIRST_PAUSE_SECONDS
        self._pause = longest * random.uniform(0.75, 1.0)
        if not self._in_trouble:
            self._in_trouble = True
            self._send_notice(f"{trouble} The run continues; its samples are kept in memory and written later.")
        if self._backlog.lost and not self._has_reported_loss:
            self._has_reported_loss = True
            self._send_notice(
                f"more than {MOST_BYTES // 1_000_000} MB wait for the library: the oldest of the samples that wait are"
                " given up."
            )

    def _report_recovery(self) -> None:
        self._pause = 0.0
        if self._in_trouble:
            self._in_trouble = False
            lost = f"{whole(self._backlog.lost)} samples were lost" if self._backlog.lost else "nothing was lost"
            self._send_notice(f"the library is written again; {lost}.")

    def _write(self, batch: Sequence[Item]) -> None:
        with write_transaction(self._engine) as connection:
            if self._given_up.is_set():  # while it waited for the lock; what is left over is stored elsewhere
                raise Cancelled
            spans = write_items(connection, self._key, batch, self._probes)
        samples = [item for item in batch if isinstance(item, Sample)]
        self._packer.note(samples)
        self._probes.keep(spans)
        self._durable += len(samples) + sum(isinstance(item, RunEvent) for item in batch)
        for item in batch:
            if isinstance(item, threading.Event):
                item.set()

    def _send_notice(self, text: str) -> None:
        try:
            self._on_storage_notice(text)
        except Exception:  # an error in the callback must not end the writing
            _log.exception("the listener to the library's troubles failed")
