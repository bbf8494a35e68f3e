"""What the dialog of load machines requests."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.machines.load_machines_dialog import LoadMachinesDialog, machine_texts
from widgets.parts.look import Look

ROWS = [("load1", "drives a run"), ("load2", "ready")]


@pytest.fixture
def dialog(qtbot: QtBot) -> LoadMachinesDialog:
    """Of a running cluster of two machines."""
    made = LoadMachinesDialog(Look(), {"load1": "", "load2": "", "load3": ""}, ["load1"], "")
    qtbot.addWidget(made)
    made.show_machines(machine_texts(("State",), ROWS), [], "")
    made.show_result("", ok=True)
    return made


def test_a_machine_in_use_is_stopped_the_second_time_and_only_that(qtbot: QtBot, dialog: LoadMachinesDialog) -> None:
    machines: list[tuple[str, bool]] = []
    clusters: list[bool] = []
    dialog.stop_machine_requested.connect(lambda name, is_forced: machines.append((name, is_forced)))
    dialog.stop_requested.connect(clusters.append)
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.stop_machine_button, Qt.MouseButton.LeftButton)
    dialog.show_in_use("Load machine load1 drives run r1.", "load1")
    assert (dialog.stop_machine_button.text(), dialog.stop_button.text()) == ("Stop &machine anyway", "S&top")
    qtbot.mouseClick(dialog.stop_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.stop_machine_button, Qt.MouseButton.LeftButton)
    assert (machines, clusters) == ([("load1", False), ("load1", True)], [False])


def test_only_machines_that_are_not_there_can_be_added(dialog: LoadMachinesDialog) -> None:
    assert not dialog.start_button.isEnabled(), "load1 is there"
    item = dialog.machines.item(2)
    assert item is not None
    item.setCheckState(Qt.CheckState.Checked)
    assert dialog.start_button.isEnabled()
