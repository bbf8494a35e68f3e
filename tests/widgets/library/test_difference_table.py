"""The table of differences."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.comparison import differences
from widgets.library.difference_table import DifferenceModel, DifferenceTable

NAMES = ["before", "after"]
TOTALS = [
    {"opm": 180_000, "rt_ms": {"mean": 8.25}, "rollback_pct": 1.9, "errors": {}, "clients": []},
    {"opm": 150_000, "rt_ms": {"mean": 12.5}, "rollback_pct": 2.0, "errors": {"timeout": 3}, "clients": []},
]


def row_of(model: DifferenceModel, figure: str) -> list[str]:
    columns = range(model.columnCount())
    rows = [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]
    return next(row for row in rows if row[0] == figure)


def titles(model: DifferenceModel) -> list[str]:
    return [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]


def test_the_model_is_sound(qtmodeltester: ModelTester) -> None:
    model = DifferenceModel()
    qtmodeltester.check(model)
    model.show(NAMES, differences(TOTALS), 0)
    model.show([*NAMES, "third"], differences([*TOTALS, None]), 2)


def test_differences_stand_beside_the_value_and_the_baseline_has_none() -> None:
    model = DifferenceModel()
    model.show(NAMES, differences(TOTALS), 0)
    assert titles(model) == ["Figure", "before", "after", "Δ", "Δ %"]
    assert row_of(model, "OPM running")[1:] == ["180\u202f000", "150\u202f000", "−30\u202f000", "−16.7"]
    assert row_of(model, "Service time mean, ms")[1:] == ["8.25", "12.5", "+4.25", "+51.5"]
    assert row_of(model, "Rollbacks, %")[1:] == ["1.90", "2.00", "+0.10", "+5.3"]
    assert row_of(model, "Errors")[1:] == ["0", "3", "+3", "–"]
    assert row_of(model, "Orders")[1:] == ["–"] * 4


def test_another_baseline_moves_the_differences() -> None:
    model = DifferenceModel()
    model.show(NAMES, differences(TOTALS, baseline=1), 1)
    assert titles(model) == ["Figure", "before", "Δ", "Δ %", "after"]
    assert row_of(model, "OPM running")[1:] == ["180\u202f000", "+30\u202f000", "+20.0", "150\u202f000"]


def test_all_of_it_is_copied_as_text(qtbot: QtBot) -> None:
    table = DifferenceTable()
    qtbot.addWidget(table)
    table.show_differences(NAMES, differences(TOTALS), 0)
    table.copy_all()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[:2] == [
        "Figure\tbefore\tafter\tΔ\tΔ %",
        "OPM running\t180000\t150000\t-30000\t-16.7",
    ]
    assert len(lines) == 15
