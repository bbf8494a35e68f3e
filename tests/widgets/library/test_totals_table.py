"""The published table of a run: client rows, total, variability."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.record.totals import NO_TOTALS
from engine.workload.registry import BROKERAGE, DVD_STORE, WHOLESALE, find_workload
from tests.app.runs import a_run
from tests.totals import totals_with
from tests.widgets.accessibility import nameless_controls
from widgets.library.totals_table import TotalsModel, TotalsTable
from widgets.parts.table.columns import column_title

DVD = find_workload(DVD_STORE)


def texts(model: TotalsModel) -> list[list[str]]:
    columns = range(model.columnCount())
    return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester) -> None:
    model = TotalsModel()
    qtmodeltester.check(model)
    model.show_totals(DVD, a_run().totals)
    model.show_totals(DVD, None)


def test_a_row_for_each_client_then_total_and_variability(qtbot: QtBot) -> None:
    model = TotalsModel()
    totals = a_run(clients=2).totals or NO_TOTALS
    clients = (replace(each, headline_rate=opm) for each, opm in zip(totals.clients, (1_000, 900), strict=True))
    model.show_totals(DVD, replace(totals, clients=tuple(clients)))
    rows = texts(model)
    assert [row[0] for row in rows] == ["ds2 #1", "ds2 #2", "total", "variability"]
    assert [row[1] for row in rows] == ["1\u202f000", "900", "1\u202f620", "10.00\u202f%"]
    assert rows[2][3] == "162"
    assert set(rows[3][2:]) == {""}


def test_values_missing_in_an_old_log_are_dashes(qtbot: QtBot) -> None:
    model = TotalsModel()
    model.show_totals(DVD, totals_with(opm=5, errors=None, rt_ms={"mean": 3, "p95": None}, clients=[]))
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    total = dict(zip(heads, texts(model)[0], strict=True))
    assert (total["OPM"], total["Mean\nms"], total["p95\nms"], total["Errors"], total["Retries"]) == (
        "5",
        "3.00",
        "–",
        "–",
        "–",
    )


def test_the_whole_table_is_copied_as_text(qtbot: QtBot) -> None:
    table = TotalsTable()
    qtbot.addWidget(table)
    table.show_totals(DVD, a_run(clients=3).totals)
    qtbot.mouseClick(table.copy_button, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == 6
    assert lines[0].split("\t")[:2] == ["Client", "OPM"]
    assert {"Peak OPM", "Mean ms", "As intended p95 ms"} <= set(lines[0].split("\t"))
    assert lines[5].split("\t")[:2] == ["variability", "0.00%"]
    assert nameless_controls(table) == []


@pytest.mark.parametrize("workload", [WHOLESALE, BROKERAGE])
def test_a_narrow_table_hides_types_of_a_mix_and_copies_them(qtbot: QtBot, workload: str) -> None:
    table = TotalsTable()
    qtbot.addWidget(table)
    table.resize(1236, 400)  # its width in a window of 1366 pixels
    table.show()
    table.show_totals(find_workload(workload), a_run(clients=3).totals)
    qtbot.waitUntil(lambda: table.view.viewport().width() > 1000 and table.view.horizontalScrollBar().maximum() == 0)
    titles = [column_title(table.view, column) for column in range(table.view.model().columnCount())]
    hidden = [title for column, title in enumerate(titles) if table.view.isColumnHidden(column)]
    assert hidden
    assert "Errors" not in hidden
    qtbot.mouseClick(table.copy_button, Qt.MouseButton.LeftButton)
    assert set(hidden) <= set(QGuiApplication.clipboard().text().splitlines()[0].split("\t"))


def test_titles_in_two_lines_are_one_text_elsewhere(qtbot: QtBot) -> None:
    table = TotalsTable()
    qtbot.addWidget(table)
    table.show_totals(find_workload(WHOLESALE), None)
    titles = [column_title(table.view, column) for column in range(table.view.model().columnCount())]
    assert {"Peak NOPM", "Order-Statuses", "Rolled back"} <= set(titles)


def test_a_table_too_narrow_for_all_up_to_the_errors_hides_a_time_as_intended_and_shows_those(qtbot: QtBot) -> None:
    table = TotalsTable()
    qtbot.addWidget(table)
    table.resize(850, 400)  # as in a window of 1024 pixels, with the style of the window
    table.show()
    totals = totals_with(a_run(clients=4).totals, opm=100_471, opm_peak=104_970, orders=502_359, new_customers=99_998)
    table.show_totals(DVD, totals)
    qtbot.waitUntil(lambda: table.view.viewport().width() > 800 and table.view.horizontalScrollBar().maximum() == 0)
    titles = [column_title(table.view, column) for column in range(table.view.model().columnCount())]
    assert table.view.isColumnHidden(titles.index("As intended p95 ms"))
    assert not any(table.view.isColumnHidden(titles.index(title)) for title in ("As intended p99 ms", "Errors"))


def test_without_totals_there_is_nothing_to_copy(qtbot: QtBot) -> None:
    table = TotalsTable()
    qtbot.addWidget(table)
    table.show_totals(DVD, None)
    assert table.view.model().rowCount() == 0
    assert not table.copy_button.isEnabled()


def test_a_workload_has_the_columns_of_its_own_transactions(qtbot: QtBot) -> None:
    model = TotalsModel()
    assert "New\ncustomers" in model.titles
    assert "TPM" not in model.titles
    model.show_totals(find_workload(WHOLESALE), None)
    assert model.titles[1:5] == ("NOPM", "Peak\nNOPM", "TPM", "New-Orders")
    assert model.titles[-6:-1] == ("Payments", "Order-\nStatuses", "Deliveries", "Stock-\nLevels", "Rolled\nback")
    assert "New\ncustomers" not in model.titles
