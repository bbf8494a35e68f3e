"""Idle watts in the window: a meter on a real terminal, read for a moment, saved in a configuration of the library."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.configuration import Configuration
from engine.machines.access import SerialMeterAccess, SshAccess
from engine.machines.inventory import Inventory, change_inventory
from engine.machines.machine import Machine
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.extech_meter import ExtechMeter, packet
from widgets.machines.idle_watts_dialog import IdleWattsDialog


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[OpenDesktop]:
    home.mkdir(exist_ok=True)
    watts = iter(["180.0", "182.0", "181.0"] * 100)
    with ExtechMeter(lambda: packet(next(watts))) as meter:
        machines = (
            Machine(name="server", accesses=(SerialMeterAccess(port=meter.port),)),
            Machine(name="db1", accesses=(SshAccess(host="127.0.0.1"),)),
        )
        change_inventory(home / "machines.toml", lambda _: Inventory(machines))
        opened = open_desktop(qapp, qtbot, home)
        opened.desktop.workbench.library().configurations.save(Configuration(name="R630"))
        yield opened
        opened.end()


def dialog_of(opened: OpenDesktop) -> IdleWattsDialog:
    opened.desktop.window.idle_watts_requested.emit()
    opened.wait_for(lambda: opened.desktop.idle_watts.dialog is not None)
    dialog = opened.desktop.idle_watts.dialog
    assert dialog is not None
    return dialog


def test_a_meter_is_read_and_its_mean_saved(opened: OpenDesktop) -> None:
    dialog, qtbot = dialog_of(opened), opened.qtbot
    assert dialog.machines.ticked == ["server"]  # neither the workstation nor db1 has a meter
    dialog.time.clear()
    qtbot.keyClicks(dialog.time, "5s")
    qtbot.mouseClick(dialog.measure_button, Qt.MouseButton.LeftButton)
    assert not dialog.save_button.isEnabled()
    opened.wait_for(dialog.save_button.isEnabled)
    (row,) = dialog.model.texts.rows
    assert row[0] == "server"
    assert 180.0 <= float(row[2]) <= float(row[1]) <= float(row[3]) <= 182.0
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "configuration 'R630'" in dialog.note.text)
    (watts,) = opened.desktop.workbench.library().configurations.get("R630").watts
    assert (watts.device, watts.idle_watts) == ("server", float(row[1]))


def test_measuring_ends_when_the_dialog_is_closed(opened: OpenDesktop) -> None:
    dialog, qtbot = dialog_of(opened), opened.qtbot
    qtbot.mouseClick(dialog.measure_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "server 18" in dialog.note.text)
    dialog.reject()
    opened.wait_for(lambda: not opened.desktop.long_work.works)
    assert opened.desktop.workbench.library().configurations.get("R630").watts == ()


def test_a_time_that_cannot_be_is_marked(opened: OpenDesktop) -> None:
    dialog = dialog_of(opened)
    dialog.time.clear()
    opened.qtbot.keyClicks(dialog.time, "soon")
    assert not dialog.measure_button.isEnabled()
    assert "soon" in dialog.form.rows["time"].note.text
