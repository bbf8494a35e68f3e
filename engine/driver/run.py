"""A run: client processes, which share its clients, and a collector thread that gathers and hands on what they tell.

``Run`` knows neither the screen nor the library; whoever started it gives it sinks. Stopping is a protocol: the
clients are asked, tell their last samples, have a deadline, and are ended at the deadline.
"""

import logging
import multiprocessing
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.analysis.latency.step_times import StepTimesSum
from engine.driver.child_process import ChildProcess
from engine.driver.client_handle import ClientProcess
from engine.driver.crew import GONE, Crew
from engine.driver.event_book import EventBook
from engine.driver.messages import AllConnected, ClientStart, Farewell, ProbedStore, Ready, Stop, VitalSigns
from engine.driver.phase_clock import PhaseClock
from engine.driver.run_notes import RunNotes
from engine.driver.sinks import AllSinks, Sink
from engine.driver.workstation_watch import WorkstationWatch
from engine.driver.young_collections import no_full_collections
from engine.errors import BadInput, UserError
from engine.faults.injector import InjectionTools, Injector
from engine.faults.marks import new_mark
from engine.faults.planned import PlannedFault
from engine.faults.schedule import Armed, Schedule
from engine.faults.times import LATEST_SECONDS
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import ProbeSample, Sample, StepTimes, WorkstationLoad

_log = logging.getLogger(__name__)
_LEAD_SECONDS = 0.2
_START_DEADLINE_SECONDS = 60.0
_STOP_DEADLINE_SECONDS = 10.0
_FAREWELL_GRACE_SECONDS = 5.0
_LONGEST_WAIT_SECONDS = 0.5
_INJECTIONS_SECONDS = 20.0
_INJECTIONS_AT_ONCE_SECONDS = 5.0
_BEFORE_THE_END = (RunState.RAMPING, RunState.WARMING_UP, RunState.MEASURING)


class Run(RunNotes):
    """Drives ``starts`` through ramp, warm-up and measuring; ``labels`` name the clients by number.

    ``state`` ends as completed (the measuring phase ran its length), stopped (somebody asked) or failed (no client
    could begin, or none was left); ``failure`` then says why. ``step_times`` are of the measured seconds. ``faults``
    happen at their times after measuring begins; ``tools`` are what injects them. ``stores`` are probed.
    ``tick_seconds`` is how long a second of the run lasts.
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
        tick_seconds: float = 1.0,
    ) -> None:
        self.state = RunState.PREPARING
        self.failure = ""
        self._sinks = AllSinks(sinks)
        super().__init__(EventBook(self._sinks, self._wake), tick_seconds)
        self._schedule = Schedule(faults)
        self._injector = Injector(self, tools or InjectionTools())
        self._crew = Crew(starts, labels, stores)
        self._watch = WorkstationWatch(self._crew.labels, self._events.tell)
        self.step_times = StepTimesSum()
        self._clock = PhaseClock(
            ramp_seconds=max(start.threads / start.ramp_rate for start in starts),
            warmup_seconds=warmup_seconds,
            measured_seconds=measured_seconds,
            tick_seconds=tick_seconds,
        )
        self._turning = threading.Lock()  # whether the run goes on is decided here, and in extend
        self._was_stopped = False
        self._stop_asked = threading.Event()
        self._stop_now = threading.Event()
        self._waking = threading.RLock()  # a signal's handler may stop the run in the midst of another wake
        self._wake_reader, self._wake_writer = multiprocessing.Pipe(duplex=False)
        self._collector = threading.Thread(target=self._collect, name="run-collector", daemon=True)
        self._over = threading.Event()

    def start(self) -> None:
        """Spawn the client processes and begin to collect; returns at once."""
        self._collector.start()

    def stop(self) -> None:
        """Stop in order: the orders under way end, everything counted is kept. Returns at once."""
        self._stop_asked.set()
        self._wake()

    def stop_now(self) -> None:
        """End the clients without waiting for their orders."""
        self._stop_now.set()
        self.stop()

    def extend(self, seconds: int) -> None:
        """Let the measuring phase end that much later; returns at once. A run that has no end has none still.

        From any thread. Raises ``UserError`` when the run is not on its way, or is over already.
        """
        if not 0 < seconds <= LATEST_SECONDS:
            raise BadInput(f"extend by {seconds} s is too short; give 1 s or more.")
        with self._turning:
            if self.state not in _BEFORE_THE_END:
                raise UserError(
                    f"the run is {self.state.value}; only while it ramps, warms up or measures it can be extended."
                )
            if not self._clock.extend(seconds):
                return
        how_long = f"{seconds // 60} min" if seconds % 60 == 0 else f"{seconds} s"
        self._events.do_in_turn(self._tell_phases)
        self.add_event(EventKind.PHASE, f"extended by {how_long}", by_hand=True)

    def fire(self, fault: PlannedFault) -> list[int]:
        """Let a fault happen now, whatever its moment, and its further rounds after it; the rounds' numbers.

        From any thread. Raises ``UserError`` when the run is stopping or over.
        """
        if self.state not in (RunState.PREPARING, *_BEFORE_THE_END):
            raise UserError(f"the run is {self.state.value}; nothing can be injected any more.")
        numbers = self._schedule.add(fault, self._at())
        self._wake()
        return numbers

    def armed(self) -> tuple[Armed, ...]:
        """The faults that are still to happen, each round by itself; those that wait for a steady baseline too."""
        return (*self._schedule.waiting(), *self._injector.held())

    def abort(self, number: int) -> bool:
        """Take back a round of a fault that is still to happen; whether it was."""
        return self._schedule.take_back(number) or self._injector.abort(number)

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Wait until the run is over; whether it is."""
        return self._over.wait(timeout_seconds)

    @property
    def phases(self) -> Phases:
        return self._clock.phases

    @property
    def client_pids(self) -> dict[int, int]:
        """The process id of every client that is still there; clients may share a process."""
        return {number: process.pid for process in self._crew.present for number in process.clients}

    @property
    def farewells(self) -> list[Farewell]:
        """What each client process said at its end."""
        return [process.farewell for process in self._crew.processes.values() if process.farewell is not None]

    @property
    def driver_totals(self) -> list[dict[str, Any]]:
        """The same as plain values, and how far the process's clock was from the run's (milliseconds)."""
        offsets_ms = self._watch.clock_offsets_ms
        return [farewell.totals(offsets_ms.get(farewell.clients[0])) for farewell in self.farewells]

    @property
    def spells(self) -> list[dict[str, Any]]:
        """When and how much the workstation limited or distorted the run, see ``engine.driver.saturation``."""
        return self._watch.spells

    @property
    def workstation(self) -> WorkstationLoad | None:
        """What the run costs this machine; ``None`` as long as it is not known, and when the run is over."""
        load = self._watch.load
        if load is None or self.state.is_final:
            return None
        return replace(load, heartbeat_ms=self._crew.by_client(load.heartbeat_ms))

    def _collect(self) -> None:
        """The collector thread's whole life; whatever goes wrong in it ends the run, and is said."""
        try:
            self._sinks.set_state(self.state, self.phases)
            self._crew.spawn()
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
            # The crew first: nobody is to order any more while an injection is waited for.
            for step in (self._injector.close, self._end_crew, self._end_injections, self._events.close):
                try:
                    step()
                except Exception:
                    _log.exception("the end of the run failed in part")
            self._over.set()

    def _await_ready(self) -> bool:
        processes = self._crew.processes.values()
        deadline = time.monotonic() + _START_DEADLINE_SECONDS
        while not all(process.is_ready or process.is_gone for process in processes):
            if time.monotonic() > deadline or self._stop_asked.is_set():
                break
            self._receive(min(_LONGEST_WAIT_SECONDS, deadline - time.monotonic()))
        ready = all(process.is_ready for process in processes)
        if self._stop_asked.is_set():
            self._set_state(RunState.STOPPED)
            return False
        if not ready:
            late = [client for each in processes if not each.is_ready for client in each.clients.values()]
            missing = ", ".join(client.label for client in late)
            self.failure = f"These clients did not start: {missing}."
            self._set_state(RunState.FAILED)
        return ready

    def _begin(self) -> None:
        self.timebase = replace(self.timebase, epoch=time.monotonic() + _LEAD_SECONDS)
        self._sinks.begin(datetime.now(UTC) + timedelta(seconds=_LEAD_SECONDS))
        self._watch.begin(self.timebase)
        self._crew.begin(self.timebase)
        self._set_state(RunState.RAMPING)

    def _drive(self) -> None:
        """From the ramp to the end of measuring, or to the stop that somebody asked for."""
        while self.state is not RunState.STOPPING:
            at = self._at()
            next_turn = min(self._clock.next_change(at), self._schedule.next_at(self.phases.measuring_from))
            self._receive(min(_LONGEST_WAIT_SECONDS, max(0.0, self.timebase.moment(next_turn) - time.monotonic())))
            at = self._at()
            self._watch_ramp(at)
            pids = {process.number: process.pid for process in self._crew.present}
            self._watch.look(pids, orders=self.state in (RunState.WARMING_UP, RunState.MEASURING))
            for armed in self._schedule.take_due(at, self.phases.measuring_from):
                self._let_happen(armed)
            self._turn(at, must_stop=self._stop_asked.is_set() or not pids)

    def _let_happen(self, armed: Armed) -> None:
        fault = armed.fault
        if fault.injection is not None:
            self._injector.begin(armed)
        else:
            self._events.tell(new_mark(fault.label, armed.at_seconds, by_hand=False, is_fault=bool(fault.is_fault)))

    def _turn(self, at: float, *, must_stop: bool) -> None:
        with self._turning:
            if must_stop:
                self._was_stopped = True
                self._clock.stop(at)
            if (state := self._clock.state(at)) is self.state:
                return
            self.state = state
        self._tell_state()

    def _watch_ramp(self, at: float) -> None:
        """Start the clock, and with it all users, when the last one is connected or has been waited for long enough."""
        present = self._crew.clients_present
        if not present or self._clock.has_started:
            return
        missing = [client.label for client in present if not client.all_connected]
        if missing and not self._clock.ramp_is_overdue(at):
            return
        if missing:
            label = f"the clock starts without all users of {', '.join(missing)}"
            self._tell(EventKind.WARNING, label, code=EventCode.STARTED_INCOMPLETE, data={"clients": missing})
        starts_at = self._clock.all_connected(self._at(time.monotonic() + _LEAD_SECONDS))
        self._crew.let_go(starts_at, self._clock.warmup_real_seconds)

    def _finish(self) -> None:
        """Ask the clients to leave, and take their last samples."""
        self._watch.close()
        self._injector.close()
        processes = self._crew.processes.values()
        if not self._stop_now.is_set():
            self._crew.send(Stop(within_seconds=_STOP_DEADLINE_SECONDS))
            deadline = time.monotonic() + _STOP_DEADLINE_SECONDS + _FAREWELL_GRACE_SECONDS
            while self._crew.present and time.monotonic() <= deadline and not self._stop_now.is_set():
                self._receive(_LONGEST_WAIT_SECONDS)
            for process in processes:
                if not (process.farewell or process.is_gone or self._stop_now.is_set()):
                    self._lose(process, "it did not leave in time and was ended")
        if not any(process.farewell for process in processes) and not self._stop_now.is_set():
            self.failure = "No client was left."
            self._set_state(RunState.FAILED)
        else:
            self._set_state(RunState.STOPPED if self._was_stopped else RunState.COMPLETED)

    def _receive(self, seconds: float) -> None:
        """Take what has arrived from any process, waiting at most so long for the first word."""
        for child, message in self._crew.hear(self._wake_reader, seconds):
            if isinstance(message, Sample):
                self._sinks.write_sample(message)
            elif isinstance(message, StepTimes):
                self.step_times.add(message, self.phases)
            elif isinstance(message, ProbeSample):
                self._sinks.write_probe(message)
            elif isinstance(message, RunEvent):
                self._events.tell(message)
            elif isinstance(child, ClientProcess):
                self._hear(child, message)
            elif child is not None:
                self._lose_probe(child)
            else:
                self._events.hand_on()

    def _hear(self, process: ClientProcess, message: object) -> None:
        match message:
            case _ if message is GONE:
                if process.farewell is None:
                    self._lose(process, process.how_it_ended())
            case Ready():
                process.is_ready = True
            case AllConnected():
                process.clients[message.client].all_connected = True
            case VitalSigns():
                self._watch.hear(message)
            case Farewell():
                process.farewell = message
            case _:
                raise TypeError(f"{process.name} sent {type(message).__name__}")

    def _lose_probe(self, probe: ChildProcess) -> None:
        how = f"{probe.how_it_ended()}; from now on black-outs show only in the orders"
        self._tell(EventKind.WARNING, "the probe is lost", code=EventCode.PROBE_LOST, detail=how)

    def _lose(self, process: ClientProcess, how: str) -> None:
        process.is_gone = True
        for client in process.clients.values():
            self._tell(EventKind.CLIENT_LOST, f"client {client.label} lost", client=client.number, detail=how)

    def _set_state(self, state: RunState) -> None:
        with self._turning:
            self.state = state
        self._tell_state()

    def _tell_phases(self) -> None:
        self._sinks.set_state(self.state, self.phases)
        if self.state in _BEFORE_THE_END:
            self._crew.tell_phases(self.phases)

    def _tell_state(self) -> None:
        self._tell_phases()
        if not self.state.is_final:
            self._tell(
                EventKind.PHASE,
                self.state.value,
                code=EventCode.PHASE_BEGAN,
                data={"state": self.state.value},
                at_seconds=float(self._clock.began(self.state)),
            )

    def _end_crew(self) -> None:
        self._crew.end(at_once=self._stop_now.is_set())

    def _end_injections(self) -> None:
        seconds = _INJECTIONS_AT_ONCE_SECONDS if self._stop_now.is_set() else _INJECTIONS_SECONDS
        if not self._injector.join(seconds):
            self._tell(EventKind.WARNING, "an injection was still in progress at the end of the run")

    def _wake(self) -> None:
        with self._waking:
            self._wake_writer.send(None)
