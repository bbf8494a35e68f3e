"""What a run's load machines report: their events under numbers of the run, and how far apart they started."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from engine.driver.machine_messages import MachineBegan, MachineEvent, MachineMessage, MachineReport
from engine.driver.sinks import Sink
from engine.figure_text import significant
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation import MachineLoad, SaturationRecord, WorkstationLoad
from engine.telemetry.workstation_text import WORKSTATION_LIMITS, limit_sentence


class LoadMachineMonitor:
    """``expected`` is how many machines will begin, this one included if it has clients. ``emit`` gets the events and
    returns their numbers; ``second_of`` gives a moment of the monotonic clock in seconds of the run.

    Used on the run's collector thread.
    """

    def __init__(
        self, expected: int, sink: Sink, emit: Callable[[RunEvent], int], second_of: Callable[[float | None], float]
    ) -> None:
        self._expected = expected
        self._sink = sink
        self._emit = emit
        self._second_of = second_of
        self._numbers: dict[tuple[str, int], int] = {}
        self._began: dict[str, MachineBegan] = {}

    def receive(self, message: MachineMessage) -> None:
        match message:
            case MachineEvent():
                self._take_event(message)
            case MachineReport():
                self._take_report(message)
            case MachineBegan():
                self._take_began(message)

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

    def _take_began(self, message: MachineBegan) -> None:
        self._began[message.machine] = message
        if len(self._began) < self._expected:
            return
        lateness = [each.late_ms for each in self._began.values()]
        pairs = combinations((each.error_ms for each in self._began.values()), 2)
        skew_ms = round(max(lateness) - min(lateness), 3)
        error_ms = round(max((sum(pair) for pair in pairs), default=message.error_ms), 3)
        self._emit(
            RunEvent(
                at_seconds=self._second_of(None),
                kind=EventKind.PHASE,
                code=EventCode.LOAD_MACHINES_STARTED,
                label=f"the load machines started within {significant(skew_ms)} ms (± {significant(error_ms)} ms)",
                data={
                    "skew_ms": skew_ms,
                    "error_ms": error_ms,
                    "started": {
                        name: {"late_ms": each.late_ms, "error_ms": each.error_ms} for name, each in self._began.items()
                    },
                },
            )
        )
