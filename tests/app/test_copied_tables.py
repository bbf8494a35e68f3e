"""Every table of the window, copied as a user does: other programs get plain numbers and texts."""

import csv
import io
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.references import read_references
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import EVENTS, a_run
from tests.app.window_parts import OpenDesktop
from tests.doubles.live_runs import a_live_run
from tests.doubles.loads import loads_of
from tests.widgets.library.host import a_measurement
from widgets.library.references_dialog import ReferencesDialog
from widgets.parts.table.columns import column_title
from widgets.parts.table.copying import CopyAs, rows_text
from widgets.parts.table.view import TableView

FAULTS = [
    RunEvent(at_seconds=at, kind=EventKind.MARK, label="kill primary", by_hand=True, is_fault=True, number=number)
    for number, at in enumerate((4.0, 6.0), start=10)
]
RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in range(3)]
TYPOGRAPHIC = re.compile("[\u202f\u2009\u00a0\u2212]")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
PLAIN_OR_WITH_UNIT = re.compile(r"(-?\d+(\.\d+)?( ?\D+)?)?")
ALL_TABLES = {  # that can be filled here; a new one has to be added
    "Clients",
    "Deleted runs",
    "Differences between the runs",
    "Event log",
    "Figures of hosts and meters",
    "Figures of the recovery",
    "Published results",
    "Response times of the run",
    "Rows and bytes of a store",
    "Runs",
    "Spread of the repeated fault",
    "Total of all clients",
    "Totals of each client",
}
MIXED_WORDS = {"Figures of the recovery", "Spread of the repeated fault"}
"""Some of their figures are sentences, such as "not recovered"."""


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library(*RUNS, events=(*EVENTS, *FAULTS))
    return shared_window


def show_everything(opened: OpenDesktop) -> None:
    """Fill the tables of every page."""
    desktop, library = opened.desktop, opened.desktop.library
    desktop.live.widget.show_run(loads_of(a_live_run(3, 60)))
    desktop.window.show_place(1)
    desktop.window.show_place(2)
    opened.wait_for(lambda: library.page.table.shown == len(RUNS))
    library.page.delete_requested.emit([RUNS[2].run_id])
    opened.wait_for(lambda: library.page.table.shown == len(RUNS) - 1)
    library.show_bin()
    opened.wait_for(lambda: library.bin_page.table.model().rowCount() == 1)
    library.show_table()
    library.page.compare_requested.emit([run.run_id for run in RUNS[:2]])
    opened.wait_for(lambda: library.compare_page.table.model().rowCount() > 0)
    library.open_run(RUNS[0].run_id)
    opened.wait_for(lambda: library.run_page.run_id == RUNS[0].run_id)
    opened.wait_for(lambda: desktop.background.is_idle)
    library.run_page.host.show_measurements([a_measurement()])
    for row in range(library.run_page.recovery.faults.count()):
        library.run_page.recovery.faults.setCurrentRow(row)
    dialog = ReferencesDialog(desktop.window)
    dialog.show_references(read_references("name,source,opm\nR630 SSD,a lab,186604\n", "table.csv"))
    dialog.show()


def tables(window: QWidget) -> list[QTableView]:
    return [view for view in window.findChildren(QTableView) if view.model() is not None and view.accessibleName()]


def numbers_of(view: QTableView) -> list[str]:
    """The titles of the columns that stand at the right."""
    model, found = view.model(), []
    for column in range(model.columnCount()):
        alignment = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        if alignment is not None and Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight:
            found.append(column_title(view, column))
    return found


def test_every_table_is_copied_as_plain_numbers(opened: OpenDesktop, qtbot: QtBot) -> None:
    show_everything(opened)
    copied: set[str] = set()
    for view in tables(opened.desktop.window):
        if not isinstance(view, TableView) and view.accessibleName() != "Published results":
            continue  # a table that is typed in holds what was typed
        if not view.model().rowCount():
            continue
        copied.add(view.accessibleName())
        rows = list(csv.DictReader(io.StringIO(rows_text(view, range(view.model().rowCount()), CopyAs.CSV))))
        for title in numbers_of(view):
            if view.isColumnHidden(_column(view, title)):
                continue
            cells = [row[next(each for each in row if each.startswith(title))] for row in rows]
            assert not any(map(TYPOGRAPHIC.search, cells)), (view.accessibleName(), title, cells)
            if view.accessibleName() not in MIXED_WORDS and title not in ("Users", "Found"):
                odd = [cell for cell in cells if not PLAIN_OR_WITH_UNIT.fullmatch(cell)]
                assert not odd, (view.accessibleName(), title, odd)
    assert copied == ALL_TABLES


def _column(view: QTableView, title: str) -> int:
    return next(column for column in range(view.model().columnCount()) if column_title(view, column) == title)


def test_ctrl_c_copies_selected_runs(opened: OpenDesktop, qtbot: QtBot) -> None:
    opened.desktop.window.show_place(2)
    table = opened.desktop.library.page.table
    opened.wait_for(lambda: table.shown == len(RUNS))
    table.select_runs([RUNS[0].run_id])
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    titles, run = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    assert dict(zip(titles, run, strict=True)) == {
        "State": "completed",
        "Name": "run 0",
        "Headline (OPM)": "1620",
        "Duration (s)": "6",
        "Started": RUNS[0].started_at.astimezone().strftime("%Y-%m-%d %H:%M"),
        "Targets": "embedded / ds2",
        "Users": "2 × 8",
        "Think time (ms)": "20",
        "Size (MB)": "100",
        "p95 ms": "4.00",
        "Variability (%)": "0.00",
        "Errors": "0",
        "Faults": "2",
        "Note": "",
    }


def test_a_table_without_a_menu_of_its_own_offers_to_copy(opened: OpenDesktop, qtbot: QtBot) -> None:
    opened.desktop.window.show_place(2)
    library = opened.desktop.library
    opened.wait_for(lambda: library.page.table.shown == len(RUNS))
    library.open_run(RUNS[0].run_id)
    opened.wait_for(lambda: library.run_page.run_id == RUNS[0].run_id)
    view = library.run_page.times.table.view
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.selectRow(0)
    actions = {action.text().split("\t")[0]: action for action in view.copy_actions(view)}
    actions["Copy as Markdown"].trigger()
    assert QGuiApplication.clipboard().text().startswith("| Response time | Count |")
    actions["Copy as CSV"].trigger()
    assert QGuiApplication.clipboard().text().startswith("Response time,Count,")
