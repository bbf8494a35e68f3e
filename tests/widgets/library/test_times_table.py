"""The response times of a kept run, and what they mean."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.app.runs import a_run
from tests.doubles.wholesale_runs import a_wholesale_record
from tests.totals import totals_with
from tests.widgets.accessibility import nameless_controls
from widgets.library.times_table import TimesTable
from widgets.parts.look import Look

RECORD = a_run()
INTENDED = {"mean": 90.0, "p50": 4.0, "p95": 4.0, "p99": 2_000.0, "max": 3_000.0}


def copied(table: TimesTable, qtbot: QtBot) -> list[list[str]]:
    qtbot.mouseClick(table.copy_button, Qt.MouseButton.LeftButton)
    return [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]


def test_order_times_and_steps_have_rows(qtbot: QtBot) -> None:
    table = TimesTable(Look())
    qtbot.addWidget(table)
    table.show_totals(totals_with(RECORD.totals, overdue=38, rt_intended_ms=INTENDED), RECORD.plan)
    rows = copied(table, qtbot)
    assert [row[0] for row in rows[1:]] == [
        "order, service time", "order, as intended", "login", "registration", "search", "purchase",
    ]  # fmt: skip
    assert rows[2] == ["order, as intended", "200", "90.0", "4.00", "4.00", "2000", "3000"]
    assert rows[3][3:] == [""] * 4
    assert table.head.text().startswith("Closed-loop users, 20 ms think time")
    assert nameless_controls(table) == []


def test_values_are_unknown_without_totals(qtbot: QtBot) -> None:
    table = TimesTable(Look())
    qtbot.addWidget(table)
    table.show_totals(None, RECORD.plan)
    assert table.head.text() == "No response time is known."
    assert not table.copy_button.isEnabled()


def test_help_explains_closed_loop_users(qtbot: QtBot) -> None:
    table = TimesTable(Look())
    qtbot.addWidget(table)
    page = table.show_help()
    assert page.isVisible()
    assert "Users are closed-loop" in page.text.toPlainText()
    assert table.show_help() is page


def test_limits_of_a_workload_are_beside_what_was_measured(qtbot: QtBot) -> None:
    table = TimesTable(Look())
    qtbot.addWidget(table)
    record = a_wholesale_record()
    table.show_totals(record.totals, record.plan)
    rows = {row[0]: row[7:] for row in copied(table, qtbot)}
    assert rows["Response time"] == ["p90 ms", "Limit ms", "p90 limit"]
    assert rows["New-Order"] == ["12.0", "5000", "met"]
    assert rows["Delivery"] == ["6000", "5000", "missed"]
    model = table.view.model()
    signs = {
        model.index(row, 9).data(): model.index(row, 9).data(Qt.ItemDataRole.DecorationRole)
        for row in range(model.rowCount())
    }
    assert all(not sign.isNull() for sign in signs.values())
    assert set(signs) == {"met", "missed"}
