"""One collector: reads its source as long as the run goes on, whatever happens to the source.

Its thread reads; the main thread of the collector process asks for its state. It raises nothing.
"""

import threading
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path

from engine.collect.clock_offset import ClockOffset
from engine.collect.source import Source, SourceReading
from engine.errors import UserError
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
_SILENT_INTERVALS = 5
_LEAST_SILENT_SECONDS = 10.0


class Collector:
    """Reads ``source`` of the machine named ``machine``; every reading is passed to ``emit`` at once.

    After an error it tries again, after pauses of 1 to 30 s. Besides, it counts as failing while it has no reading for
    five intervals, at least 10 s.
    """

    def __init__(self, number: int, machine: str, source: Source, emit: Callable[[HostReading], None]) -> None:
        self._number = number
        self._machine = machine
        self._source = source
        self._emit = emit
        self._clock = ClockOffset()
        self._lock = threading.Lock()  # for the state and what belongs to it
        self._state = CollectorState.WAITING
        self._message = ""
        self._readings = 0
        self._cpu_seconds = 0.0
        self._newest_utc_seconds = float("-inf")
        self._heard_at = time.monotonic()

    def run(self, stop: threading.Event) -> None:
        """Read until ``stop`` is set; on a thread of its own."""
        pause = _FIRST_PAUSE_SECONDS
        while not stop.is_set():
            readings_before = self._readings
            message = self._read(stop)
            if stop.is_set():
                break
            if self._readings > readings_before:
                pause = _FIRST_PAUSE_SECONDS
            self._set_state(CollectorState.FAILING, message)
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        self._set_state(CollectorState.ENDED, self._message)

    def status(self) -> CollectorStatus:
        """The collector as it is now; from any thread."""
        with self._lock:
            if self._state in (CollectorState.READING, CollectorState.WAITING):
                self._check_silence()
            offset = self._clock.now
            return CollectorStatus(
                number=self._number,
                machine=self._machine,
                source=self._source.name,
                state=self._state,
                message=self._message,
                interval_seconds=self._source.interval_seconds,
                is_average=self._source.is_average,
                offset_seconds=None if offset is None else offset.seconds,
                offset_error_seconds=None if offset is None else offset.error_seconds,
                drift_ppm=self._clock.drift_ppm,
                readings=self._readings,
                cpu_seconds=self._cpu_seconds,
            )

    def _read(self, stop: threading.Event) -> str:
        """Read until the source ends, and return why, in a sentence."""
        readings = self._source.readings(stop)
        try:
            for reading in readings:
                self._take(reading)
                if stop.is_set():
                    break
        except UserError as error:
            return str(error)
        except Exception as error:  # a bug in one source must not end the others; its text may hold a secret
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}, line {where.lineno}"
            return f"reading {self._machine} failed inside Spindle: {type(error).__name__} in {place}."
        finally:
            if isinstance(readings, Generator):
                readings.close()
        return f"{self._source.name} of {self._machine} gives no more readings."

    def _take(self, reading: SourceReading) -> None:
        """Pass a reading on with its moment by this workstation's clock; one that is not later than the last is left
        out."""
        with self._lock:
            if reading.exchange is not None:
                self._clock.add(reading.exchange)
            offset = self._clock.now
            if reading.source_utc_seconds is None:
                utc_seconds = reading.here_utc_seconds
            else:
                utc_seconds = reading.source_utc_seconds - (0.0 if offset is None else offset.seconds)
            self._heard_at = time.monotonic()
            self._state, self._message = CollectorState.READING, ""
            self._cpu_seconds = time.thread_time()
            if not reading.values or utc_seconds <= self._newest_utc_seconds:
                return
            self._newest_utc_seconds = utc_seconds
            self._readings += 1
        self._emit(HostReading(collector=self._number, utc_seconds=utc_seconds, values=reading.values))

    def _set_state(self, state: CollectorState, message: str = "") -> None:
        with self._lock:
            self._state, self._message = state, message
            self._cpu_seconds = time.thread_time()

    def _check_silence(self) -> None:
        silent_seconds = time.monotonic() - self._heard_at
        if silent_seconds > max(_LEAST_SILENT_SECONDS, _SILENT_INTERVALS * self._source.interval_seconds):
            self._state = CollectorState.FAILING
            self._message = f"{self._source.name} of {self._machine} has given no reading for {silent_seconds:.0f} s."
