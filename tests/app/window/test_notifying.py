"""When long work ends while another application is active, the system shows a notification."""

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.long_work import EndedWork
from engine.errors import UserError
from engine.library.library import Library
from engine.library.rescue import Rescue
from engine.record.record import RunState
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop
from tests.totals import totals_with

PROGRAM = """#!/bin/sh
for argument in "$@"; do printf '%s\\n' "$argument"; done > "$HEARD.new"
mv "$HEARD.new" "$HEARD"
"""


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a program in notify-send's place writes what it was given."""
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "notify-send"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    path = tmp_path / "heard"
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HEARD", str(path))
    monkeypatch.setattr("app.window.system_notifications.has_session_bus", lambda: True)
    return path


@pytest.fixture
def beeps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    expected: list[str] = []
    monkeypatch.setattr(QApplication, "beep", lambda: expected.append("beep"))
    return expected


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    return shared_window


@pytest.fixture
def elsewhere(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> OpenDesktop:
    """No window of the application is active."""
    monkeypatch.setattr(QApplication, "activeWindow", lambda: None)
    return opened


def ended_work(seconds: float = 605.0, *, is_failure: bool = False) -> EndedWork:
    return EndedWork(name="building 2 stores", seconds=seconds, sentence="2 stores <built>.", is_failure=is_failure)


def arguments(opened: OpenDesktop, recorded: Path) -> list[str]:
    """What notify-send was given; from now on it was given nothing."""
    opened.wait_for(recorded.exists)
    expected = recorded.read_text().splitlines()
    recorded.unlink()
    return expected


def test_end_of_long_work_is_notified(elsewhere: OpenDesktop, recorded: Path, beeps: list[str]) -> None:
    elsewhere.desktop.long_work.ended.emit(ended_work())
    assert arguments(elsewhere, recorded)[-3:] == [
        "--",
        "Building 2 stores: done after 10:05\u202fmin",
        "2 stores &lt;built&gt;.",
    ]
    assert beeps == ["beep"]


def test_failure_is_notified_after_any_duration(elsewhere: OpenDesktop, recorded: Path) -> None:
    elsewhere.desktop.long_work.ended.emit(ended_work(3.0, is_failure=True))
    assert arguments(elsewhere, recorded)[-2] == "Building 2 stores: failed after 3\u202fs"
    elsewhere.desktop.live_run.failed.emit(UserError("host db1 refused postgresql://me:hunter2@db1."))
    expected = arguments(elsewhere, recorded)
    assert expected[-2:] == ["Run failed", "Host db1 refused postgresql://me:•••@db1."]


def test_run_notification_has_its_opm(elsewhere: OpenDesktop, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = elsewhere.desktop.notifying
    monkeypatch.setattr(elsewhere.desktop.settings, "notification_seconds", 0.0)
    elsewhere.desktop.live_run.preparing.emit("opening the library", 0.0)
    notifying._on_run_ended(a_run(name="evening", state=RunState.COMPLETED, totals=totals_with(opm=41_215)))
    assert arguments(elsewhere, recorded)[-2:] == ["Run completed", "evening, 41\u202f215\u202fOPM"]


def test_notification_of_a_rescued_run_has_its_path(elsewhere: OpenDesktop, recorded: Path, tmp_path: Path) -> None:
    record = a_run(state=RunState.COMPLETED)
    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        rescue = Rescue(run_id=record.run_id, library=library, path=tmp_path / "rescued.sqlite", is_whole=True)
        elsewhere.desktop.notifying._on_run_not_stored(record, rescue)
    title, text = arguments(elsewhere, recorded)[-2:]
    assert title == "Run completed, not in the library"
    assert text.startswith(f"Run {record.run_id} was measured, but the library")
    assert f"it is kept in {rescue.path}" in text


def test_short_or_visible_work_is_not_notified(
    opened: OpenDesktop, recorded: Path, beeps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", lambda: opened.desktop.window)
    opened.desktop.long_work.ended.emit(ended_work())
    monkeypatch.setattr(QApplication, "activeWindow", lambda: None)
    opened.desktop.long_work.ended.emit(ended_work(29.0))
    opened.desktop.notifying._on_run_ended(a_run(state=RunState.COMPLETED))
    assert beeps == []
    assert not recorded.exists()


def test_settings_disable_sound_and_notifications(
    elsewhere: OpenDesktop, recorded: Path, beeps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = elsewhere.desktop.settings
    monkeypatch.setattr(settings, "notification_sound", False)
    elsewhere.desktop.long_work.ended.emit(ended_work())
    assert arguments(elsewhere, recorded)
    monkeypatch.setattr(settings, "notifications", False)
    elsewhere.desktop.long_work.ended.emit(ended_work())
    monkeypatch.setattr(settings, "notifications", True)
    monkeypatch.setattr(settings, "notification_seconds", 700.0)
    elsewhere.desktop.long_work.ended.emit(ended_work(605.0))
    assert beeps == []
    assert not recorded.exists()


def test_no_notification_without_system_support(
    opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch, recorded: Path
) -> None:
    monkeypatch.setattr("app.window.system_notifications.has_session_bus", lambda: False)
    assert not opened.desktop.notifying.system.show("Run completed", "evening")  # offscreen, there is no tray either
    assert not recorded.exists()
