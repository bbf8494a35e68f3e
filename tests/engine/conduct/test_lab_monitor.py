import time
from dataclasses import dataclass, field

import pytest

from engine.conduct.lab_monitor import LabMonitor
from engine.errors import UserError
from engine.lab.events import LabEvent, LabEventKind
from engine.telemetry.event import EventKind
from tests.waiting import wait_until

LATER = time.monotonic() + 3_600
DIED = LabEvent(at_monotonic=LATER, kind=LabEventKind.DIED, node="node1", text="The primary node1 has died.")
PROMOTED = LabEvent(
    at_monotonic=LATER + 0.4, kind=LabEventKind.PROMOTED, node="node2", text="node2 is the primary now."
)


@dataclass
class KeptNotes:
    told: list[tuple[EventKind, str, float | None, bool]] = field(default_factory=list)

    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int:
        assert detail.startswith("by the lab's supervisor; ")
        self.told.append((EventKind.INJECTION, label, at_monotonic, is_fault))
        return len(self.told)

    def add_event(self, kind: EventKind, label: str, *, at_monotonic: float | None = None) -> None:
        self.told.append((kind, label, at_monotonic, False))


def test_lab_events_are_emitted_once_with_their_times() -> None:
    waiting = [[DIED], [PROMOTED]]
    notes = KeptNotes()
    watch = LabMonitor(lambda: waiting.pop(0) if waiting else [], notes)
    watch.start()
    wait_until(lambda: bool(notes.told), "the first news are told")
    watch.stop()
    watch.stop()
    assert notes.told == [
        (EventKind.WARNING, "The primary node1 has died.", LATER, False),
        (EventKind.INJECTION, "node2 is the primary now.", LATER + 0.4, False),
    ]


class NotesOfARunThatIsOver(KeptNotes):
    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int:
        super().add_injection(label, detail, at_monotonic=at_monotonic, is_fault=is_fault)
        raise UserError("the run is over.")


def test_lab_events_after_the_run_are_ignored(caplog: pytest.LogCaptureFixture) -> None:
    notes = NotesOfARunThatIsOver()
    watch = LabMonitor(lambda: [PROMOTED, DIED], notes)
    watch.start()
    watch.stop()
    assert [label for _, label, _, _ in notes.told] == ["node2 is the primary now."]
    assert caplog.records == []


def test_unreadable_lab_events_do_not_end_the_run(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> list[LabEvent]:
        raise ValueError("no such kind")

    watch = LabMonitor(broken, KeptNotes())
    watch.start()
    watch.stop()
    assert [record.getMessage() for record in caplog.records] == ["the lab's news end here"]


def test_earlier_lab_events_are_ignored() -> None:
    notes = KeptNotes()
    earlier = LabEvent(
        at_monotonic=time.monotonic(), kind=LabEventKind.PROTECTED, node="node2", text="commits wait for node2"
    )
    watch = LabMonitor(lambda: [earlier], notes)
    watch.start()
    watch.stop()
    assert notes.told == []
