"""The faults of a kept run, one by one."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.judging import recoveries_of
from engine.analysis.run_data import RunData
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from tests.widgets.accessibility import nameless_controls
from widgets.library.recovery_tab import RecoveryTab
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look


@pytest.fixture
def run() -> RunData:
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2})
    faulted.advance_to(300)
    return faulted.end()


@pytest.fixture
def tab(look: Look, qtbot: QtBot, run: RunData) -> RecoveryTab:
    tab = RecoveryTab(look)
    qtbot.addWidget(tab)
    tab.resize(1_180, 700)
    with qtbot.waitActive(tab):
        tab.show()
        tab.activateWindow()
    tab.show_recoveries(run, recoveries_of(run))
    return tab


def black_out(tab: RecoveryTab) -> str:
    model = tab.table.model
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "Last order before at")
    return str(model.index(row, 1).data())


def test_every_fault_is_listed_and_the_newest_is_shown(tab: RecoveryTab) -> None:
    assert [tab.faults.item(row).text() for row in range(tab.faults.count())] == [
        "2:00.4  Enclosure pulled\nrecovered after 16.6\u202fs",
        "3:20.2  Enclosure pulled\nrecovered after 16.8\u202fs",
        "Enclosure pulled, 2 times\nmedian, worst and each round",
    ]
    assert tab.faults.currentRow() == 1
    assert tab.card.word == "RECOVERED"
    assert black_out(tab) == "3:20"


def test_a_narrow_list_of_faults_wraps_their_outcomes(qtbot: QtBot, tab: RecoveryTab) -> None:
    tab.resize(700, 700)
    qtbot.waitUntil(lambda: tab.faults.sizeHintForColumn(0) > tab.faults.viewport().width())
    qtbot.waitUntil(lambda: tab.faults.horizontalScrollBar().maximum() == 0)


def test_a_higher_tab_shows_more_of_the_table(qtbot: QtBot, tab: RecoveryTab) -> None:
    QApplication.processEvents()  # the layout follows the texts
    card, table = tab.card.height(), tab.table.height()
    tab.resize(1_180, 900)
    qtbot.waitUntil(lambda: (tab.card.height(), tab.table.height()) == (card, table + 200))


def test_fault_is_selected_by_key(qtbot: QtBot, tab: RecoveryTab) -> None:
    qtbot.keyClick(tab.faults, Qt.Key.Key_Up)
    assert black_out(tab) == "2:00"


def test_selected_fault_is_kept_for_the_same_run(tab: RecoveryTab, run: RunData) -> None:
    tab.faults.setCurrentRow(0)
    tab.show_recoveries(run, recoveries_of(run))
    assert tab.faults.currentRow() == 0
    run.remove_event(91)
    tab.show_recoveries(run, recoveries_of(run))
    assert (tab.faults.count(), tab.faults.currentRow()) == (1, 0)
    other = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2}).advance_to(260)
    tab.show_recoveries(other, recoveries_of(other))
    assert tab.faults.currentRow() == 1


def test_run_without_a_fault_explains_faults(tab: RecoveryTab) -> None:
    other = FaultedRun(2).advance_to(100)
    tab.show_recoveries(other, [])
    assert tab._nothing.isVisible()
    assert not tab.faults.isVisible()
    assert tab.table.model.rowCount() == 0


def test_figures_have_tool_tips(qtbot: QtBot, tab: RecoveryTab) -> None:
    qtbot.mouseClick(tab.help_button, Qt.MouseButton.LeftButton)
    page = tab.findChildren(HelpPage)[0]
    assert page.isVisible()
    assert "Black-out" in page.text.toPlainText()
    qtbot.mouseClick(tab.help_button, Qt.MouseButton.LeftButton)
    assert len(tab.findChildren(HelpPage)) == 1


def test_tab_order_goes_from_faults_to_buttons(qtbot: QtBot, tab: RecoveryTab) -> None:
    assert nameless_controls(tab) == []
    tab.faults.setFocus()
    walked = []
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        walked.append(QApplication.focusWidget())
    assert walked == [tab.card.text_area, tab.table.view, tab.help_button, tab.table.copy_button]


def test_rounds_of_a_repeated_fault_are_columns(qtbot: QtBot, tab: RecoveryTab) -> None:
    assert not tab.spread.isVisible()
    qtbot.keyClick(tab.faults, Qt.Key.Key_Down)
    assert tab.spread.isVisible()
    assert tab.spread.head.text() == "Enclosure pulled, 2 times: 2 of 2 recovered or had no drop."
    model = tab.spread.model
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert titles == ["Figure", "Median", "Worst", "Round 1", "Round 2"]
    rows = [[model.index(row, column).data() for column in range(5)] for row in range(model.rowCount())]
    assert ["Recovered after", "16.7\u202fs", "16.8\u202fs", "16.6\u202fs", "16.8\u202fs"] in rows

    tab.spread.copy_button.click()
    assert QApplication.clipboard().text().count("\n") >= model.rowCount() - 1
    qtbot.keyClick(tab.faults, Qt.Key.Key_Up)
    assert tab.table.isVisible()


def test_single_fault_has_no_spread(look: Look, qtbot: QtBot) -> None:
    tab = RecoveryTab(look)
    qtbot.addWidget(tab)
    faulted = FaultedRun(1)
    run = faulted.advance_to(200)
    tab.show_recoveries(run, recoveries_of(run))
    assert tab.faults.count() == 1
