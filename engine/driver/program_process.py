"""The process of a client whose load a program makes, such as fio, in the place of emulated users.

It speaks with the run as ``client_process`` does. The program reports about every second what it has done; each report
becomes the sample of one second. While the program does not run, samples say so: its threads are thinking until the
clock starts, and down when it has ended by itself; then it is started again, every second until it stays. While it runs
and does not report, because its storage does not answer or it was stopped itself, its threads are working.
"""

import math
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from engine.databases.program import LoadProgram
from engine.driver.error_message import ErrorMessage
from engine.driver.messages import AllConnected, Begin, ClientStart, Measuring, OrderingBegan, StartOrdering, Stop
from engine.driver.process_health import ProcessHealth, RunQueue
from engine.driver.process_summary import process_summary
from engine.driver.report_seconds import ReportSeconds
from engine.driver.run_messages import run_messages
from engine.errors import ErrorClass, TargetError, UserError
from engine.figure_text import counted
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from engine.workloads.bindings import program_of

_RESTART_SECONDS = 1.0
# A report comes a second after the one before; the last one of measuring is waited for a little longer.
_LAST_REPORT_SECONDS = 1.5
# After so long without a report nothing is answered any more: a busy workstation delays a report by a second.
_SILENT_SECONDS = 2.5
_CHECK_SECONDS = 0.05
_RUN_IS_GONE = object()


@dataclass(frozen=True)
class _Reported:
    """What the program has done until a moment of the monotonic clock."""

    counts: Mapping[str, Count]
    bytes: int
    at: float


@dataclass(frozen=True)
class _Ended:
    """The program has ended by itself, or could not be started: why."""

    why: str


def run_program(pipe: "Connection[Any, Any]", start: ClientStart, begin: Begin) -> None:
    """The process's main function after its ``Begin``; it returns when the run has received everything."""
    _ProgramProcess(pipe, start, begin).run()


class _ProgramProcess:
    def __init__(self, pipe: "Connection[Any, Any]", start: ClientStart, begin: Begin) -> None:
        self._pipe = pipe
        self._start = start
        self._timebase = begin.timebase
        self._silent_seconds = begin.silent_seconds
        self._inbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._program: LoadProgram | None = None
        self._health = ProcessHealth(start.client, RunQueue(set), beat_seconds=begin.beat_seconds)
        self._seconds = ReportSeconds()
        self._starts_at: float | None = None
        self._is_running = False
        self._reported_at = 0.0
        self._restart_at = math.inf
        self._was_tried = False  # it has reported, or could not be started
        self._has_reported = False  # since it was last started
        self._ends_before: int | None = None

    def run(self) -> None:
        """Send samples until the run sends ``Stop``, or its pipe ends."""
        self._health.start()
        threading.Thread(target=self._listen, name="listener", daemon=True).start()
        self._prepare()
        self._send(AllConnected(client=self._start.client))
        while True:
            message = self._next()
            if message is _RUN_IS_GONE:
                self._end_program()
                return
            if isinstance(message, Stop):
                self._leave(message.within_seconds)
                return
            self._handle(message)
            self._start_if_due()
            self._report_idle_seconds()
            self._report_unanswered_seconds()

    def _prepare(self) -> LoadProgram | None:
        """Make the program, which may have to try what the machine can do; reports why it can't be made."""
        start = self._start
        if self._program is None:
            try:
                new = program_of(start.workload, start.target.kind)
                self._program = new(start.target, start.parameters, start.threads, start.seed)
            except (UserError, TargetError) as error:
                self._inbox.put(_Ended(str(error)))
        return self._program

    def _end_program(self) -> None:
        if self._program is not None:
            self._program.end()

    def _handle(self, message: object) -> None:
        match message:
            case StartOrdering():
                self._starts_at = self._restart_at = self._timebase.moment(message.at_seconds)
                self._health.begin_totals()
            case Measuring():
                self._ends_before = message.end
            case _Reported():
                self._report(message)
            case _Ended():
                self._is_running = False
                self._restart_at = time.monotonic() + _RESTART_SECONDS
                self._report_error(message.why)

    def _next(self) -> object:
        now = time.monotonic()
        due = min(self._restart_at, self._timebase.moment(math.floor(self._timebase.at(now)) + 1) + _CHECK_SECONDS)
        try:
            return self._inbox.get(timeout=max(0.0, due - now))
        except queue.Empty:
            return None

    def _start_if_due(self) -> None:
        if self._is_running or time.monotonic() < self._restart_at:
            return
        self._restart_at = math.inf
        program = self._prepare()
        if program is None:
            return
        try:
            program.start()
        except (UserError, TargetError) as error:
            self._inbox.put(_Ended(str(error)))
            return
        self._is_running, self._has_reported, self._reported_at = True, False, time.monotonic()
        if not self._was_tried and self._starts_at is not None:
            self._send(OrderingBegan(late_ms=round(1000 * (self._reported_at - self._starts_at), 3)))
        threading.Thread(target=self._watch, args=(program,), name="program", daemon=True).start()

    def _watch(self, program: LoadProgram) -> None:
        """Put what the program reports into the queue, until it ends."""
        for counts in program.reports():
            self._inbox.put(_Reported(counts, program.bytes_of(counts), time.monotonic()))
        self._inbox.put(_Ended(program.wait(_LAST_REPORT_SECONDS)))

    def _report(self, reported: _Reported) -> None:
        began, self._reported_at = self._reported_at, reported.at
        if self._has_reported and reported.at - began > _SILENT_SECONDS:
            began = reported.at - 1.0  # what was outstanding ended when the silence did
        first = self._seconds.next
        second = self._seconds.of(self._timebase.at(began), self._timebase.at(reported.at))
        for missing in range(first, second):
            if self._has_reported:
                self._send_unanswered(missing)
            else:
                self._send_idle(missing)
        self._was_tried = self._has_reported = True
        self._send_sample(
            Sample(
                client=self._start.client,
                second=second,
                working=self._start.threads,
                transactions=reported.counts,
                bytes_received=reported.bytes,
            )
        )

    def _report_idle_seconds(self) -> None:
        """The samples of the seconds that are over and in which the program did not run."""
        while not self._is_running and self._seconds.next < math.floor(self._timebase.at(time.monotonic())):
            self._send_idle(self._seconds.skip())

    def _report_unanswered_seconds(self) -> None:
        """The samples of the seconds of which the program, which runs, has not reported and will not any more."""
        if self._is_running and self._has_reported and time.monotonic() - self._reported_at > _SILENT_SECONDS:
            while self._seconds.next + 2 <= self._timebase.at(time.monotonic()):
                self._send_unanswered(self._seconds.skip())

    def _send_unanswered(self, second: int) -> None:
        """The sample of a second in which nothing was answered; it is not late, as a report was waited for."""
        self._send_sample(Sample(client=self._start.client, second=second, working=self._start.threads), late=0.0)

    def _send_idle(self, second: int) -> None:
        """The sample of a second in which the program did not run, or only began to."""
        threads, starts_at = self._start.threads, self._starts_at
        is_late = starts_at is not None and self._timebase.moment(second) > starts_at + _RESTART_SECONDS
        is_down = self._was_tried or is_late
        down, thinking = (threads, 0) if is_down else (0, threads)
        self._send_sample(Sample(client=self._start.client, second=second, down=down, thinking=thinking))

    def _send_sample(self, sample: Sample, late: float | None = None) -> None:
        headline = self._start.found_workload().headline.counts
        count = sample.of(headline)
        if late is None:
            late = max(0.0, time.monotonic() - self._timebase.moment(sample.second + 2))
        self._health.samples_made(late, orders=count.n, order_us=count.sum_us)
        self._send(self._health.take(answers_waited_ms=None), sample, self._summary(None))

    def _report_error(self, why: str) -> None:
        why = why or "the program ended by itself"
        client, error = self._start.client, ErrorMessage(str(ErrorClass.OTHER), why, time.monotonic())
        self._was_tried = True
        self._send(error.event(client, self._timebase))
        self._send_sample(
            Sample(client=client, second=self._seconds.skip(), down=self._start.threads, errors={error.error_class: 1})
        )

    def _leave(self, within_seconds: float) -> None:
        """Wait for the report on the last second of measuring, end the program, and send the rest.

        A program that does not end within the time is killed, and its threads are unfinished.
        """
        deadline = time.monotonic() + min(_LAST_REPORT_SECONDS, within_seconds)
        while self._is_running and self._has_to_report and time.monotonic() < deadline:
            self._handle_within(deadline)
        self._health.stop()
        self._end_program()
        deadline = time.monotonic() + within_seconds
        while self._is_running and time.monotonic() < deadline:
            self._handle_within(deadline)
        if self._is_running:
            self._give_up()
        self._send(self._summary(self._start.threads if self._is_running else 0))

    def _give_up(self) -> None:
        """Kill a program that does not end, and report the threads that were at work."""
        threads = self._start.threads
        if self._program is not None:
            self._program.kill()
        self._send(
            RunEvent(
                at_seconds=self._timebase.event_seconds(time.monotonic()),
                kind=EventKind.WARNING,
                label=f"the program did not end when asked to, and was killed; {counted(threads, 'thread')} hung",
                code=EventCode.USERS_HUNG,
                data={"users": threads},
                client=self._start.client,
            )
        )

    def _handle_within(self, deadline: float) -> None:
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return
        if isinstance(message, _Ended):
            self._is_running = False
        else:
            self._handle(message)

    @property
    def _has_to_report(self) -> bool:
        """Whether seconds of measuring are over of which the program has not reported."""
        end = self._ends_before
        return end is not None and self._seconds.next < end <= self._timebase.at(time.monotonic())

    def _listen(self) -> None:
        for message in run_messages(self._pipe, self._silent_seconds):
            self._inbox.put(message)
        self._inbox.put(_RUN_IS_GONE)

    def _send(self, *messages: object) -> None:
        try:
            self._pipe.send(messages)
        except OSError:
            self._inbox.put(_RUN_IS_GONE)

    def _summary(self, unfinished: int | None) -> object:
        return process_summary(
            (self._start.client,), worst_tick_late_ms=0.0, unfinished=unfinished, health=self._health.totals()
        )
