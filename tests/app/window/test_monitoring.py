"""The window's metrics and Grafana: set in the dialog, there after a restart, read while a run goes on."""

import random
import socket
import urllib.request
from contextlib import suppress
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.plan.plan import RunPlan
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.memory_keyring import MemoryKeyring
from tests.texts import lacks
from tests.widgets.accessibility import nameless_controls
from widgets.parts.monitoring_dialog import MonitoringDialog

TOKEN = "glsa_not-to-be-seen"


@pytest.fixture
def memory() -> MemoryKeyring:
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    return memory


def free_port() -> int:
    """A port that is free now, and that no connection of another test is given by the system meanwhile."""
    for port in random.sample(range(10_000, 20_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no free port was found")


def dialog_of(opened: OpenDesktop) -> MonitoringDialog:
    opened.desktop.window.monitoring_requested.emit()
    dialog = opened.desktop.window.findChild(MonitoringDialog)
    assert dialog is not None
    return dialog


def save(opened: OpenDesktop, dialog: MonitoringDialog, **typed: str) -> str:
    """Type into the fields, save, and return the answer."""
    for name, text in typed.items():
        field = getattr(dialog, name)
        field.clear()
        opened.qtbot.keyClicks(field, text)
    opened.qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: dialog.save.isEnabled())
    return dialog.note.text


def scraped(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return str(answer.read().decode())


def test_a_run_is_read_at_the_saved_address_and_its_grafana_asked(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, memory: MemoryKeyring
) -> None:
    opened, port = open_desktop(qapp, qtbot, home), free_port()
    dialog = dialog_of(opened)
    assert nameless_controls(dialog) == []
    answer = save(opened, dialog, metrics=str(port), grafana="http://127.0.0.1:1", token=TOKEN)
    assert lacks(answer, "holds from the next run on", f"http://127.0.0.1:{port}/metrics") == []
    assert dialog.token.text() == ""
    assert TOKEN in memory.kept.values()
    dialog.reject()
    plan = {"targets": [store], "threads": 1, "think_time_ms": 50, "warmup_minutes": 0.0, "minutes": 0.05}
    opened.desktop.start_run(RunPlan.from_dict(plan | {"name": "watched"}), reset=False)
    opened.wait_for(lambda: not opened.desktop.live_run.is_busy)
    assert lacks(scraped(port), 'spindle_run_info{run="watched",workload="dvdstore"} 1.0', "spindle_errors") == []
    opened.wait_for(lambda: "could not be sent to 127.0.0.1" in opened.desktop.window.bar.text)
    opened.end()
    assert TOKEN not in (home / "settings.json").read_text(encoding="utf-8")
    opened = open_desktop(qapp, qtbot, home)
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    assert scraped(port).strip() == ""
    dialog = dialog_of(opened)
    assert (dialog.metrics.text(), dialog.grafana.text()) == (str(port), "http://127.0.0.1:1")
    assert save(opened, dialog, metrics="", grafana="") == "Monitoring is off."
    with pytest.raises(OSError, match="refused"):
        scraped(port)
    opened.end()


def test_what_can_not_be_used_is_said_in_the_dialog(
    qapp: QApplication, qtbot: QtBot, home: Path, memory: MemoryKeyring
) -> None:
    opened = open_desktop(qapp, qtbot, home)
    dialog = dialog_of(opened)
    assert "write a port such as 9464" in save(opened, dialog, metrics="here")
    assert "no web address" in save(opened, dialog, metrics="", grafana="grafana")
    assert dialog.note.is_wrong
    opened.end()
