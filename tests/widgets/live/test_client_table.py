"""The client table by keys and clicks, and the total below it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.target.target import Target
from tests.doubles.live_runs import a_live_run, a_second
from tests.widgets.accessibility import nameless_controls
from widgets.live.client_cells import LEAVING, Column
from widgets.live.client_model import CLIENT_ROLE
from widgets.live.client_table import ClientTable
from widgets.parts.fonts import scaled
from widgets.parts.look import Look
from widgets.parts.table.view import TableView


@pytest.fixture
def table(qtbot: QtBot) -> ClientTable:
    table = ClientTable(Look())
    qtbot.addWidget(table)
    table.resize(700, 400)
    table.show_run(a_live_run(12, 60, troubled=False))
    table.show()
    return table


def total_of(table: ClientTable) -> TableView:
    return next(view for view in table.findChildren(TableView) if view is not table.view)


def place(table: ClientTable, row: int) -> QPoint:
    return table.view.visualRect(table.view.model().index(row, Column.STATE)).center()


def labels(table: ClientTable) -> list[str]:
    model = table.view.model()
    return [model.index(row, Column.CLIENT).data() for row in range(model.rowCount())]


def test_clients_are_sorted_by_number(table: ClientTable) -> None:
    assert labels(table) == [f"ds2_{number}" for number in range(1, 13)]


@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_total_stays_last_in_any_sort_order(table: ClientTable, order: Qt.SortOrder) -> None:
    table.view.sortByColumn(Column.HEADLINE_RUNNING, order)
    assert "Total" not in labels(table)
    model = total_of(table).model()
    assert [model.index(row, Column.CLIENT).data() for row in range(model.rowCount())] == ["Total"]
    opm = [table.view.model().index(row, Column.HEADLINE_RUNNING).data() for row in range(12)]
    assert opm == sorted(opm, reverse=order is Qt.SortOrder.DescendingOrder)


def test_enter_isolates_a_client_and_again_shows_all(qtbot: QtBot, table: ClientTable) -> None:
    table.view.selectRow(2)
    with qtbot.waitSignal(table.isolate_requested) as requested:
        qtbot.keyClick(table.view, Qt.Key.Key_Return)
    assert requested.args == [3]
    with qtbot.waitSignal(table.isolate_requested) as requested:
        qtbot.keyClick(table.view, Qt.Key.Key_Return)
    assert requested.args == [None]


def test_a_double_click_isolates(qtbot: QtBot, table: ClientTable) -> None:
    viewport = table.view.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place(table, 4))
    with qtbot.waitSignal(table.isolate_requested) as requested:
        qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place(table, 4))
    assert requested.args == [5]


def test_selecting_one_client_emphasises_it_and_two_do_not(qtbot: QtBot, table: ClientTable) -> None:
    with qtbot.waitSignal(table.highlight_requested) as requested:
        qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=place(table, 1))
    assert requested.args == [2]
    with qtbot.waitSignal(table.highlight_requested) as requested:
        qtbot.keyClick(table.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert requested.args == [None]


def test_space_hides_and_shows_the_selected_curves(qtbot: QtBot, table: ClientTable) -> None:
    table.view.selectRow(0)
    qtbot.keyClick(table.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(table.visibility_requested) as requested:
        qtbot.keyClick(table.view, Qt.Key.Key_Space)
    assert requested.args == [{1: False, 2: False}]
    assert [table.model.is_shown(client) for client in (1, 2, 3)] == [False, False, True]
    qtbot.keyClick(table.view, Qt.Key.Key_Space)
    assert table.model.is_shown(1)


def test_a_click_on_the_box_hides_a_curve(qtbot: QtBot, table: ClientTable) -> None:
    rect = table.view.visualRect(table.view.model().index(0, Column.CLIENT))
    with qtbot.waitSignal(table.visibility_requested) as requested:
        qtbot.mouseClick(
            table.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 9, rect.center().y())
        )
    assert requested.args == [{1: False}]


def test_hiding_in_the_chart_updates_the_box(qtbot: QtBot, table: ClientTable) -> None:
    with qtbot.assertNotEmitted(table.visibility_requested):
        table.set_client_visible(2, False)
        table.set_client_visible(0, False)
    assert not table.model.is_shown(2)


def test_showing_another_curve_ends_isolation(qtbot: QtBot, table: ClientTable) -> None:
    table.view.selectRow(2)
    qtbot.keyClick(table.view, Qt.Key.Key_Return)
    for client in range(1, 13):
        table.set_client_visible(client, client == 3)
    assert table.model.item(2, Column.CLIENT).font().bold()
    table.set_client_visible(5, True)
    assert not table.model.item(2, Column.CLIENT).font().bold()
    with qtbot.waitSignal(table.isolate_requested) as requested:
        qtbot.keyClick(table.view, Qt.Key.Key_Return)
    assert requested.args == [3]


def test_selection_survives_a_tick(qtbot: QtBot, table: ClientTable) -> None:
    run = a_live_run(12, 60, troubled=False)
    table.show_run(run)
    table.view.selectRow(3)
    run.add(a_second(1, 60))
    table.refresh()
    assert table.view.selected_rows() == [3]
    assert table.view.currentIndex().data(CLIENT_ROLE) == 4


def test_column_widths_do_not_depend_on_values(table: ClientTable) -> None:
    before = [table.view.columnWidth(column) for column in Column]
    table.show_run(a_live_run(12, 300))
    table.refresh()
    assert [table.view.columnWidth(column) for column in Column] == before


def test_names_of_clients_are_whole_after_a_run_with_shorter_ones(qtbot: QtBot) -> None:
    table = ClientTable(Look())
    qtbot.addWidget(table)
    table.resize(700, 400)
    table.show()
    for clients in (1, 12):
        table.show_run(a_live_run(clients, 20, troubled=False))
    assert table.view.columnWidth(Column.CLIENT) >= table.view.sizeHintForColumn(Column.CLIENT)
    assert total_of(table).columnWidth(Column.CLIENT) == table.view.columnWidth(Column.CLIENT)


def test_total_row_is_as_wide_as_the_rows_above_it_within_its_border(qtbot: QtBot, table: ClientTable) -> None:
    table.setStyleSheet("QTableView { border: 3px solid red; }")
    table.resize(720, 400)
    qtbot.waitUntil(lambda: total_of(table).viewport().width() == table.view.viewport().width())


def test_total_row_follows_column_layout_and_scrolling(qtbot: QtBot, table: ClientTable) -> None:
    view, total = table.view, total_of(table)
    for column in LEAVING:
        view.columns.choose(column, is_shown=True)
    view.setColumnWidth(Column.TARGET, 199)
    view.horizontalHeader().moveSection(Column.ERRORS, Column.STATE)
    view.setColumnHidden(Column.SHARE, True)
    assert total.columnWidth(Column.TARGET) == 199
    assert total.isColumnHidden(Column.SHARE)
    assert all(total.columnViewportPosition(column) == view.columnViewportPosition(column) for column in Column)
    total.horizontalScrollBar().setValue(total.horizontalScrollBar().maximum())
    assert view.horizontalScrollBar().value() == total.horizontalScrollBar().value() > 0
    assert all(total.columnViewportPosition(column) == view.columnViewportPosition(column) for column in Column)


def test_what_changes_during_a_run_comes_before_what_does_not(table: ClientTable) -> None:
    columns = [table.view.horizontalHeader().visualIndex(column) for column in (Column.SPARK, Column.TARGET)]
    assert columns == sorted(columns)
    table.resize(730, 400)  # its width in a window of 1280 pixels
    assert table.view.columnViewportPosition(Column.SHARE) <= table.view.viewport().width()


def test_last_minutes_are_seen_beside_names_of_files(table: ClientTable) -> None:
    files = tuple(Target.parse(f"storage://r630-a/data{number}/spindle-file")[0] for number in (1, 2))
    table.show_run(RunData(RunPlan(workload="storage", targets=files)))
    table.resize(783, 400)  # its width in a window of 1366 pixels
    end = table.view.columnViewportPosition(Column.SPARK) + table.view.columnWidth(Column.SPARK)
    assert end <= table.view.viewport().width()


@pytest.mark.parametrize("width", [730, 783, 832])  # in windows of 1280, 1366 and 1440 pixels
def test_columns_without_room_are_hidden_with_the_total(table: ClientTable, width: int) -> None:
    table.resize(width, 400)
    for view in (table.view, total_of(table)):
        assert view.horizontalScrollBar().maximum() == 0
        assert view.isColumnHidden(Column.HEARTBEAT)
        assert not view.isColumnHidden(Column.SPARK)
    table.resize(1600, 400)
    assert not any(view.isColumnHidden(Column.HEARTBEAT) for view in (table.view, total_of(table)))


def test_no_table_of_clients_is_scrolled_sideways_with_large_text(qtbot: QtBot) -> None:
    table = ClientTable(Look())
    qtbot.addWidget(table)
    table.view.setFont(scaled(table.view.font(), 1.5))
    table.resize(561, 400)  # its width in a window of 1366 pixels, with text of 150 %
    table.show_run(a_live_run(4, 60, troubled=False))
    table.show()
    views = (table.view, total_of(table))
    qtbot.waitUntil(lambda: all(each.horizontalScrollBar().maximum() == 0 for each in views))
    qtbot.waitUntil(lambda: not any(each.isColumnHidden(Column.HEADLINE_NOW) for each in views))


def test_columns_are_remembered_with_the_total(qtbot: QtBot, table: ClientTable) -> None:
    table.view.setColumnWidth(Column.P95, 199)
    table.view.columns.choose(Column.SHARE, is_shown=False)
    other = ClientTable(Look())
    qtbot.addWidget(other)
    other.resize(1000, 400)
    other.show()
    other.restore_columns(table.save_columns())
    other.show_run(a_live_run(2, 5))
    for view in (other.view, total_of(other)):
        assert view.columnWidth(Column.P95) == 199
        assert view.isColumnHidden(Column.SHARE)


def test_mail_has_no_rollbacks_and_no_retries(table: ClientTable) -> None:
    hidden = [Column.ROLLBACKS, Column.RETRIES]
    table.resize(1600, 400)
    plan = RunPlan.from_dict({"targets": ["mail://user@mx.lab/example.org"], "workload": "mail"})
    table.show_run(RunData(plan, run_id="20261121-043017-mail"))
    assert [column for column in Column if table.view.isColumnHidden(column)] == hidden
    assert all(total_of(table).isColumnHidden(column) for column in hidden)
    table.show_run(a_live_run(1, 1))
    assert not any(table.view.isColumnHidden(column) for column in hidden)


def test_every_control_has_a_name(table: ClientTable) -> None:
    assert nameless_controls(table) == []
