"""Search and filters: what is chosen becomes a filter, by keys and by clicks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QDateEdit
from pytestqt.qtbot import QtBot

from engine.record.record import RunState
from engine.report.run_filter import RunFilter
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.runs import a_listing
from widgets.library.filter_bar import FilterBar

RUNS = [a_listing(1, tags=("nightly", "raid")), a_listing(2, state=RunState.INTERRUPTED, tags=("Alone",))]


@pytest.fixture
def bar(qtbot: QtBot) -> FilterBar:
    bar = FilterBar()
    qtbot.addWidget(bar)
    bar.show_choices(RUNS)
    bar.show()
    return bar


def test_typing_changes_the_filter(bar: FilterBar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.filter_changed) as signal:
        qtbot.keyClicks(bar.search, "r")
    assert signal.args == [RunFilter(text="r")]


def test_surrounding_spaces_do_not_change_the_filter(bar: FilterBar, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(bar.filter_changed):
        qtbot.keyClicks(bar.search, "  ")


def test_filters_offer_values_of_the_runs(bar: FilterBar) -> None:
    assert [action.text() for action in bar.tags.menu().actions()] == ["Alone", "nightly", "raid"]
    assert [action.text() for action in bar.states.menu().actions()] == ["completed", "interrupted"]
    assert [action.text() for action in bar.targets.menu().actions()] == ["embedded"]


def test_space_checks_several_entries_and_keeps_the_menu_open(bar: FilterBar, qtbot: QtBot) -> None:
    menu = bar.tags.menu()
    menu.popup(bar.mapToGlobal(bar.rect().bottomLeft()))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Space):
        qtbot.keyClick(menu, key)
    assert menu.isVisible()
    assert bar.run_filter.tags == {"Alone", "nightly"}
    assert bar.tags.text() == "Tag: 2 chosen"
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_click_checks_an_entry(bar: FilterBar, qtbot: QtBot) -> None:
    menu = bar.states.menu()
    menu.popup(bar.mapToGlobal(bar.rect().bottomLeft()))
    with qtbot.waitSignal(bar.filter_changed) as signal:
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(menu.actions()[1]).center())
    assert signal.args == [RunFilter(states=frozenset({RunState.INTERRUPTED}))]
    assert bar.states.text() == "State: interrupted"
    menu.close()


def test_selection_is_kept_when_runs_change(bar: FilterBar) -> None:
    bar.tags.choose(["raid"])
    bar.show_choices(RUNS[1:])
    assert bar.run_filter.tags == {"raid"}
    assert [action.text() for action in bar.tags.menu().actions()] == ["Alone", "raid"]


def test_last_days_filter_ends_now(bar: FilterBar, qtbot: QtBot) -> None:
    before = datetime.now(UTC)
    with qtbot.waitSignal(bar.filter_changed) as signal:
        bar.days.menu().actions()[2].trigger()
    week = timedelta(days=7)
    assert before - week <= signal.args[0].started_from <= datetime.now(UTC) - week
    assert signal.args[0].started_to is None
    assert bar.days.text() == "Last week"


def test_date_range_includes_whole_days(bar: FilterBar) -> None:
    bar.days.menu().actions()[4].trigger()
    first, last = bar.findChildren(QDateEdit)
    assert first.isVisible()
    first.setDate(QDate(2026, 11, 20))
    last.setDate(QDate(2026, 11, 21))
    chosen = bar.run_filter
    assert chosen.started_from == datetime(2026, 11, 20).astimezone()
    assert chosen.started_to == datetime(2026, 11, 22).astimezone()


def test_all_filters_are_cleared_together(bar: FilterBar, qtbot: QtBot) -> None:
    qtbot.keyClicks(bar.search, "evening")
    bar.tags.choose(["raid"])
    bar.days.menu().actions()[1].trigger()
    assert bar.clear_button.isVisible()
    with qtbot.waitSignal(bar.filter_changed) as signal:
        qtbot.mouseClick(bar.clear_button, Qt.MouseButton.LeftButton)
    assert signal.args == [RunFilter()]
    assert bar.search.text() == ""
    assert bar.clear_button.isHidden()


def test_control_names_include_the_selection(bar: FilterBar) -> None:
    bar.tags.choose(["raid"])
    assert nameless_controls(bar) == []
    assert bar.tags.accessibleName() == "Tag: raid"


def test_sets_can_be_filtered(bar: FilterBar, qtbot: QtBot) -> None:
    assert not bar.sets.isEnabled()
    bar.show_choices([*RUNS, a_listing(3), replace(a_listing(4), run_set="SSD")])
    assert [action.text() for action in bar.sets.menu().actions()] == ["SSD"]
    with qtbot.waitSignal(bar.filter_changed) as signal:
        bar.sets.choose(["SSD"])
    assert signal.args == [RunFilter(run_sets=frozenset({"SSD"}))]
