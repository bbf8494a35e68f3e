"""A run of Wholesale through the whole window: wizard, build, run, failover, audit, the library's pages, comparison
with an earlier run, report.

On every page what the run counts is called New-Orders and NOPM.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.analysis.recovery.figures import RecoveryState
from engine.analysis.run_data import RunData
from engine.audit.report import Verdict
from engine.record.record import RunState
from engine.workload.registry import WHOLESALE
from tests.app.pages import WIZARD_PAGES
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.wholesale_runs import a_wholesale_record, keep_wholesale
from widgets.library.library_actions import RunAction
from widgets.parts.chart.time_chart import TimeChart

DVD_STORES_WORDS = re.compile(r"(?<!N)OPM|(?<!New-)orders per minute|new customers|DVD Store", re.IGNORECASE)
PAIR = "pair"
CLIENTS = "2"
LOAD = {"threads": "4", "think_time_ms": "100", "ramp_rate": "100", "warmup_minutes": "0", "minutes": "10"}
SECONDS_BEFORE_THE_FAULT = 14
THRESHOLD_PCT = 25
EARLIER = a_wholesale_record(name="earlier")

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot) -> Iterator[OpenDesktop]:
    home = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    home.chmod(0o755)  # as root, the servers run under another account
    keep_wholesale(home, EARLIER)
    opened = open_desktop(qapp, qtbot, home)
    yield opened
    opened.end()
    shutil.rmtree(home)


def foreign_words(widget: QWidget) -> list[str]:
    """The visible texts that speak of the DVD Store's orders."""
    texts: list[str] = []
    for each in widget.findChildren(QWidget):
        if each.isVisible():
            texts += [each.accessibleName(), each.accessibleDescription(), each.toolTip()]
            texts += [each.text()] if isinstance(each, QLabel | QAbstractButton) else []
            texts += [each.summary()] if isinstance(each, TimeChart) else []
            texts += _texts_of(each.model()) if isinstance(each, QAbstractItemView) else []
    return sorted({text for text in texts if DVD_STORES_WORDS.search(text)})


def _texts_of(model: QAbstractItemModel | None) -> list[str]:
    if model is None:
        return []
    columns = range(1 if isinstance(model, QAbstractListModel) else model.columnCount())
    heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in columns]
    return heads + [str(model.index(row, column).data()) for row in range(model.rowCount()) for column in columns]


def click(opened: OpenDesktop, button: QAbstractButton) -> None:
    opened.wait_for(button.isEnabled)
    opened.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def type_over(opened: OpenDesktop, field: QWidget, text: str) -> None:
    opened.qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    opened.qtbot.keyClicks(field, text)


def fill_wizard(opened: OpenDesktop) -> None:
    """Choose Wholesale with one warehouse on a pair, build its store, and type the load."""
    wizard = opened.desktop.new_run.widget
    while wizard.targets.editor.shape.currentData() != PAIR:
        opened.qtbot.keyClick(wizard.targets.editor.shape, Qt.Key.Key_Down)
    type_over(opened, wizard.targets.clients, CLIENTS)
    click(opened, wizard.next)
    opened.qtbot.keyClick(wizard.database.workload, Qt.Key.Key_Down)
    wizard.database.workload.activated.emit(wizard.database.workload.currentIndex())  # the platform's list does so
    assert wizard.draft.workload == WHOLESALE
    click(opened, wizard.database.work.build)
    opened.wait_for(lambda: wizard.database.work.note.text == "1 store of 1 warehouse built.")
    click(opened, wizard.next)
    for key, text in LOAD.items():
        type_over(opened, wizard.load.form.rows[key].field, text)
    for place in range(1, len(WIZARD_PAGES)):
        wizard.page_list.setCurrentRow(place)
        assert [text for text in foreign_words(wizard.pages[place]) if "DVD Store" not in text] == []


def start(opened: OpenDesktop) -> RunData:
    """Start what the wizard holds, and look at the live page while it measures."""
    desktop, page = opened.desktop, opened.desktop.live.widget
    click(opened, desktop.new_run.widget.start)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
    data = desktop.live_run.data
    assert data is not None
    opened.wait_for(lambda: data.measured_end >= SECONDS_BEFORE_THE_FAULT)
    page.refresh()
    assert foreign_words(page) == []
    assert {"NOPM running", "TPM", "New-Orders"} <= {
        label.text() for label in page.findChildren(QLabel) if label.isVisible()
    }
    return data


def kill_primary(opened: OpenDesktop, data: RunData) -> None:
    """Kill the primary from the menu, and wait until the users work on the standby as before."""
    page = opened.desktop.live.widget
    button = page.markers.inject
    button.fill_menu()
    stop_menu = next(action.menu() for action in button.menu().actions() if action.text() == "Kill and stop")
    next(action for action in stop_menu.actions() if action.text() == "Kill primary").trigger()
    opened.qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    opened.wait_for(lambda: bool(page.view.recoveries))
    opened.wait_for(lambda: data.end > page.view.recoveries[-1].fault.at_seconds + 8)
    opened.wait_for(lambda: page.view.recoveries[-1].state in (RecoveryState.RECOVERED, RecoveryState.STEADY))
    assert foreign_words(page) == []


def test_a_run_of_wholesale_from_the_wizard_through_a_failover_to_its_report(opened: OpenDesktop) -> None:
    desktop, library = opened.desktop, opened.desktop.library
    fill_wizard(opened)
    data = start(opened)
    opened.judge_leniently(THRESHOLD_PCT)
    kill_primary(opened, data)
    desktop.live_run.stop()
    ended = desktop.live.widget.ended
    opened.wait_for(lambda: "No New-Order was lost" in ended.audit.text, lambda: ended.audit.text)
    record = desktop.workbench.library().run(data.run_id)
    assert record.audit is not None
    assert record.audit["verdict"] == Verdict.CLEAN

    desktop.window.show_place(Place.LIBRARY)
    opened.wait_for(lambda: library.page.table.shown == 2)
    assert foreign_words(library.page) == []

    library.page.open_requested.emit(data.run_id)
    opened.wait_for(lambda: library.run_page.run_id == data.run_id)
    opened.wait_for(lambda: desktop.background.is_idle)
    tabs = library.run_page.tabs
    for place in range(tabs.count()):
        tabs.setCurrentIndex(place)
        assert (tabs.tabText(place), foreign_words(tabs.currentWidget())) == (tabs.tabText(place), [])
    totals = record.totals
    assert totals is not None
    assert (totals.all_a_minute or 0) > (totals.headline_rate or 0) > 0

    library.page.compare_requested.emit([data.run_id, EARLIER.run_id])
    opened.wait_for(lambda: library.widget.currentWidget() is library.compare_page)
    opened.wait_for(lambda: desktop.background.is_idle)
    assert foreign_words(library.compare_page) == []

    library.show_table()
    library.page.select_runs([data.run_id])
    library.page.actions_of[RunAction.REPORT].trigger()
    opened.wait_for(lambda: library.report_page.document is not None)
    text = library.report_page.view.toPlainText()
    assert "NOPM" in text
    assert DVD_STORES_WORDS.findall(text) == []
