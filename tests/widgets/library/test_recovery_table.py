"""Every figure of a recovery, for all clients and for each."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import recovery_of
from tests.doubles.faulted_runs import FaultedRun, a_fault
from tests.doubles.samples import dvd_sample
from tests.texts import number_in
from tests.widgets.accessibility import nameless_controls
from widgets.library.recovery_table import FigureRow, RecoveryModel, RecoveryTable, figure_rows

Role = Qt.ItemDataRole


@pytest.fixture
def recovery() -> Recovery:
    return recovery_of(FaultedRun(2).advance_to(260), a_fault(90))


@pytest.fixture
def table(qtbot: QtBot) -> RecoveryTable:
    table = RecoveryTable()
    qtbot.addWidget(table)
    table.show()
    return table


def line(rows: list[FigureRow], title: str) -> FigureRow:
    return next(row for row in rows if row.title == title)


def test_each_figure_and_subject_has_a_cell(recovery: Recovery) -> None:
    rows = figure_rows(recovery)
    subjects = (recovery.total, *recovery.clients)
    assert [number_in(text) for text in line(rows, "OPM before").values] == [
        round(subject.baseline.headline_rate or 0) for subject in subjects
    ]
    assert [number_in(text) for text in line(rows, "Orders missed").values] == [
        round(subject.felt.transactions_not_taken or 0) for subject in subjects
    ]
    assert all(len(row.values) == len(subjects) for row in rows if not row.is_group)


def test_groups_have_a_heading_row(recovery: Recovery) -> None:
    titles = [row.title for row in figure_rows(recovery)]
    assert titles[0] == "Baseline"
    assert titles.index("As felt") < titles.index("Brown-out") < titles.index("As published")


def test_error_of_one_client_is_zero_for_others() -> None:
    faulted = FaultedRun(2)
    run = faulted.advance_to(260)
    run.errors.add(2, 152, {"timeout": 4})
    rows = figure_rows(recovery_of(run, a_fault(90)))
    assert line(rows, "Errors, timeout").values == ("4", "0", "4")
    assert "Errors" not in [row.title for row in rows]


def test_figures_of_the_total_are_empty_for_clients() -> None:
    faulted = FaultedRun(2)
    faulted.advance_to(150)
    run = faulted.data
    for client in (1, 2):
        run.add(dvd_sample(client=client, second=150, orders=0))
    rows = figure_rows(recovery_of(run, a_fault(90)))
    assert all(len(row.values) == 3 for row in rows if not row.is_group)


def test_model_passes_the_qt_model_tester(recovery: Recovery) -> None:
    model = RecoveryModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_recovery(recovery)
    assert [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())] == [
        "Figure",
        "All clients",
        "ds2_1",
        "ds2_2",
    ]
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "Brown-out")
    assert model.index(row, 1).data() == "12\u202fs"
    assert "under the threshold" in model.index(row, 1).data(Role.ToolTipRole)
    assert model.index(row, 1).data(Role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    model.show_recovery(None)
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    tester.deleteLater()


def test_the_whole_table_is_copied(qtbot: QtBot, table: RecoveryTable, recovery: Recovery) -> None:
    table.show_recovery(recovery)
    qtbot.mouseClick(table.copy_button, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "Figure\tUnit\tAll clients\tds2_1\tds2_2"
    assert len(lines) == 1 + table.model.rowCount()
    assert "Brown-out\ts\t12\t12\t12" in lines
    assert "OPM before\t\t94074\t47030\t47044" in lines


def test_why_a_baseline_was_refused_is_whole_in_narrow_columns(table: RecoveryTable) -> None:
    table.show_recovery(recovery_of(FaultedRun(2).advance_to(260), a_fault(90, at_seconds=33.2)))
    view, model = table.view, table.model
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "Refused")

    def lacking(column: int) -> int:
        """The pixels of height that the sentence lacks."""
        sentence, room = model.index(row, column).data(), QRect(0, 0, view.columnWidth(column), 10_000)
        return view.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, sentence).height() - view.rowHeight(row)

    before = view.rowHeight(row)
    for width in (600, 90):
        view.setColumnWidth(2, width)
        assert max(lacking(column) for column in (1, 2)) <= 0
    assert view.rowHeight(row) > before
    table.show_recovery(recovery_of(FaultedRun(2).advance_to(260), a_fault(90)))
    assert {view.rowHeight(each) for each in range(model.rowCount())} == {view.verticalHeader().defaultSectionSize()}


def test_selected_row_is_kept_when_figures_change(table: RecoveryTable, recovery: Recovery) -> None:
    table.show_recovery(recovery)
    table.view.selectRow(7)
    table.show_recovery(recovery_of(FaultedRun(2).advance_to(261), a_fault(90)))
    assert table.view.selected_rows() == [7]


def test_every_control_has_a_name(table: RecoveryTable, recovery: Recovery) -> None:
    table.show_recovery(recovery)
    assert nameless_controls(table) == []
