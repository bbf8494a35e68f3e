"""What a run's load machines report, their events under numbers of the run."""

from collections.abc import Callable
from dataclasses import replace

from engine.driver.machine_messages import MachineEvent, MachineMessage, MachineReport
from engine.driver.sinks import Sink
from engine.telemetry.event import RunEvent
from engine.telemetry.workstation import MachineLoad, SaturationRecord, WorkstationLoad
from engine.telemetry.workstation_text import WORKSTATION_LIMITS, limit_sentence


class LoadMachineMonitor:
    """``emit`` gets the events and returns their numbers; ``second_of`` gives a moment of the monotonic clock in
    seconds of the run.

    Used on the run's collector thread.
    """

    def __init__(self, sink: Sink, emit: Callable[[RunEvent], int], second_of: Callable[[float | None], float]) -> None:
        self._sink = sink
        self._emit = emit
        self._second_of = second_of
        self._numbers: dict[tuple[str, int], int] = {}

    def receive(self, message: MachineMessage) -> None:
        match message:
            case MachineEvent():
                self._take_event(message)
            case MachineReport():
                self._take_report(message)

    def _take_event(self, message: MachineEvent) -> None:
        key = message.machine, message.number
        data = {"machine": message.machine, **message.event.data}
        event = replace(message.event, data=data, number=self._numbers.get(key, 0) if message.number else 0)
        if message.moment is not None:
            event = replace(event, at_seconds=self._second_of(message.moment))
        if event.code in WORKSTATION_LIMITS:
            event = replace(event, label=limit_sentence(event.code, data))
        number = self._emit(event)
        if message.number:
            self._numbers[key] = number

    def _take_report(self, message: MachineReport) -> None:
        report = message.report
        if isinstance(report, SaturationRecord):
            report = replace(report, number=self._numbers[message.machine, report.number])
        elif isinstance(report, WorkstationLoad):
            self._sink.write_workstation(MachineLoad(machine=message.machine, load=report))
            return
        self._sink.write_workstation(report)
