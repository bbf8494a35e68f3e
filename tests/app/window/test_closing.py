"""Leaving the window while a real run goes on, or is audited."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.parts.closing_question import ClosingAnswer, ClosingQuestion


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def measuring(opened: OpenDesktop, url: str, *, minutes: float = 10, audit: bool = False) -> None:
    """Bring a run to its measuring phase."""
    load = {"threads": 2, "think_time_ms": 100, "ramp_rate": 100}
    plan = {"targets": [url], **load, "warmup_minutes": 0.0, "minutes": minutes}
    opened.desktop.start_run(RunPlan.from_dict(plan), reset=False, audit=audit)
    opened.wait_for(lambda: opened.desktop.live_run.run is not None and _state(opened) is RunState.MEASURING)


def _state(opened: OpenDesktop) -> RunState | None:
    data = opened.desktop.live_run.data
    return None if data is None else data.state


def question(opened: OpenDesktop) -> ClosingQuestion:
    found = opened.desktop.window.findChild(ClosingQuestion)
    assert found is not None
    assert found.isVisible()
    return found


def answer(opened: OpenDesktop, what: ClosingAnswer) -> None:
    opened.qtbot.mouseClick(question(opened).answer_button(what), Qt.MouseButton.LeftButton)


def test_idle_window_closes_at_once(opened: OpenDesktop) -> None:
    assert opened.desktop.window.close()
    assert not opened.desktop.window.isVisible()


def test_cancel_keeps_everything_unchanged(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store)
    assert not opened.desktop.window.close()
    answer(opened, ClosingAnswer.CANCEL)
    assert opened.desktop.window.isVisible()
    assert _state(opened) is RunState.MEASURING


def test_escape_is_cancel(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store)
    opened.desktop.window.close()
    box = question(opened)
    opened.qtbot.keyClick(box, Qt.Key.Key_Escape)
    opened.wait_for(lambda: not box.isVisible())
    assert opened.desktop.window.isVisible()
    assert _state(opened) is RunState.MEASURING


def test_stop_and_save_keeps_the_run_and_then_closes(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store)
    opened.desktop.window.close()
    answer(opened, ClosingAnswer.STOP_AND_SAVE)
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    records = opened.desktop.workbench.library().runs()
    assert [record.state for record in records] == [RunState.STOPPED]
    assert records[0].totals is not None


def test_keep_running_lets_the_run_end_by_itself_and_then_closes(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store, minutes=0.1)
    opened.desktop.window.close()
    answer(opened, ClosingAnswer.KEEP_RUNNING)
    assert opened.desktop.window.isMinimized()
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    assert [record.state for record in opened.desktop.workbench.library().runs()] == [RunState.COMPLETED]


def test_the_audit_after_the_run_is_waited_for(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store, minutes=0.1, audit=True)
    opened.desktop.window.close()
    answer(opened, ClosingAnswer.KEEP_RUNNING)
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    (record,) = opened.desktop.workbench.library().runs()
    assert record.audit is not None


def test_closing_again_while_keeping_the_run_still_closes_at_its_end(opened: OpenDesktop, store: str) -> None:
    measuring(opened, store, minutes=0.1)
    opened.desktop.window.close()
    answer(opened, ClosingAnswer.KEEP_RUNNING)
    opened.desktop.window.showNormal()
    assert not opened.desktop.window.close()
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    assert not opened.desktop.live_run.is_busy
