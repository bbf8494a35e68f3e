"""The machines in the window: kept in the home's file, tried, their passwords in the keyring."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.machines.access import AccessKind, SshAccess
from engine.machines.inventory import Inventory, change_inventory, read_inventory
from engine.machines.machine import Machine
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.memory_keyring import MemoryKeyring
from widgets.machines.machines_dialog import MachinesDialog

CLOSED = Machine(name="db1", accesses=(SshAccess(host="127.0.0.1", port=1),))


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[OpenDesktop]:
    home.mkdir(exist_ok=True)
    change_inventory(home / "machines.toml", lambda _: Inventory((CLOSED,)))
    opened = open_desktop(qapp, qtbot, home)
    yield opened
    opened.end()


def dialog_of(opened: OpenDesktop) -> MachinesDialog:
    opened.desktop.window.machines_requested.emit()
    opened.wait_for(lambda: opened.desktop.machines.dialog is not None)
    dialog = opened.desktop.machines.dialog
    assert dialog is not None
    return dialog


def test_a_machine_is_tried_saved_and_its_password_kept(opened: OpenDesktop, home: Path) -> None:
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    dialog, qtbot = dialog_of(opened), opened.qtbot
    dialog.machines.setCurrentRow(1)
    qtbot.mouseClick(dialog.editor.test_button, Qt.MouseButton.LeftButton)
    opened.wait_for(dialog.editor.test_button.isEnabled)
    assert dialog.editor.findings.sentences[0].startswith("SSH (127.0.0.1:1): ")
    dialog.editor.add_access(AccessKind.IPMI)
    for key, text in (("host", "bmc"), ("user", "admin"), ("secret", "calvin")):
        qtbot.keyClicks(dialog.editor.access_form.rows[key].field, text)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: opened.desktop.machines.dialog is None)
    assert [each.kind for each in read_inventory(home / "machines.toml").machine("db1").accesses] == ["ssh", "ipmi"]
    assert memory.kept == {("spindle", "ipmi://admin@bmc:623"): "calvin"}
    assert "calvin" not in (home / "machines.toml").read_text()


def test_what_another_program_changed_meanwhile_is_not_overwritten(opened: OpenDesktop, home: Path) -> None:
    dialog = dialog_of(opened)
    change_inventory(home / "machines.toml", lambda _: Inventory((CLOSED, Machine(name="db2"))))
    opened.qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "changed by another program" in dialog.note.text)
    assert read_inventory(home / "machines.toml").names == ("workstation", "db1", "db2")
