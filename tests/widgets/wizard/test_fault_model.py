import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_draft import InjectionDraft
from widgets.parts.look import Look
from widgets.wizard.fault_model import LABEL_COLUMN, TIME_COLUMN, WHAT_COLUMN, FaultModel


@pytest.fixture
def faults() -> list[FaultDraft]:
    return [FaultDraft("1:00", "Failover"), FaultDraft("2:00", "Restored")]


@pytest.fixture
def model(qapp: object, faults: list[FaultDraft]) -> FaultModel:
    made = FaultModel(Look())
    made.load(faults)
    return made


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester, model: FaultModel) -> None:
    qtmodeltester.check(model, force_py=True)


def test_cells_edit_the_draft(qtbot: QtBot, model: FaultModel, faults: list[FaultDraft]) -> None:
    with qtbot.waitSignals([model.edited, model.dataChanged]):
        assert model.setData(model.index(1, TIME_COLUMN), "2:3x")
    assert model.setData(model.index(0, LABEL_COLUMN), "Power cut")
    assert faults == [FaultDraft("1:00", "Power cut"), FaultDraft("2:3x", "Restored")]


def test_faults_are_added_and_removed_in_the_draft(model: FaultModel, faults: list[FaultDraft]) -> None:
    assert model.add(FaultDraft("3:00", "Network cut")) == 2
    model.remove(0)
    assert [fault.label for fault in faults] == ["Restored", "Network cut"]
    assert model.rowCount() == 2


def test_invalid_cell_has_shape_and_text(model: FaultModel) -> None:
    wrong, right = model.index(1, TIME_COLUMN), model.index(0, TIME_COLUMN)
    model.show_errors({"1.at": "Time is late."})
    assert wrong.data(Qt.ItemDataRole.DecorationRole) is not None
    assert wrong.data(Qt.ItemDataRole.ToolTipRole) == "Time is late."
    assert wrong.data(Qt.ItemDataRole.AccessibleTextRole) == "2:00; Time is late."
    assert right.data(Qt.ItemDataRole.DecorationRole) is None


def test_action_is_shown_as_text(model: FaultModel, faults: list[FaultDraft]) -> None:
    assert model.index(0, WHAT_COLUMN).data() == "mark"
    assert model.setData(model.index(0, WHAT_COLUMN), "T+40s kill primary")
    assert faults[0] == FaultDraft("0:40", done=InjectionDraft())
    assert [model.index(0, column).data() for column in range(3)] == ["0:40", "kill primary", "Kill primary"]
    assert model.index(0, LABEL_COLUMN).data(Qt.ItemDataRole.EditRole) == ""  # its own name is not typed


def test_impossible_action_has_shape_and_text(model: FaultModel) -> None:
    model.show_errors({"0.done.value": "Amount is missing."})
    cell = model.index(0, WHAT_COLUMN)
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "mark; Amount is missing."
    assert cell.data(Qt.ItemDataRole.DecorationRole) is not None
    assert model.index(1, WHAT_COLUMN).data(Qt.ItemDataRole.DecorationRole) is None
