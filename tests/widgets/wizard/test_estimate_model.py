from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize
from widgets.wizard.estimate_model import EstimateModel


def _row(model: EstimateModel, row: int) -> list[str]:
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(EstimateModel(estimate(DbSize(1, "MB"))), force_py=True)


def test_rows_and_bytes_of_a_size(qtbot: object) -> None:
    model = EstimateModel(estimate(DbSize(100, "GB")))
    assert _row(model, 3)[:2] == ["customers", "200\u202f000\u202f000"]
    assert _row(model, 5)[:2] == ["orderlines", "≈ 600\u202f000\u202f000"]
    found = estimate(DbSize(100, "GB"))
    assert _row(model, model.rowCount() - 1)[2] == f"{found.data_bytes / 1e9:.0f}\u202fGB"


def test_unknown_size_is_not_zero(qtbot: object) -> None:
    model = EstimateModel(estimate(DbSize(1, "MB")))
    model.show_estimate(None)
    assert _row(model, 0) == ["categories", "–", "–", "–"]
    assert _row(model, model.rowCount() - 1) == ["all tables", "–", "–", "–"]


def test_figures_are_right_aligned(qtbot: object) -> None:
    model = EstimateModel(estimate(DbSize(1, "MB")))
    right = model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight
    assert model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) == right
