"""The dialog of the practice servers in the real window, with a real pair behind it."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.lab.server import lab_status, lab_stop
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.widgets.lab.test_servers_dialog import agree
from widgets.lab.servers_dialog import PracticeServersDialog


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot) -> Iterator[OpenDesktop]:
    home = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    home.chmod(0o755)  # the server's account has to enter
    opened = open_desktop(qapp, qtbot, home)
    yield opened
    opened.end()
    lab_stop(home / "lab", timeout_seconds=60)
    shutil.rmtree(home)


def _states(dialog: PracticeServersDialog) -> list[tuple[str, str]]:
    model = dialog.model
    return [(model.index(row, 1).data(), model.index(row, 2).data()) for row in range(model.rowCount())]


def test_a_pair_is_started_killed_and_stopped_from_the_window(opened: OpenDesktop) -> None:
    desktop = opened.desktop
    desktop.new_run.widget.targets.servers.click()
    dialog = desktop.practice_servers.dialog
    assert dialog.isVisible()
    opened.wait_for(lambda: dialog.headline.text() == "The embedded server is stopped")

    dialog.shape.setCurrentIndex(dialog.shape.findData("pair"))
    dialog.start.click()
    opened.wait_for(lambda: _states(dialog) == [("primary", "running"), ("standby", "running")])
    opened.wait_for(lambda: "ready to accept connections" in dialog.log.text.toPlainText())
    opened.wait_for(lambda: "Used by: the window" in dialog.facts.text())

    opened.wait_for(dialog.action_panel.isEnabled)
    dialog.action_panel.button.click()
    agree(dialog)
    opened.wait_for(lambda: _states(dialog) == [("standby", "down"), ("primary", "running")])
    opened.wait_for(lambda: dialog.note.text.startswith("Killed "))  # the servers may be looked at before that is told

    opened.wait_for(dialog.keep.isEnabled)
    dialog.keep.click()
    lab = desktop.workbench.places.lab
    opened.wait_for(lambda: lab_status(lab).kept)

    opened.wait_for(dialog.stop.isEnabled)
    dialog.stop.click()
    agree(dialog)
    opened.wait_for(lambda: dialog.note.text == "The embedded server is stopped.")
    opened.wait_for(lambda: dialog.headline.text() == "The embedded server is stopped")


def test_impossible_action_is_reported_in_the_dialog(opened: OpenDesktop) -> None:
    opened.desktop.practice_servers.show()
    dialog = opened.desktop.practice_servers.dialog
    dialog.action_requested.emit("kill_primary", None, None)
    opened.wait_for(lambda: dialog.note.is_wrong)
    assert dialog.note.text == "The embedded server does not run; start it in Practice servers."


def test_lab_is_not_polled_while_the_dialog_is_hidden(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    opened.desktop.practice_servers.show()
    dialog = opened.desktop.practice_servers.dialog
    opened.wait_for(lambda: dialog.headline.text() == "The embedded server is stopped")
    dialog.close()
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    asked: list[Path] = []
    monkeypatch.setattr("app.new_run.practice_servers.lab_status", asked.append)
    opened.qtbot.wait(1_500)
    assert asked == []
