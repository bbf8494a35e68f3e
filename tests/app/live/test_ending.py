"""What the user does at the end of a real run, and after it: countdowns, marks and their undoing."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.faults.marks import is_mark
from engine.plan.plan import RunPlan
from engine.telemetry.event import EventKind, RunEvent
from tests.app.window_parts import OpenDesktop
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS
from widgets.parts.form.note import FormNote

_CTRL = Qt.KeyboardModifier.ControlModifier


def marks_of(opened: OpenDesktop) -> list[RunEvent]:
    data = opened.desktop.live_run.data
    assert data is not None
    return [event for event in data.sorted_events() if is_mark(event.kind, by_hand=event.by_hand)]


def test_why_a_run_could_not_start_is_gone_once_one_has_and_a_countdown_ends_with_it(
    shared_window: OpenDesktop, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = shared_window
    monkeypatch.setattr(QApplication, "beep", lambda: None)
    monkeypatch.setattr("app.live.injecting.COUNTDOWN_SECONDS", 600)  # longer than a run takes to stop
    opened.desktop.start_run(RunPlan.from_dict({"targets": ["postgresql://me@127.0.0.1:1/ds2"]}), reset=False)
    opened.wait_for(lambda: "127.0.0.1" in opened.desktop.window.bar.text)
    refusal = opened.desktop.window.bar.text
    opened.measure(store)
    page = opened.desktop.live.widget
    page.markers.inject.countdown_chosen.emit(DEFAULT_MARK_KINDS[0])
    opened.desktop.live_run.stop(now=True)
    opened.wait_for(lambda: not opened.desktop.live_run.is_busy)
    assert not opened.desktop.live.injecting.is_counting_down
    assert not page.arming.isVisible()
    assert marks_of(opened) == []
    assert refusal not in opened.close_messages()


def test_a_mark_that_was_removed_comes_back_under_its_number_during_the_run_and_after_its_end(
    shared_window: OpenDesktop, store: str, qtbot: QtBot
) -> None:
    opened = shared_window
    desktop = opened.desktop
    data = opened.measure(store, load=[{"targets": [store], "threads": 1, "think_time_ms": 100, "ramp_rate": 100}])
    opened.wait_for(lambda: data.measured_end > (data.phases.measuring_from or 0) + 1)
    for key in (Qt.Key.Key_F9, Qt.Key.Key_F12):
        before = len(marks_of(opened))
        qtbot.keyClick(desktop.window, key)
        opened.wait_for(lambda before=before: len(marks_of(opened)) > before)
    pulled, restored = marks = marks_of(opened)
    assert restored.kind is EventKind.FAULT_END
    desktop.live.widget.mark_removed.emit(restored.number)
    opened.wait_for(lambda: marks_of(opened) == [pulled])
    qtbot.keyClick(desktop.window, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: marks_of(opened) == marks)
    desktop.live_run.stop()
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    kept = desktop.workbench.library().events(data.run_id)
    assert [event for event in kept if event.by_hand] == marks

    def warnings() -> str:
        return " ".join(note.text for note in desktop.live.widget.view.head.findChildren(FormNote))

    assert "before the first fault" in warnings()
    desktop.live.widget.load_bar.setCurrentIndex(1)
    assert "before the first fault" in warnings()  # of the second load by itself
    desktop.live.widget.mark_removed.emit(pulled.number)
    opened.wait_for(lambda: marks_of(opened) == [restored])
    opened.wait_for(lambda: "before the first fault" not in warnings())
    opened.wait_for(lambda: desktop.background.is_idle)
    qtbot.keyClick(desktop.live.widget.view.log.view, Qt.Key.Key_Z, _CTRL)
    opened.wait_for(lambda: marks_of(opened) == marks)
    opened.wait_for(lambda: "before the first fault" in warnings())
