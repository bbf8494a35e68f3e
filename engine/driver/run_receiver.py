"""Passes what the processes of a run send to the sinks, the event log and the monitors.

``Run`` has one and calls it on its collector thread.
"""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from engine.analysis.headline import Headline
from engine.collect.collector_process import StopCollectors
from engine.driver.client_handle import ClientProcess
from engine.driver.collector_monitor import CollectorMonitor
from engine.driver.event_log import EventLog
from engine.driver.link import WorkerLink
from engine.driver.load_machine_monitor import LoadMachineMonitor
from engine.driver.machine_messages import MachineMessage
from engine.driver.messages import AllConnected, HealthReport, OrderingBegan, Ready
from engine.driver.run_processes import PIPE_CLOSED, RunProcesses
from engine.driver.sinks import Sink
from engine.driver.start_monitor import StartMonitor
from engine.driver.workstation_monitor import WorkstationMonitor
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import ProcessSummary, WorkstationLoad, WorkstationReport

LONGEST_WAIT_SECONDS = 0.5
_COLLECTORS_SECONDS = 5.0


class RunReceiver:
    """``wake_reader`` is the pipe that makes ``receive`` return early and emit the events that are queued; ``now``
    gives a moment of the monotonic clock, or the present one, in seconds of the run."""

    def __init__(
        self,
        processes: RunProcesses,
        sinks: Sink,
        events: EventLog,
        headline: Headline,
        wake_reader: "Connection[Any, Any]",
        now: Callable[[float | None], float],
    ) -> None:
        self._processes = processes
        self._sinks = sinks
        self._events = events
        self._headline = headline
        self._wake_reader = wake_reader
        self._now = now
        self._collectors = CollectorMonitor(sinks, events.emit, lambda: now(None))
        self._load_machines = LoadMachineMonitor(sinks, events.emit, now)
        self._start: StartMonitor | None = None
        self.monitor = WorkstationMonitor(processes.labels_here, headline, events.emit, self._write_workstation)

    def receive(self, seconds: float) -> None:
        """Handle the messages that have arrived from any process, waiting at most ``seconds`` for the first one."""
        for sender, message in self._processes.receive(self._wake_reader, seconds):
            if isinstance(message, Sample):
                self._sinks.write_sample(message)
            elif isinstance(message, ProbeSample):
                self._sinks.write_probe(message)
            elif isinstance(message, HostReading | CollectorStatus):
                self._collectors.receive(message)
            elif isinstance(message, RunEvent):
                self._events.emit(message)
            elif isinstance(message, MachineMessage):
                self._load_machines.receive(message)
            elif isinstance(sender, ClientProcess):
                self._handle(sender, message)
            elif sender is not None:
                self._report_ended(sender)
            else:
                self._events.emit_pending()
        if self._start is not None and self._start.check(time.monotonic()):
            self._start = None

    def await_start(self, last_at: float) -> None:
        """The users begin to place orders, the first one of the last process at a moment of the monotonic clock.

        How far apart the machines do is an event of a run with load machines.
        """
        errors_ms = {launcher.machine: launcher.clock_error_ms for launcher in self._processes.launchers}
        if any(errors_ms):
            machines = {process.number: process.machine for process in self._processes.present}
            self._start = StartMonitor(machines, errors_ms, last_at, self._events.emit, self._now)

    def stop_collectors(self, last_readings_at: float, is_urgent: Callable[[], bool]) -> None:
        """Receive the last readings and states of the machines, those until a moment of the monotonic clock.

        What does not answer is ended with the other processes. Returns early when it ``is_urgent``.
        """
        collectors = self._processes.collectors
        if collectors is None:
            return

        def receive_until(moment: float) -> None:
            left = math.inf
            while left > 0 and not collectors.is_gone and not is_urgent():
                left = moment - time.monotonic()
                self.receive(min(max(0.0, left), LONGEST_WAIT_SECONDS))

        receive_until(last_readings_at)
        self._collectors.is_ending = True
        collectors.send(StopCollectors())
        receive_until(time.monotonic() + _COLLECTORS_SECONDS)

    def report_lost(self, process: ClientProcess, how: str) -> None:
        """A client process is gone before it has sent everything."""
        process.link.is_gone = True
        for client in process.clients.values():
            self._emit(EventKind.CLIENT_LOST, f"client {client.label} lost", client=client.number, detail=how)

    def _handle(self, process: ClientProcess, message: object) -> None:
        match message:
            case _ if message is PIPE_CLOSED:
                if process.summary is None:
                    self.report_lost(process, process.link.how_it_ended())
            case Ready():
                process.is_ready = True
            case AllConnected():
                process.clients[message.client].all_connected = True
            case OrderingBegan():
                if self._start is not None:
                    self._start.receive(process.number, message.late_ms)
            case HealthReport():
                self.monitor.receive(message)
            case ProcessSummary():
                self._take_summary(process, message)
            case _:
                raise TypeError(f"{process.link.name} sent {type(message).__name__}")

    def _take_summary(self, process: ClientProcess, summary: ProcessSummary) -> None:
        if summary.is_last:
            process.summary = summary
        if not process.machine:
            summary = replace(summary, clock_offset_ms=self.monitor.clock_offsets_ms.get(summary.process))
        self._sinks.write_workstation(summary)

    def _report_ended(self, link: WorkerLink) -> None:
        """The process of the probe, or that of the collectors, has ended."""
        how = link.how_it_ended()
        if link is self._processes.collectors:
            self._collectors.report_lost(how)
        else:
            detail = f"{how}; from now on black-outs show only in the {self._headline.units}"
            self._emit(EventKind.WARNING, "the probe was lost", code=EventCode.PROBE_LOST, detail=detail)

    def _write_workstation(self, report: WorkstationReport) -> None:
        """Write what the monitor reports, the lateness of heartbeats by client instead of by process."""
        if isinstance(report, WorkstationLoad):
            report = replace(report, heartbeat_ms=self._processes.by_client(report.heartbeat_ms))
        self._sinks.write_workstation(report)

    def _emit(
        self,
        kind: EventKind,
        label: str,
        *,
        detail: str,
        code: EventCode = EventCode.NONE,
        client: int | None = None,
    ) -> None:
        self._events.emit(
            RunEvent(at_seconds=self._now(None), kind=kind, label=label, code=code, client=client, detail=detail)
        )
