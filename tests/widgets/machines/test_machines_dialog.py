from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.machines.access import AccessKind, RedfishAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine, Role
from engine.secrets import Secret
from tests.widgets.accessibility import nameless_controls
from widgets.machines.machines_dialog import MachinesDialog
from widgets.parts.look import Look

DB1 = Machine(name="db1", roles=(Role.DATABASE_SERVER,), accesses=(SshAccess(host="db1.lab", user="root"),))


@pytest.fixture
def dialog(qtbot: QtBot) -> MachinesDialog:
    made = MachinesDialog(Look(), Inventory((DB1,)))
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def click(qtbot: QtBot, button: Any) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def typed(qtbot: QtBot, dialog: MachinesDialog, key: str, text: str) -> None:
    field = dialog.editor.access_form.rows[key].field
    field.clear()  # type: ignore[attr-defined]
    qtbot.keyClicks(field, text)


def test_a_machine_with_a_password_is_added_and_saved(dialog: MachinesDialog, qtbot: QtBot) -> None:
    click(qtbot, dialog.add_button)
    assert not dialog.save_button.isEnabled()
    qtbot.keyClicks(dialog.editor.name, "db2")
    click(qtbot, dialog.editor.roles[Role.STORAGE])
    dialog.editor.add_access(AccessKind.REDFISH)
    assert "URL is ''" in dialog.editor.access_form.rows["url"].note.text
    assert not dialog.editor.test_button.isEnabled()
    typed(qtbot, dialog, "url", "https://db2-bmc")
    typed(qtbot, dialog, "user", "admin")
    typed(qtbot, dialog, "secret", "calvin")
    assert dialog.editor.accesses.item(0).text() == "Redfish: https://db2-bmc"
    with qtbot.waitSignal(dialog.save_requested) as saved:
        click(qtbot, dialog.save_button)
    inventory, secrets = saved.args
    access = RedfishAccess(url="https://db2-bmc", user="admin")
    assert inventory.machine("db2") == Machine(name="db2", roles=(Role.STORAGE,), accesses=(access,))
    assert secrets == {"https://admin@db2-bmc:443": Secret("calvin")}


def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_saved(dialog: MachinesDialog, qtbot: QtBot) -> None:
    dialog.machines.setCurrentRow(1)
    typed(qtbot, dialog, "port", "70000")
    assert dialog.editor.access_form.rows["port"].note.text.startswith("Port is 70000; give a whole number from 1")
    dialog.machines.setCurrentRow(0)
    assert dialog.note.text.startswith("db1: Port is 70000")
    assert not dialog.save_button.isEnabled()


def test_the_workstation_keeps_its_name_and_its_own_access(dialog: MachinesDialog) -> None:
    assert dialog.machines.currentItem().text() == "workstation"
    assert dialog.editor.name.isReadOnly()
    assert not dialog.remove_button.isEnabled()
    assert not dialog.editor.remove_button.isEnabled()


def test_a_test_shows_its_sentences_until_another_machine_is_chosen(dialog: MachinesDialog, qtbot: QtBot) -> None:
    dialog.machines.setCurrentRow(1)
    with qtbot.waitSignal(dialog.test_requested) as asked:
        click(qtbot, dialog.editor.test_button)
    assert asked.args == [DB1, {}]
    assert not dialog.editor.test_button.isEnabled()
    dialog.add_finding("SSH (root@db1.lab): it works.", ok=True)
    dialog.end_test()
    assert dialog.editor.findings.sentences == ["SSH (root@db1.lab): it works."]
    assert dialog.editor.test_button.isEnabled()
    click(qtbot, dialog.editor.test_button)
    with qtbot.waitSignal(dialog.test_left):
        dialog.machines.setCurrentRow(0)
    assert "it works" not in " ".join(dialog.editor.findings.sentences)
    assert dialog.editor.test_button.isEnabled()


def test_a_machine_and_an_access_are_removed(dialog: MachinesDialog, qtbot: QtBot) -> None:
    dialog.machines.setCurrentRow(1)
    click(qtbot, dialog.editor.remove_button)
    assert dialog.editor.accesses.count() == 0
    assert dialog.save_button.isEnabled()
    click(qtbot, dialog.remove_button)
    with qtbot.waitSignal(dialog.save_requested) as saved:
        click(qtbot, dialog.save_button)
    assert saved.args == [Inventory(), {}]


def test_every_control_has_a_name(dialog: MachinesDialog) -> None:
    assert nameless_controls(dialog) == []
