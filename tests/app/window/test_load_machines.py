"""Load machines in the window: two machines, which are this one over SSH, are started, drive a run, and are stopped."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.cluster.deployment import stop_cluster
from engine.cluster.state import ClusterSettings, ClusterState, read_state, write_state
from engine.library.library import Library
from engine.machines.inventory import Inventory, change_inventory
from engine.machines.machine import Machine, Role
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.ssh_server import SshServer
from tests.engine.cluster.clusters import spindle_there, worker_processes
from widgets.machines.load_machines_dialog import LoadMachinesDialog

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests' SSH server needs a Unix system")
_RUN = {
    "clients": 2,
    "threads": 1,
    "think_time_ms": 50,
    "warmup_minutes": 0.0,
    "minutes": 0.05,
    "name": "placed",
    "load_machine": [{"name": "a", "clients": 1}, {"name": "b", "clients": 1}],
}


@pytest.fixture(autouse=True)
def no_cluster_is_left(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Also when a test fails; and the scheduler's port is any free one."""
    monkeypatch.setattr("engine.cluster.scheduler_check.DEFAULT_PORT", 0)
    yield
    stop_cluster(home / "cluster")


def _inventory(home: Path, sshd: SshServer) -> None:
    home.mkdir(exist_ok=True)
    machines = [
        Machine(
            name=name,
            roles=(Role.LOAD_MACHINE,),
            accesses=(replace(sshd.access, spindle=spindle_there(home / "machines" / name)),),
        )
        for name in ("a", "b")
    ]
    change_inventory(home / "machines.toml", lambda _: Inventory((*machines, Machine(name="meter"))))


def _dialog_of(opened: OpenDesktop) -> LoadMachinesDialog:
    opened.desktop.window.load_machines_requested.emit()
    opened.wait_for(lambda: opened.desktop.load_machines.dialog is not None)
    dialog = opened.desktop.load_machines.dialog
    assert dialog is not None
    return dialog


def test_machines_are_started_drive_a_run_and_are_stopped(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, local_sshd: SshServer
) -> None:
    _inventory(home, local_sshd)
    opened = open_desktop(qapp, qtbot, home)
    desktop = opened.desktop
    dialog = _dialog_of(opened)
    assert dialog.machines.ticked == ["a", "b"]  # the meter can't be started
    assert not dialog.stop_button.isEnabled()
    dialog.takes_busy.setChecked(True)
    qtbot.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    assert dialog.cancel_button.isVisible()
    opened.wait_for(dialog.stop_button.isEnabled)
    assert dialog.note.text == "2 load machines can drive clients."
    assert sorted(row[:2] for row in dialog.model.texts.rows) == [("a", "ready"), ("b", "ready")]
    dialog.reject()

    desktop.start_run(RunPlan.from_dict({"targets": [store], **_RUN}), reset=False)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state.is_final)
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    assert desktop.live_run.data is not None
    assert desktop.live_run.data.machine_loads.keys() == {"a", "b"}
    with Library.open(home / "library.sqlite", notify=print) as library:
        (record,) = library.runs()
    assert record.state is RunState.COMPLETED
    assert [each["machine"] for each in record.environment["load_machines"]] == ["a", "b"]
    assert record.totals is not None
    assert all(client.headline_rate > 0 for client in record.totals.clients)

    dialog = _dialog_of(opened)
    opened.wait_for(dialog.stop_button.isEnabled)
    assert not dialog.stop_machine_button.isEnabled(), "no machine is selected"
    dialog.table.selectRow([row[0] for row in dialog.model.texts.rows].index("b"))
    qtbot.mouseClick(dialog.stop_machine_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: [row[0] for row in dialog.model.texts.rows] == ["a"])
    opened.wait_for(dialog.start_button.isEnabled)
    qtbot.mouseClick(dialog.stop_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "nothing is left running" in dialog.note.text)
    assert dialog.start_button.isEnabled()
    qtbot.mouseClick(dialog.renew_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "made anew" in dialog.note.text)
    opened.wait_for(lambda: not any(worker_processes(home / "machines" / name) for name in ("a", "b")))
    assert read_state(home / "cluster") is None
    opened.end()


def test_a_start_that_is_cancelled_leaves_nothing(
    qapp: QApplication, qtbot: QtBot, home: Path, local_sshd: SshServer
) -> None:
    _inventory(home, local_sshd)
    opened = open_desktop(qapp, qtbot, home)
    dialog = _dialog_of(opened)
    qtbot.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: read_state(home / "cluster") is not None)
    qtbot.mouseClick(dialog.cancel_button, Qt.MouseButton.LeftButton)
    opened.wait_for(dialog.start_button.isEnabled)
    assert dialog.note.text == "Cancelled."
    assert read_state(home / "cluster") is None
    opened.wait_for(lambda: not any(worker_processes(home / "machines" / name) for name in ("a", "b")))
    opened.end()


def test_a_cluster_that_does_not_answer_can_be_stopped(qapp: QApplication, qtbot: QtBot, home: Path) -> None:
    silent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        (home / "cluster").mkdir(parents=True)
        created = psutil.Process(silent.pid).create_time()
        write_state(home / "cluster", ClusterState(pid=silent.pid, created=created, settings=ClusterSettings(port=1)))
        opened = open_desktop(qapp, qtbot, home)
        dialog = _dialog_of(opened)
        opened.wait_for(lambda: "certificate" in dialog.note.text)
        assert dialog.stop_button.isEnabled()
        assert not dialog.start_button.isEnabled()
        qtbot.mouseClick(dialog.stop_button, Qt.MouseButton.LeftButton)
        opened.wait_for(lambda: "nothing is left running" in dialog.note.text)
        opened.end()
    finally:
        silent.kill()
        silent.wait()
