"""A run: client processes, which share its clients, and a collector thread that passes their messages to the sinks.

``Run`` knows neither the screen nor the library; whoever starts it supplies the sinks. To stop, the client processes
are asked to end their orders and send their last samples; those that do not by a deadline are killed.
"""

import logging
import multiprocessing
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from engine.analysis.headline import headline_in_common
from engine.collect.collector_process import CollectorStart
from engine.driver.event_log import EventLog
from engine.driver.gc_settings import no_full_collections
from engine.driver.link import Launcher
from engine.driver.messages import ClientStart, ProbedStore, Stop
from engine.driver.phase_clock import PhaseClock
from engine.driver.run_annotations import RunAnnotations
from engine.driver.run_loads import RunLoad, RunLoads
from engine.driver.run_processes import RunProcesses
from engine.driver.run_receiver import LONGEST_WAIT_SECONDS, RunReceiver
from engine.driver.sinks import AllSinks, Sink
from engine.errors import BadInput, UserError
from engine.faults.fault_schedule import Armed, FaultSchedule
from engine.faults.injector import InjectionTools, Injector
from engine.faults.marks import new_mark
from engine.faults.planned import PlannedFault
from engine.parameters.typed_text import LATEST_SECONDS
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, EventKind

_log = logging.getLogger(__name__)
_START_DEADLINE_SECONDS = 60.0
_STOP_DEADLINE_SECONDS = 10.0
_SUMMARY_GRACE_SECONDS = 5.0
_LAST_READINGS_SECONDS = 1.25
_INJECTIONS_SECONDS = 20.0
_INJECTIONS_AT_ONCE_SECONDS = 5.0
_BEFORE_THE_END = (RunState.RAMPING, RunState.STARTING, RunState.WARMING_UP, RunState.MEASURING)


class Run(RunAnnotations):
    """Drives ``starts`` through ramp, warm-up and measuring; ``labels`` name the clients by number.

    The final ``state`` is completed (the measuring phase ran its length), stopped (on request) or failed (no client
    could start, or none was left); ``failure`` then says why. ``faults`` are injected with ``tools``, at times counted
    from the beginning of measuring. ``stores`` are probed, and ``collectors`` read the machines beside it.
    ``placement`` has the launchers of the clients that other machines drive, by their numbers.
    ``tick_seconds`` is how long a second of the run lasts.

    ``loads`` has each load of a mixed run, in the order of their clients; without any the clients are of one load that
    stays the same. A load may end before ``measured_seconds``, and the run with it: a staircase when one of its
    conditions is met, an open loop when its rate is not held. Such a run is completed.
    """

    def __init__(
        self,
        *,
        starts: Sequence[ClientStart],
        labels: Mapping[int, str],
        warmup_seconds: int,
        measured_seconds: int,
        sinks: Sequence[Sink],
        faults: Sequence[PlannedFault] = (),
        tools: InjectionTools | None = None,
        stores: Sequence[ProbedStore] = (),
        collectors: Sequence[CollectorStart] = (),
        placement: Mapping[int, Launcher] | None = None,
        tick_seconds: float = 1.0,
        loads: Sequence[RunLoad] = (),
    ) -> None:
        self.state = RunState.PREPARING
        self.failure = ""
        self._loads = RunLoads(starts, loads, self._emit)
        self._sinks = AllSinks([*sinks, *self._loads.sinks])
        super().__init__(EventLog(self._sinks, self._wake), tick_seconds)
        self._schedule = FaultSchedule(faults)
        self._injector = Injector(self, tools or InjectionTools())
        self._processes = RunProcesses(starts, labels, stores, collectors, placement)
        self._wake_lock = threading.RLock()  # re-entrant: a signal handler may stop the run while the lock is held
        self._wake_reader, self._wake_writer = multiprocessing.Pipe(duplex=False)
        self._receiver = RunReceiver(
            self._processes,
            self._sinks,
            self._events,
            headline_in_common(start.workload for start in starts),
            self._wake_reader,
            self._at,
        )
        self._monitor = self._receiver.monitor
        self._clock = PhaseClock(
            ramp_seconds=max(start.threads / start.ramp_rate for start in starts),
            warmup_seconds=warmup_seconds,
            measured_seconds=measured_seconds,
            tick_seconds=tick_seconds,
            first_state=RunState.RAMPING if any(map(_has_users, starts)) else RunState.STARTING,
        )
        self._state_lock = threading.Lock()  # for the state, and for extend, which depends on it
        self._was_stopped = False
        self._stop_requested = threading.Event()
        self._stop_now = threading.Event()
        self._collector = threading.Thread(target=self._collect, name="run-collector", daemon=True)
        self._over = threading.Event()

    def start(self) -> None:
        """Spawn the client processes and start the collector thread; returns at once."""
        self._collector.start()

    def stop(self) -> None:
        """Stop gracefully: orders in progress are completed, everything counted is kept. Returns at once."""
        self._stop_requested.set()
        self._wake()

    def stop_now(self) -> None:
        """Stop without waiting for orders in progress."""
        self._stop_now.set()
        self.stop()

    def extend(self, seconds: int) -> None:
        """Extend the measuring phase; returns at once. Without effect on a run that has no planned end.

        From any thread. Raises ``UserError`` if the run has not begun or is over, or has stages, which say how long it
        lasts.
        """
        if self._loads.have_stages:
            raise UserError("the run lasts as long as its stages; start another one with more of them.")
        if not 0 < seconds <= LATEST_SECONDS:
            raise BadInput(f"extend by {seconds} s is too short; give 1 s or more.")
        with self._state_lock:
            if self.state not in _BEFORE_THE_END:
                raise UserError(
                    f"the run is {self.state.value}; only while it ramps, warms up or measures it can be extended."
                )
            if not self._clock.extend(seconds):
                return
        how_long = f"{seconds // 60} min" if seconds % 60 == 0 else f"{seconds} s"
        self._events.run_in_collector(self._publish_phases)
        self.add_event(EventKind.PHASE, f"extended by {how_long}", by_hand=True)

    def fire(self, fault: PlannedFault) -> list[int]:
        """Inject a fault now, whatever its planned time, and then its repetitions; returns the numbers of all of them.

        From any thread. Raises ``UserError`` if the run is stopping or over.
        """
        if self.state not in (RunState.PREPARING, *_BEFORE_THE_END):
            raise UserError(f"the run is {self.state.value}; nothing can be injected any more.")
        numbers = self._schedule.add(fault, self._at())
        self._wake()
        return numbers

    def armed(self) -> tuple[Armed, ...]:
        """The faults still to come, one entry for each repetition, also those that wait for a steady baseline."""
        return (*self._schedule.waiting(), *self._injector.held())

    def abort(self, number: int) -> bool:
        """Cancel a fault, or one repetition of it, that has not happened; returns whether it was still to come."""
        return self._schedule.cancel(number) or self._injector.abort(number)

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Wait until the run is over; returns whether it is."""
        return self._over.wait(timeout_seconds)

    @property
    def phases(self) -> Phases:
        return self._clock.phases

    @property
    def client_pids(self) -> dict[int, int]:
        """The process id of every client that has not ended; clients may share a process."""
        return {number: process.link.pid for process in self._processes.present for number in process.clients}

    def _collect(self) -> None:
        """The collector thread's main function; any exception in it ends the run as failed."""
        try:
            self._sinks.set_state(self.state, self.phases)
            self._processes.spawn()
            if self._await_ready():
                with no_full_collections():
                    self._begin()
                    self._drive()
                    self._finish()
        except Exception as error:
            _log.exception("the run's collector failed")
            self.failure = self.failure or f"Spindle itself failed: {type(error).__name__}."
            self._set_state(RunState.FAILED)
        finally:
            # The client processes first: no more orders while an injection is waited for.
            for step in (self._injector.close, self._end_processes, self._end_injections, self._events.close):
                try:
                    step()
                except Exception:
                    _log.exception("the end of the run failed in part")
            self._over.set()

    def _await_ready(self) -> bool:
        processes = self._processes.client_processes.values()
        deadline = time.monotonic() + _START_DEADLINE_SECONDS
        while not all(process.is_ready or process.is_gone for process in processes):
            if time.monotonic() > deadline or self._stop_requested.is_set():
                break
            self._receiver.receive(min(LONGEST_WAIT_SECONDS, deadline - time.monotonic()))
        ready = all(process.is_ready for process in processes)
        if self._stop_requested.is_set():
            self._set_state(RunState.STOPPED)
            return False
        if not ready:
            late = [client for each in processes if not each.is_ready for client in each.clients.values()]
            missing = ", ".join(client.label for client in late)
            self.failure = f"These clients did not start: {missing}."
            self._set_state(RunState.FAILED)
        return ready

    def _begin(self) -> None:
        lead_seconds = self._processes.lead_seconds
        self.timebase = replace(self.timebase, epoch=time.monotonic() + lead_seconds)
        self._sinks.begin(datetime.now(UTC) + timedelta(seconds=lead_seconds))
        self._monitor.begin(self.timebase)
        self._processes.begin(self.timebase)
        self._set_state(self._clock.first_state)

    def _drive(self) -> None:
        """From the ramp to the end of measuring, or until the run is stopped."""
        while self.state is not RunState.STOPPING:
            at = self._at()
            next_change = min(self._clock.next_change(at), self._schedule.next_at(self.phases.measuring_from))
            self._receiver.receive(
                min(LONGEST_WAIT_SECONDS, max(0.0, self.timebase.moment(next_change) - time.monotonic()))
            )
            at = self._at()
            self._check_ramp(at)
            self._monitor.check(
                self._processes.pids_here, orders=self.state in (RunState.WARMING_UP, RunState.MEASURING)
            )
            for armed in self._schedule.take_due(at, self.phases.measuring_from):
                self._start_fault(armed)
            for ends in self._loads.ends(at):
                self._clock.stop(ends)
            self._advance(at, must_stop=self._stop_requested.is_set() or not self._processes.present)

    def _start_fault(self, armed: Armed) -> None:
        fault = armed.fault
        if fault.injection is not None:
            self._injector.begin(armed)
        else:
            self._events.emit(new_mark(fault.label, armed.at_seconds, by_hand=False, is_fault=bool(fault.is_fault)))

    def _advance(self, at: float, *, must_stop: bool) -> None:
        with self._state_lock:
            if must_stop:
                self._was_stopped = True
                self._clock.stop(at)
            if (state := self._clock.state(at)) is self.state:
                return
            self.state = state
        self._publish_state()

    def _check_ramp(self, at: float) -> None:
        """Start the clock, and with it all users, when all are connected or the ramp is overdue."""
        present = self._processes.clients_present
        if not present or self._clock.has_started:
            return
        missing = [client.label for client in present if not client.all_connected]
        if missing and not self._clock.ramp_is_overdue(at):
            return
        if missing:
            label = f"the clock started without all users of {', '.join(missing)}"
            self._emit(EventKind.WARNING, label, code=EventCode.STARTED_INCOMPLETE, data={"clients": missing})
        starts_at = self._clock.all_connected(self._at(time.monotonic() + self._processes.lead_seconds))
        measuring_from = self._clock.phases.measuring_from or starts_at
        last = self._processes.start_ordering(starts_at, measuring_from, self._clock.warmup_real_seconds)
        self._receiver.await_start(self.timebase.moment(starts_at) + last)

    def _finish(self) -> None:
        """Ask the client processes to end, and receive their last samples."""
        self._monitor.close()
        self._injector.close()
        processes = self._processes.client_processes.values()
        if not self._stop_now.is_set():
            self._processes.send(Stop(within_seconds=_STOP_DEADLINE_SECONDS))
            deadline = time.monotonic() + _STOP_DEADLINE_SECONDS + _SUMMARY_GRACE_SECONDS
            while self._processes.present and time.monotonic() <= deadline and not self._stop_now.is_set():
                self._receiver.receive(LONGEST_WAIT_SECONDS)
            for process in processes:
                if not (process.summary or process.is_gone or self._stop_now.is_set()):
                    self._receiver.report_lost(process, "it did not leave in time and was ended")
        last_readings_at = self.timebase.moment(self.phases.measuring_to or 0) + _LAST_READINGS_SECONDS
        self._receiver.stop_collectors(last_readings_at, self._stop_now.is_set)
        if not self._was_stopped:
            self._loads.close()
        if not any(process.summary for process in processes) and not self._stop_now.is_set():
            self.failure = "No client was left."
            self._set_state(RunState.FAILED)
        else:
            self._set_state(RunState.STOPPED if self._was_stopped else RunState.COMPLETED)

    def _set_state(self, state: RunState) -> None:
        with self._state_lock:
            self.state = state
        self._publish_state()

    def _publish_phases(self) -> None:
        self._sinks.set_state(self.state, self.phases)
        if self.state in _BEFORE_THE_END:
            self._processes.send_phases(self.phases)

    def _publish_state(self) -> None:
        self._publish_phases()
        if not self.state.is_final:
            self._emit(
                EventKind.PHASE,
                self.state.value,
                code=EventCode.PHASE_BEGAN,
                data={"state": self.state.value},
                at_seconds=float(self._clock.began(self.state)),
            )

    def _end_processes(self) -> None:
        self._processes.end(at_once=self._stop_now.is_set())

    def _end_injections(self) -> None:
        seconds = _INJECTIONS_AT_ONCE_SECONDS if self._stop_now.is_set() else _INJECTIONS_SECONDS
        if not self._injector.join(seconds):
            self._emit(EventKind.WARNING, "an injection was still in progress at the end of the run")

    def _wake(self) -> None:
        with self._wake_lock:
            self._wake_writer.send(None)


def _has_users(start: ClientStart) -> bool:
    return start.found_workload().user is not None
