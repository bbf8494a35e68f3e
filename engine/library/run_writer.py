"""Keeps a running run in the library: a sink for its samples and events that can neither block nor break the run.

``Library.start_run`` makes one; the run's collector thread calls its ``write_…`` methods; a thread of its own writes.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection, Engine

from engine.errors import UserError
from engine.library.changing import insert_events, insert_samples, remove_events, set_columns
from engine.library.connecting import write_transaction
from engine.library.hour_packer import HourPacker
from engine.library.probe_spans import ProbeSpans
from engine.library.rows import phases_row
from engine.record import Phases, RunState
from engine.sample import ProbeSample, RunEvent, Sample

BUSY_SECONDS = 1.0
_GATHER_SECONDS = 0.25
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Removal:
    """The event of this number was taken back."""

    number: int


@dataclass(frozen=True)
class _Change:
    """New values for columns of the run's own row."""

    values: Mapping[str, Any]


_Item = Sample | ProbeSample | RunEvent | _Removal | _Change | threading.Event


class RunWriter:
    """The library's end of one running run.

    What comes in is written in transactions a quarter of a second apart, so that it is durable well within a second
    on a disk that is well. When disk or library fail, everything is kept in memory and tried again until it is
    written or ``close`` gives up; ``on_trouble`` gets one sentence when the trouble begins and one when it is over,
    on the writer's thread. The methods may be called from any thread, that one included.
    """

    def __init__(self, engine: Engine, key: int, *, on_trouble: Callable[[str], None]) -> None:
        """Write to the run of ``key``; the writer owns the engine from now on."""
        self._engine = engine
        self._key = key
        self._on_trouble = on_trouble
        self._queue: SimpleQueue[_Item | None] = SimpleQueue()
        self._given_up = threading.Event()
        self._closed = False
        self._durable = 0
        self._lost = 0
        self._drained = False
        self._in_trouble = False
        self._packer = HourPacker(engine, key)
        self._probes = ProbeSpans()
        self._finished = False
        self._thread = threading.Thread(target=self._work, name="library-writer", daemon=True)
        self._thread.start()

    @property
    def durable(self) -> int:
        """How many samples and events, counted as often as they were told, are durable by now."""
        return self._durable

    def write_sample(self, sample: Sample) -> None:
        self._put(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self._put(sample)

    def write_event(self, event: RunEvent) -> None:
        """Keep an event, which has its number; one whose number is known takes that one's place."""
        self._put(event)

    def remove_event(self, number: int) -> None:
        self._put(_Removal(number))

    def begin(self, started_at: datetime) -> None:
        """The moment of the run's second 0, known only when its clients are ready."""
        self._put(_Change({"started_at": started_at}))

    def set_state(self, state: RunState, phases: Phases) -> None:
        """Note a state; a final one is left to ``finish``, which brings the totals along in the same transaction."""
        if not state.is_final:
            self._put(_Change({"state": state.value, **phases_row(phases)}))

    def finish(
        self,
        state: RunState,
        *,
        ended_at: datetime,
        totals: Mapping[str, Any] | None,
        phases: Phases,
        failure: str = "",
    ) -> None:
        """Note the end of the run; ``close`` then waits until it is durable."""
        values = {"state": state.value, "ended_at": ended_at, "failure": failure, **phases_row(phases)}
        self._put(_Change({**values, "totals": None if totals is None else dict(totals)}))
        self._finished = True

    def flush(self, timeout_seconds: float) -> bool:
        """Wait until everything that came before is durable, but for what the library refused; whether it is."""
        done = threading.Event()
        self._put(done)
        return done.wait(timeout_seconds)

    def close(self, timeout_seconds: float) -> bool:
        """Write what waits, for at most ``timeout_seconds`` (and the attempt under way); tell whether all is durable.

        What comes later is ignored. May be called again, and then only repeats the answer.
        """
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        self._thread.join(timeout_seconds)
        if self._thread.is_alive():
            self._given_up.set()
            self._thread.join(2 * BUSY_SECONDS)
        return self._drained and self._lost == 0

    def _put(self, item: _Item) -> None:
        if not self._closed:
            self._queue.put(item)

    def _work(self) -> None:
        try:
            while batch := self._gather():
                self._write_at_last(batch)
                self._packer.pack_one()
            if self._finished:
                self._packer.pack_all(self._given_up.is_set)
        except Exception as error:  # the thread's door: the run must go on without us
            self._lost += 1
            _log.exception("the library's writer ended")
            self._tell(f"the library stopped writing this run: {error}; the run continues, but is not stored.")
        finally:
            self._engine.dispose()

    def _gather(self) -> list[_Item]:
        """What came since the last batch and within a moment after; empty when there is nothing more to come."""
        first = self._queue.get()
        if first is None:
            self._drained = True
            return []
        batch: list[_Item] = [first]
        until = time.monotonic() + _GATHER_SECONDS
        while (left := until - time.monotonic()) > 0:
            try:
                item = self._queue.get(timeout=left)
            except Empty:
                break
            if item is None:
                self._queue.put(None)
                break
            batch.append(item)
        return batch

    def _write_at_last(self, batch: list[_Item]) -> None:
        """Write a batch, however long the library's trouble takes, unless ``close`` gives up."""
        parts = deque([batch])
        pause = _FIRST_PAUSE_SECONDS
        while parts and not self._given_up.is_set():
            try:
                self._write(parts[0])
            except UserError as trouble:
                self._note_trouble(trouble)
                self._given_up.wait(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            except Exception as error:  # a fault of ours in one item must not cost the others
                parts.extendleft(reversed(self._without_blame(parts.popleft(), error)))
            else:
                parts.popleft()
                self._note_well()
        self._lost += sum(map(len, parts))

    def _without_blame(self, batch: list[_Item], error: Exception) -> list[list[_Item]]:
        """What to write instead of a batch that was refused: its items one by one, and of a single one nothing."""
        if len(batch) > 1:
            return [[item] for item in batch]
        self._lost += 1
        _log.error("the library refused %r", batch[0], exc_info=error)
        self._tell(f"the library refused a {type(batch[0]).__name__} of this run: {error}.")
        return []

    def _note_trouble(self, trouble: UserError) -> None:
        if not self._in_trouble:
            self._in_trouble = True
            self._tell(f"{trouble} The run continues; its samples are kept in memory and written later.")

    def _note_well(self) -> None:
        if self._in_trouble:
            self._in_trouble = False
            self._tell("the library is written again; nothing was lost.")

    def _write(self, batch: list[_Item]) -> None:
        samples = [item for item in batch if isinstance(item, Sample)]
        with write_transaction(self._engine) as connection:
            insert_samples(connection, self._key, samples)
            self._write_events(connection, batch)
            spans = self._probes.write(connection, self._key, [each for each in batch if isinstance(each, ProbeSample)])
            self._change(connection, batch)
        self._packer.note(samples)
        self._probes.keep(spans)
        self._durable += len(samples) + sum(isinstance(item, RunEvent) for item in batch)
        for item in batch:
            if isinstance(item, threading.Event):
                item.set()

    def _write_events(self, connection: Connection, batch: list[_Item]) -> None:
        """Write of each event what was told of it last: that it is so, or that it is gone."""
        last: dict[int, RunEvent | None] = {}
        for item in batch:
            if isinstance(item, RunEvent):
                last[item.number] = item
            elif isinstance(item, _Removal):
                last[item.number] = None
        remove_events(connection, self._key, [number for number, event in last.items() if event is None])
        insert_events(connection, self._key, [event for event in last.values() if event is not None])

    def _change(self, connection: Connection, batch: list[_Item]) -> None:
        for item in batch:
            if isinstance(item, _Change):
                set_columns(connection, self._key, **item.values)

    def _tell(self, text: str) -> None:
        try:
            self._on_trouble(text)
        except Exception:  # a listener's fault must not end the writing
            _log.exception("the listener to the library's troubles failed")
