"""A run: one client process per client, one collector thread that gathers what they tell and hands it on.

``Run`` knows neither the screen nor the library; whoever started it gives it sinks. Stopping is a protocol: the
clients are asked, tell their last samples, have a deadline, and are ended at the deadline.
"""

import logging
import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection, wait
from typing import Any

from engine.driver.client import run_client
from engine.driver.messages import AllConnected, Begin, ClientStart, Farewell, Go, Ready, Stop
from engine.driver.phase_clock import PhaseClock
from engine.driver.sinks import AllSinks, Sink
from engine.record import Phases, RunState
from engine.sample import EventKind, RunEvent, Sample

_log = logging.getLogger(__name__)
_LEAD_SECONDS = 0.2
_START_DEADLINE_SECONDS = 60.0
_STOP_DEADLINE_SECONDS = 10.0
_FAREWELL_GRACE_SECONDS = 5.0
_KILL_SECONDS = 5.0
_LONGEST_WAIT_SECONDS = 0.5


@dataclass
class _Client:
    """The run's side of one client process."""

    start: ClientStart
    label: str
    pipe: "Connection[Any, Any]"
    process: Any
    ready: bool = False
    all_connected: bool = False
    farewell: Farewell | None = None
    gone: bool = False


class Run:
    """Drives ``starts`` through ramp, warm-up and measuring; ``labels`` name the clients by number.

    ``state`` ends as completed (the measuring phase ran its length), stopped (somebody asked) or failed (no client
    could begin, or none was left); ``failure`` then says why.
    """

    def __init__(
        self,
        *,
        starts: Sequence[ClientStart],
        labels: Mapping[int, str],
        warmup_seconds: int,
        measured_seconds: int,
        sinks: Sequence[Sink],
    ) -> None:
        self.state = RunState.PREPARING
        self.failure = ""
        self.epoch = 0.0
        self._starts = starts
        self._labels = labels
        self._sinks = AllSinks(sinks)
        self._clients: dict[int, _Client] = {}
        self._clock = PhaseClock(
            ramp_seconds=max(start.threads / start.ramp_rate for start in starts),
            warmup_seconds=warmup_seconds,
            measured_seconds=measured_seconds,
        )
        self._was_stopped = False
        self._stop_asked = threading.Event()
        self._stop_now = threading.Event()
        self._added: deque[RunEvent] = deque()
        self._wake_reader, self._wake_writer = multiprocessing.Pipe(duplex=False)
        self._collector = threading.Thread(target=self._collect, name="run-collector", daemon=True)
        self._over = threading.Event()

    def start(self) -> None:
        """Spawn the clients and begin to collect; returns at once."""
        self._collector.start()

    def stop(self) -> None:
        """Stop in order: the orders under way end, everything counted is kept. Returns at once."""
        self._stop_asked.set()
        self._wake()

    def stop_now(self) -> None:
        """End the clients without waiting for their orders."""
        self._stop_now.set()
        self.stop()

    def add_event(self, kind: EventKind, label: str, *, detail: str = "", by_hand: bool = False) -> None:
        """Put an event of the present moment into the run; from any thread, also a sink's."""
        self._added.append(RunEvent(at_seconds=self._at(), kind=kind, label=label, detail=detail, by_hand=by_hand))
        self._wake()

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Wait until the run is over; whether it is."""
        return self._over.wait(timeout_seconds)

    @property
    def phases(self) -> Phases:
        return self._clock.phases

    @property
    def client_pids(self) -> dict[int, int]:
        """The process id of every client that is still there."""
        return {number: client.process.pid for number, client in self._clients.items() if not client.gone}

    @property
    def farewells(self) -> list[Farewell]:
        return [client.farewell for client in self._clients.values() if client.farewell is not None]

    def _collect(self) -> None:
        """The collector thread's whole life; whatever goes wrong in it ends the run, and is said."""
        try:
            self._spawn()
            if self._await_ready():
                self._begin()
                self._drive()
                self._finish()
        except Exception as error:
            _log.exception("the run's collector failed")
            self.failure = self.failure or f"Spindle itself failed: {type(error).__name__}."
            self._set_state(RunState.FAILED)
        finally:
            self._end_processes()
            self._tell_added()
            self._over.set()

    def _spawn(self) -> None:
        self._sinks.set_state(self.state, self.phases)
        _keep_interrupts_from_children()
        context = multiprocessing.get_context("spawn")
        for start in self._starts:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=run_client, args=(theirs, start), name=f"spindle-client-{start.client}", daemon=True
            )
            process.start()
            theirs.close()
            label = self._labels[start.client]
            self._clients[start.client] = _Client(start=start, label=label, pipe=ours, process=process)

    def _await_ready(self) -> bool:
        deadline = time.monotonic() + _START_DEADLINE_SECONDS
        while not all(client.ready or client.gone for client in self._clients.values()):
            if time.monotonic() > deadline or self._stop_asked.is_set():
                break
            self._receive(min(_LONGEST_WAIT_SECONDS, deadline - time.monotonic()))
        ready = all(client.ready for client in self._clients.values())
        if self._stop_asked.is_set():
            self._set_state(RunState.STOPPED)
            return False
        if not ready:
            missing = ", ".join(client.label for client in self._clients.values() if not client.ready)
            self.failure = f"These clients did not start: {missing}."
            self._set_state(RunState.FAILED)
        return ready

    def _begin(self) -> None:
        self.epoch = time.monotonic() + _LEAD_SECONDS
        self._sinks.begin(datetime.now(UTC) + timedelta(seconds=_LEAD_SECONDS))
        for client in self._clients.values():
            self._send(client, Begin(epoch=self.epoch))
        self._set_state(RunState.RAMPING)

    def _drive(self) -> None:
        """From the ramp to the end of measuring, or to the stop that somebody asked for."""
        while self.state is not RunState.STOPPING:
            at = self._at()
            self._receive(min(_LONGEST_WAIT_SECONDS, max(0.0, self._clock.next_change(at) - at)))
            at = self._at()
            present = [client for client in self._clients.values() if not client.gone]
            self._watch_ramp(present, at)
            if self._stop_asked.is_set() or not present:
                self._was_stopped = True
                self._clock.stop(at)
            state = self._clock.state(at)
            if state is not self.state:
                self._set_state(state)

    def _watch_ramp(self, present: Sequence[_Client], at: float) -> None:
        """Start the clock, and with it all users, when the last one is connected or has been waited for long enough."""
        if not present or self._clock.has_started:
            return
        missing = ", ".join(client.label for client in present if not client.all_connected)
        if missing and not self._clock.ramp_is_overdue(at):
            return
        if missing:
            self._tell(EventKind.WARNING, f"the clock starts without all users of {missing}")
        starts_at = self._clock.all_connected(at + _LEAD_SECONDS)
        for client in present:
            self._send(client, Go(at_seconds=starts_at))

    def _finish(self) -> None:
        """Ask the clients to leave, and take their last samples."""
        if not self._stop_now.is_set():
            for client in self._clients.values():
                self._send(client, Stop(within_seconds=_STOP_DEADLINE_SECONDS))
            deadline = time.monotonic() + _STOP_DEADLINE_SECONDS + _FAREWELL_GRACE_SECONDS
            while not all(client.gone for client in self._clients.values()):
                if time.monotonic() > deadline or self._stop_now.is_set():
                    break
                self._receive(_LONGEST_WAIT_SECONDS)
            for client in self._clients.values():
                if not (client.farewell or client.gone or self._stop_now.is_set()):
                    self._lose(client, "it did not leave in time and was ended")
        if not any(client.farewell for client in self._clients.values()) and not self._stop_now.is_set():
            self.failure = "No client was left."
            self._set_state(RunState.FAILED)
        else:
            self._set_state(RunState.STOPPED if self._was_stopped else RunState.COMPLETED)

    def _receive(self, seconds: float) -> None:
        """Take what has arrived from any client, waiting at most so long for the first word."""
        pipes = {client.pipe: client for client in self._clients.values() if not client.gone}
        for pipe in wait([self._wake_reader, *pipes], timeout=max(0.0, seconds)):
            if pipe is self._wake_reader:
                self._wake_reader.recv()
                self._tell_added()
                continue
            client = pipes[pipe]  # type: ignore[index]
            try:
                self._hear(client, client.pipe.recv())
            except (EOFError, OSError):
                if client.farewell is None:
                    self._lose(client, _how_it_ended(client.process))
                client.gone = True

    def _hear(self, client: _Client, message: object) -> None:
        match message:
            case Sample():
                self._sinks.write_sample(message)
            case RunEvent():
                self._sinks.write_event(message)
            case Ready():
                client.ready = True
            case AllConnected():
                client.all_connected = True
            case Farewell():
                client.farewell = message
                if message.unfinished_users:
                    hung = f"{message.unfinished_users} users hung in a call at the end"
                    self._tell(EventKind.WARNING, hung, client=client)
            case _:
                raise TypeError(f"client {client.label} sent {type(message).__name__}")

    def _lose(self, client: _Client, how: str) -> None:
        client.gone = True
        self._tell(EventKind.CLIENT_LOST, f"client {client.label} lost", client=client, detail=how)

    def _tell_added(self) -> None:
        while self._added:
            self._sinks.write_event(self._added.popleft())

    def _send(self, client: _Client, message: object) -> None:
        if client.gone:
            return
        try:
            client.pipe.send(message)
        except (BrokenPipeError, OSError):
            _log.debug("client %s is gone; its pipe will say so", client.label)

    def _set_state(self, state: RunState) -> None:
        self.state = state
        self._sinks.set_state(state, self.phases)
        if self.epoch and not state.is_final:
            self._tell(EventKind.PHASE, state.value, at_seconds=float(self._clock.began(state)))

    def _tell(
        self,
        kind: EventKind,
        label: str,
        *,
        client: _Client | None = None,
        detail: str = "",
        at_seconds: float | None = None,
    ) -> None:
        self._sinks.write_event(
            RunEvent(
                at_seconds=self._at() if at_seconds is None else at_seconds,
                kind=kind,
                label=label,
                client=None if client is None else client.start.client,
                detail=detail,
            )
        )

    def _at(self) -> float:
        return round(time.monotonic() - self.epoch, 3) if self.epoch else 0.0

    def _wake(self) -> None:
        self._wake_writer.send(None)

    def _end_processes(self) -> None:
        for client in self._clients.values():
            client.pipe.close()  # a client whose pipe ends leaves by itself
        deadline = time.monotonic() + _KILL_SECONDS
        for client in self._clients.values():
            client.process.join(0 if self._stop_now.is_set() else max(0.0, deadline - time.monotonic()))
            if client.process.is_alive():
                client.process.kill()
                client.process.join(_KILL_SECONDS)
            client.process.close()


def _keep_interrupts_from_children() -> None:
    """Ctrl-C goes to the whole group, also to a client that has not come to ignore it yet; a mask is inherited."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _how_it_ended(process: Any) -> str:
    process.join(1.0)
    code = process.exitcode
    if code is None:
        return "its pipe broke"
    return f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
