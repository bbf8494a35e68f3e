"""The live page from the empty state to the end of a run, by keys and clicks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.draft.injection_draft import InjectionDraft
from engine.record.record import RunState
from tests.doubles.faulted_runs import FaultedRun
from tests.doubles.live_runs import a_live_run, a_plan, a_scheduled_run, ended
from tests.doubles.loads import loads_of
from tests.widgets.accessibility import nameless_controls
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.parts.look import Look


@pytest.fixture
def page(qtbot: QtBot) -> LivePage:
    page = LivePage(Look(), DEFAULT_MARK_KINDS)
    qtbot.addWidget(page)
    page.resize(1180, 760)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    return page


@pytest.fixture
def run() -> RunData:
    return a_live_run(4, 60, troubled=False)


def undo_of(page: LivePage) -> QPushButton:
    return next(each for each in page.markers.findChildren(QPushButton) if each.text().startswith("Undo"))


@pytest.mark.parametrize("width", [1200, 1240])
def test_a_run_that_is_shown_first_has_room_for_all_figures(qtbot: QtBot, page: LivePage, width: int) -> None:
    page.show_nothing()
    page.resize(width, 760)
    page.show_run(loads_of(a_scheduled_run(2, 40)))
    head = page.view.head
    QApplication.processEvents()
    qtbot.waitUntil(lambda: head.height() >= head.heightForWidth(head.width()))


def test_an_injection_that_is_armed_makes_no_window_higher(qtbot: QtBot, page: LivePage) -> None:
    faulted, other = FaultedRun(2), FaultedRun(1)
    for each in (faulted, other):
        each.advance_to(300)
    loads = loads_of(faulted.data)
    loads.loads = (faulted.data, other.data)
    page.resize(1271, 690)
    page.show_run(loads)
    qtbot.waitUntil(lambda: page.view.recovery.isVisible() and page.view.loads.others[0].isVisible())
    page.arming.ask(InjectionDraft(kind="redfish", url="https://bmc", user="admin"))
    qtbot.waitUntil(lambda: page.arming.height() >= page.arming.minimumSizeHint().height() > 100)
    qtbot.waitUntil(lambda: not page.view.loads.others[0].isVisible())
    assert page.height() == 690


def test_page_without_a_run_offers_to_start_one(qtbot: QtBot, page: LivePage) -> None:
    assert page.no_run.isVisible()
    with qtbot.waitSignal(page.new_run_requested):
        qtbot.mouseClick(page.no_run.new_run, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.demo_requested):
        qtbot.mouseClick(page.no_run.demo, Qt.MouseButton.LeftButton)


def test_a_preparation_is_shown_and_cancelled(qtbot: QtBot, page: LivePage) -> None:
    page.show_preparing("Building the store ds2_1", 0.4)
    assert page.preparing.isVisible()
    with qtbot.waitSignal(page.cancel_requested):
        qtbot.mouseClick(page.preparing.cancel, Qt.MouseButton.LeftButton)
    page.show_preparing("Building the store ds2_1", 0.5)
    assert not page.preparing.cancel.isEnabled()
    page.show_nothing()
    page.show_preparing("Building the store ds2_1", 0.0)
    assert page.preparing.cancel.isEnabled()


def test_a_mark_set_by_hand_can_be_undone(qtbot: QtBot, page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    assert not undo_of(page).isEnabled()
    page.set_undoable("Failover")
    assert "Failover" in undo_of(page).toolTip()
    with qtbot.waitSignal(page.undo_mark_requested):
        qtbot.keyClick(page.view.table.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    page.set_undoable("")
    assert not undo_of(page).isEnabled()
    with qtbot.assertNotEmitted(page.undo_mark_requested):
        qtbot.keyClick(page.view.table.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.parametrize("is_stored", [True, False])
def test_focus_of_a_control_of_the_run_goes_to_the_links_at_its_end(
    qtbot: QtBot, page: LivePage, run: RunData, is_stored: bool
) -> None:
    page.show_run(loads_of(run))
    page.set_stored(is_stored)
    buttons = page.view.head.buttons.findChildren(QPushButton)
    stop = next(each for each in buttons if each.text().startswith("Stop"))
    for control in (stop, undo_of(page)):
        run.set_state(RunState.MEASURING, run.phases)
        page.refresh()
        page.set_undoable("Failover")
        control.setFocus()
        assert control.hasFocus()
        ended(run)
        page.refresh()
        link = page.ended.open if is_stored else page.ended.new_run
        qtbot.waitUntil(link.hasFocus)


def test_page_emits_the_signals_of_its_parts(qtbot: QtBot, page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    with qtbot.waitSignals([page.extend_requested, page.stop_requested, page.stop_now_requested, page.window_changed]):
        page.view.head.extend_requested.emit(300)
        page.view.head.stop_requested.emit()
        page.view.head.stop_now_requested.emit()
        page.view.head.window_changed.emit(30)
    with qtbot.waitSignal(page.mark_requested):
        page.markers.mark_requested.emit(MarkKind(label="Failover"), 1.0)
    with qtbot.waitSignals([page.mark_changed, page.mark_removed, page.mark_kinds_changed]):
        page.view.mark_changed.emit(4, "Shelf", None)
        page.view.mark_removed.emit(4)
        page.markers.kinds_changed.emit([])


def test_finished_page_offers_next_steps(qtbot: QtBot, page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    assert not page.ended.isVisible()
    assert page.markers.isVisible()
    ended(run)
    page.refresh()
    assert page.ended.isVisible()
    assert not page.markers.isVisible()
    with qtbot.waitSignal(page.open_in_library_requested) as opened:
        qtbot.mouseClick(page.ended.open, Qt.MouseButton.LeftButton)
    assert opened.args == [run.run_id]
    with qtbot.waitSignal(page.new_run_from_plan_requested) as planned:
        qtbot.mouseClick(page.ended.new_run, Qt.MouseButton.LeftButton)
    assert planned.args == [a_plan(4)]


@pytest.mark.parametrize("clients", [1, 24])
def test_the_page_fits_the_smallest_window(qtbot: QtBot, page: LivePage, clients: int) -> None:
    page.show_run(loads_of(a_live_run(clients, 30)))
    assert page.minimumSizeHint().width() <= 1180
    assert page.minimumSizeHint().height() <= 760


def test_every_control_has_a_name(page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    assert nameless_controls(page) == []
