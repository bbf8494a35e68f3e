"""The health of a client process: delays of its users that the workstation causes and not the server.

The heartbeat is a thread that wakes every 10 ms. How late it runs is how long any user's thread waits for the
interpreter's lock and for a processor after its answer has arrived. Also measured: the time that the users' threads
waited for a processor (the kernel's run queue), how long answers that had arrived were left unread, and the pauses of
Python's garbage collector, which stop the whole process.

Each process has one ``ProcessHealth``, which its main thread reads every second; standard library only.
"""

import gc
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine.driver.messages import HealthReport
from engine.histogram import bucket_of, pack, percentile_us, value_of
from engine.telemetry.workstation import HealthTotals

BEAT_SECONDS = 0.01
LATE_TICK_MS = 100.0
# A heartbeat costs 40 to 90 µs of processor time, nearly all of it in the kernel for waking up: 300 a second are 2 %.
_MOST_BEATS_PER_SECOND = 300
# Longer delays show in the late ticks as well; without a limit, an hour's suspend would count as 360,000 heartbeats.
_MOST_BEATS_AT_ONCE = 1_000
_MICRO = 1_000_000
_NANO_PER_MILLI = 1_000_000
_TASKS = Path("/proc/self/task")


def beat_seconds(processes: int) -> float:
    """The heartbeat interval of each process: 10 ms, or longer where there are many processes.

    Together they have at most 300 heartbeats a second; fewer heartbeats find the same delays, only more slowly.
    """
    return max(BEAT_SECONDS, processes / _MOST_BEATS_PER_SECOND)


class Heartbeat:
    """Measures how late its own thread runs. ``clock`` is monotonic; ``sleep`` never returns early."""

    def __init__(
        self,
        every_seconds: float = BEAT_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._every = every_seconds
        self._clock = clock
        self._sleep = sleep
        self._due = 0.0
        self._delays: list[float] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the heartbeat; returns at once."""
        self._is_over = True

    def take(self) -> dict[int, int]:
        """The delays since the last call, counted as in ``engine.histogram``; from any thread."""
        count = len(self._delays)
        delays = self._delays[:count]
        del self._delays[:count]
        return Counter(bucket_of(round(delay * _MICRO)) for delay in delays)

    def beat(self) -> None:
        """Sleep until the next heartbeat is due; record how late it is, and how late each one is that it missed.

        So a stall of one second counts as the hundred heartbeats that it delayed, and not as one.
        """
        pause = self._due - self._clock()
        if pause > 0:
            self._sleep(pause)
        now = self._clock()
        first = max(self._due, now - _MOST_BEATS_AT_ONCE * self._every)
        missed = int((now - first) / self._every)
        self._delays.extend([now - first - number * self._every for number in range(missed + 1)])
        self._due = first + (missed + 1) * self._every

    def _run(self) -> None:
        self._due = self._clock() + self._every
        while not self._is_over:
            self.beat()


class GcPauses:
    """Measures the garbage collector's pauses between ``start`` and ``stop``, through Python's ``gc.callbacks``."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began = 0.0
        self._longest = 0.0

    def start(self) -> None:
        gc.callbacks.append(self.on_collector)

    def stop(self) -> None:
        if self.on_collector in gc.callbacks:
            gc.callbacks.remove(self.on_collector)

    def on_collector(self, phase: str, _info: Mapping[str, int]) -> None:
        """Called by Python when the collector begins (``start``) and when it has ended (``stop``)."""
        if phase == "start":
            self._began = self._clock()
        else:
            self._longest = max(self._longest, self._clock() - self._began)

    def take_longest_ms(self) -> float:
        """The longest pause since the last call; 0 when there was none."""
        longest, self._longest = self._longest, 0.0
        return longest * 1000


class RunQueue:
    """How long some threads of this process were runnable without having a processor, as Linux counts it.

    ``threads`` returns their ids. ``tasks`` is a folder with a folder for each thread; the file ``schedstat`` in it has
    the nanoseconds on a processor, the nanoseconds waited for one, and the number of time slices (see
    Documentation/scheduler/sched-stats.rst of the kernel).
    """

    def __init__(self, threads: Callable[[], Iterable[int]], tasks: Path = _TASKS) -> None:
        self._threads = threads
        self._tasks = str(tasks)
        self._waited: dict[int, int] = {}
        self.take_ms()

    def take_ms(self) -> float | None:
        """The sum over these threads since the last call; ``None`` where the system does not count it."""
        waited = {thread: each for thread in self._threads() if (each := self._waited_by(thread)) is not None}
        total = sum(each - self._waited.get(thread, 0) for thread, each in waited.items())
        self._waited = waited
        return total / _NANO_PER_MILLI if waited else None

    def _waited_by(self, thread: int) -> int | None:
        """``os.open``, since ``open`` takes three times as long: this runs for every user every second."""
        try:
            file = os.open(f"{self._tasks}/{thread}/schedstat", os.O_RDONLY)
        except OSError:
            return None
        try:
            return int(os.read(file, 100).split()[1])
        except (OSError, IndexError, ValueError):
            return None
        finally:
            os.close(file)


class ProcessHealth:
    """All of these measures for one process: reported each second, and totalled from ``begin_totals`` on.

    ``process`` is its number; ``run_queue`` measures the threads that drive its users, which can use
    ``usable_processors`` at once.
    """

    def __init__(
        self,
        process: int,
        run_queue: RunQueue,
        *,
        usable_processors: int = 1,
        beat_seconds: float = BEAT_SECONDS,
        heartbeat: Heartbeat | None = None,
        gc_pauses: GcPauses | None = None,
    ) -> None:
        self._process = process
        self._heartbeat = heartbeat or Heartbeat(beat_seconds)
        self._gc_pauses = gc_pauses or GcPauses()
        self._run_queue = run_queue
        self._usable_processors = usable_processors
        self._is_counting = True
        self._worst_tick_late = 0.0
        self._orders_now = 0
        self._order_us_now = 0
        self.begin_totals()

    def start(self) -> None:
        self._heartbeat.start()
        self._gc_pauses.start()

    def stop(self) -> None:
        """Stop measuring; what follows the stop of a run does not count in the totals."""
        self._heartbeat.stop()
        self._gc_pauses.stop()
        self._is_counting = False

    def begin_totals(self) -> None:
        """The run's clock starts: what happened before, mainly connecting, does not count in the totals."""
        self._heartbeat.take()
        self._gc_pauses.take_longest_ms()
        self._run_queue.take_ms()
        self._delays: Counter[int] = Counter()
        self._longest_gc_pause_ms = 0.0
        self._run_queue_ms: float | None = None
        self._users_waited_ms: float | None = None
        self._orders = 0
        self._late_ticks = 0

    def samples_made(self, late_seconds: float, *, orders: int, order_us: int) -> None:
        """A client's samples were made, so late; ``orders`` ended in them, with the sum of their response times."""
        self._worst_tick_late = max(self._worst_tick_late, late_seconds)
        self._orders_now += orders
        self._order_us_now += order_us
        if self._is_counting:
            self._orders += orders
            self._late_ticks += late_seconds * 1000 > LATE_TICK_MS

    def take(self, *, answers_waited_ms: float | None) -> HealthReport:
        """The report of the time since the last call."""
        delays = self._heartbeat.take()
        report = HealthReport(
            process=self._process,
            heartbeat=pack(delays),
            longest_gc_pause_ms=round(self._gc_pauses.take_longest_ms(), 3),
            run_queue_ms=self._run_queue.take_ms(),
            answers_waited_ms=answers_waited_ms,
            orders=self._orders_now,
            order_ms=self._order_us_now / 1000,
            tick_late_ms=round(self._worst_tick_late * 1000, 3),
            usable_processors=self._usable_processors,
            sent_at=time.monotonic(),  # read last: as little as possible comes between it and the message's arrival
        )
        self._worst_tick_late, self._orders_now, self._order_us_now = 0.0, 0, 0
        if self._is_counting:
            self._add(report, delays)
        return report

    def totals(self) -> HealthTotals:
        """The totals from ``begin_totals`` to ``stop``, or until now."""
        beats = sum(self._delays.values())
        total_us = sum(value_of(bucket) * count for bucket, count in self._delays.items())
        return HealthTotals(
            heartbeat_mean_ms=round(total_us / beats / 1000, 3) if beats else None,
            heartbeat_p99_ms=_milliseconds(percentile_us(self._delays, 99)),
            heartbeat_max_ms=_milliseconds(value_of(max(self._delays)) if beats else None),
            longest_gc_pause_ms=self._longest_gc_pause_ms,
            run_queue_ms=None if self._run_queue_ms is None else round(self._run_queue_ms, 1),
            order_waited_ms=self._order_waited_ms(),
            late_ticks=self._late_ticks,
        )

    def _add(self, report: HealthReport, delays: Mapping[int, int]) -> None:
        self._delays.update(delays)
        self._longest_gc_pause_ms = max(self._longest_gc_pause_ms, report.longest_gc_pause_ms)
        if report.run_queue_ms is not None:
            self._run_queue_ms = (self._run_queue_ms or 0.0) + report.run_queue_ms
        if report.users_waited_ms is not None:
            self._users_waited_ms = (self._users_waited_ms or 0.0) + report.users_waited_ms

    def _order_waited_ms(self) -> float | None:
        if self._users_waited_ms is None or not self._orders:
            return None
        return round(self._users_waited_ms / self._orders, 3)


def _milliseconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, 3)
