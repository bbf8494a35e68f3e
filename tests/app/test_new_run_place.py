"""What New run does in the background for the wizard, in the real window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop import Desktop
from engine.plan import RunPlan
from engine.plan_file import write_plan_file
from engine.target import MARIADB
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.parts.message_bar import Tone


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def open_plan(desktop: Desktop, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press the button, and choose this file when asked."""
    files = desktop.new_run._doors.files
    monkeypatch.setattr(files, "ask_open", lambda _title, _pattern, take, **_options: take([path]))
    desktop.new_run.widget.open_plan.click()


def test_an_opened_plan_is_confirmed_and_the_earlier_draft_comes_back(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop, bar = opened.desktop, opened.desktop.window.bar
    desktop.new_run.widget.fill(RunPlan(threads=13, name="typed for an hour"))
    path = tmp_path / "nightly.toml"
    write_plan_file(path, RunPlan(threads=7, name="nightly"))
    open_plan(desktop, path, monkeypatch)
    opened.wait_for(lambda: bar.text == "Opened nightly.toml.")
    assert desktop.new_run.widget.draft.plan().threads == 7
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    plan = desktop.new_run.widget.draft.plan()
    assert (plan.threads, plan.name) == (13, "typed for an hour")
    assert desktop.new_run.widget.load.form.rows["threads"].field.text() == "13"


def test_an_error_about_a_plan_file_goes_when_a_plan_is_opened(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = opened.desktop.window.bar
    broken, good = tmp_path / "broken.toml", tmp_path / "good.toml"
    broken.write_text("threads = many", encoding="utf-8")
    write_plan_file(good, RunPlan(threads=7))
    open_plan(opened.desktop, broken, monkeypatch)
    opened.wait_for(lambda: bar.tone is Tone.TROUBLE)
    open_plan(opened.desktop, good, monkeypatch)
    opened.wait_for(lambda: bar.text == "Opened good.toml.")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert bar.text == ""  # the error does not come back


def test_a_plan_of_a_past_run_is_confirmed_too(opened: OpenDesktop) -> None:
    opened.desktop.library.plan_wished.emit(RunPlan(threads=7, name="nightly"))
    opened.wait_for(lambda: opened.desktop.window.bar.text == "Opened the plan “nightly”.")


@pytest.mark.parametrize("is_installed", [True, False])
def test_the_drivers_are_looked_for_when_a_kind_needs_one(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    if not is_installed:
        monkeypatch.setattr("pyodbc.drivers", list)
    opened = open_desktop(qapp, qtbot, tmp_path)
    editor = opened.desktop.new_run.widget.targets.editor
    while editor.kind.currentData() != MARIADB:
        qtbot.keyClick(editor.kind, Qt.Key.Key_Down)
    told = "is used." if is_installed else "no ODBC driver for MariaDB is installed; "
    opened.wait_for(lambda: told.lower() in editor.form.rows["driver"].note.text.lower())
    opened.end()
