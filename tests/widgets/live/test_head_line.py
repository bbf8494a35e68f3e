"""The head line of a run: state and OPM are its largest texts; figures are those of the run."""

from collections import Counter

import pytest
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.analysis.workstation_use import ProcessorUse, WorkstationUse
from engine.figure_text import UNKNOWN, whole
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.workstation import WorkstationLoad
from tests.doubles.live_runs import OUTAGE, a_live_run, a_plan, a_scheduled_run, a_second, ended
from tests.doubles.wholesale_runs import NOPM, TPM, a_wholesale_run
from tests.texts import number_in
from tests.widgets.accessibility import nameless_controls
from widgets.live.head_line import HeadLine
from widgets.live.tiles import DriverTile, Tile, UsersTile
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.look import Look


@pytest.fixture
def head(qtbot: QtBot) -> HeadLine:
    head = HeadLine(Look())
    qtbot.addWidget(head)
    head.resize(1180, 110)
    head.show()
    return head


def accessible_text(head: HeadLine) -> set[str]:
    return {label.accessibleName() for label in head.findChildren(QLabel) if label.isVisible()}


def label(head: HeadLine, text: str) -> QLabel:
    return next(each for each in head.findChildren(QLabel) if each.isVisible() and each.text() == text)


def number(head: HeadLine, caption: str) -> float:
    """The number that is read with so a caption."""
    return number_in(
        next(text for text in accessible_text(head) if text.startswith(f"{caption}: ")).rpartition(": ")[2]
    )


def bar(head: HeadLine, name: str) -> QProgressBar:
    return next(each for each in head.findChildren(QProgressBar) if each.accessibleName() == name)


def test_head_line_has_the_figures_of_the_run(head: HeadLine) -> None:
    run = a_live_run(4, OUTAGE.stop + 20)
    figures = run.figures()
    head.show_run(run)
    assert accessible_text(head) >= {
        "State: Measuring",
        "mean, ms: 10.0",
        "p95, ms: 11.8",
        "p99, ms: 30.0",
        f"errors: {4 * 3 * len(OUTAGE)}",
        "rollbacks: 1.91\u202f%",
        "Users working: 112",
        "Users thinking: 16",
        "Users reconnecting: 0",
    }
    assert number(head, "OPM running") == figures.headline_rate_running
    assert number(head, "OPM now") == figures.headline_rate_now
    assert number(head, "orders") == figures.orders
    assert label(head, str(4 * 3 * len(OUTAGE))).parentWidget().toolTip() == "connection lost: 144"


def test_errors_that_an_imported_run_does_not_tell_are_a_dash(head: HeadLine) -> None:
    run = ended(a_live_run(2, 60), RunState.COMPLETED)
    run.is_imported = True
    head.show_run(run)
    assert accessible_text(head) >= {f"errors: {UNKNOWN}", f"rollbacks: {UNKNOWN}", f"OPM running: {UNKNOWN}"}


def test_with_think_time_both_kinds_of_response_times_are_named(head: HeadLine) -> None:
    run = a_scheduled_run(2, OUTAGE.stop + 5)
    head.show_run(run)
    assert accessible_text(head) >= {
        "service mean, ms: 10.0",
        "service p95, ms: 11.8",
        "service p99, ms: 30.0",
    }
    assert number(head, "p95 as intended, ms") == pytest.approx(run.figures().intended_p95_ms, abs=1)
    assert number(head, "p99 as intended, ms") == pytest.approx(run.figures().intended_p99_ms, abs=1)
    assert number(head, "p99 as intended, ms") > 1_000
    assert any(each.text().startswith("Closed-loop users, 20 ms think time") for each in head.findChildren(QLabel))


def test_without_think_time_there_is_one_response_time_with_the_reason(head: HeadLine) -> None:
    head.show_run(a_scheduled_run(1, 40))
    head.show_run(a_live_run(1, 40))
    assert not any("as intended" in name or "service" in name for name in accessible_text(head))
    assert any("without think time" in each.text() for each in head.findChildren(QLabel) if each.isVisible())


def test_state_and_opm_are_the_largest_texts(head: HeadLine) -> None:
    run = a_live_run(4, 60)
    head.show_run(run)
    state, opm = (
        label(head, "Measuring"),
        next(each for each in head.findChildren(QLabel) if each.accessibleName().startswith("OPM running: ")),
    )
    others = [each for each in head.findChildren(QLabel) if each.isVisible() and each not in (state, opm)]
    sizes = [each.font().pointSizeF() for each in others]
    assert min(state.font().pointSizeF(), opm.font().pointSizeF()) > 1.5 * max(sizes)


def test_a_wide_state_has_room_before_an_unknown_headline(qtbot: QtBot, head: HeadLine) -> None:
    run = a_live_run(1, 20)
    run.set_state(RunState.WARMING_UP, Phases(warming_up_from=10))
    head.show_run(run)
    state, letter = label(head, "Warming up"), head.fontMetrics().averageCharWidth()
    qtbot.waitUntil(lambda: head._running.x() >= state.x() + state.width() + 2 * letter)


def test_clock_shows_phase_and_total_time(head: HeadLine) -> None:
    head.show_run(a_live_run(1, 791))
    assert "12:41 of 30:00, 17:19 left · whole run 13:11 of 30:30" in accessible_text(head)
    assert bar(head, "Progress of the phase").value() == round(1_000 * 761 / 1_800)
    assert bar(head, "Progress of the run").value() == round(1_000 * 791 / 1_830)


def test_narrow_head_line_keeps_name_before_total_time(qtbot: QtBot, head: HeadLine) -> None:
    run = a_live_run(1, 791)
    run.name = "R630 SSD 20 ms #2"
    head.show_run(run)
    head.resize(960, 150)
    name = next(each for each in head.findChildren(ElidedLabel) if each.text() == run.name)
    qtbot.waitUntil(lambda: name.shown_text == run.name)
    assert label(head, "12:41 of 30:00, 17:19 left")
    assert "12:41 of 30:00, 17:19 left · whole run 13:11 of 30:30" in accessible_text(head)
    head.resize(1700, 150)
    assert label(head, "12:41 of 30:00, 17:19 left · whole run 13:11 of 30:30")


@pytest.mark.parametrize("width", [900, 964, 1100, 1380, 1860])
def test_tiles_wrap_evenly_and_are_not_cut(qtbot: QtBot, head: HeadLine, width: int) -> None:
    head.show_run(a_scheduled_run(2, 40))
    head.resize(width, 180)
    tiles = [each for each in head.findChildren(QWidget) if isinstance(each, Tile | UsersTile | DriverTile)]
    below = [tile for tile in tiles if tile.isVisible() and tile is not head._running]
    qtbot.waitUntil(lambda: all(tile.width() == tile.sizeHint().width() for tile in below))
    assert min(Counter(tile.y() for tile in below).values()) > 1
    assert all(tile.geometry().right() < width for tile in below)


def test_limitations_of_a_finished_run_are_shown_below(head: HeadLine) -> None:
    run = ended(a_live_run(1, 60))
    head.show_run(run)
    head.show_warnings(["The workstation distorted the run from 3:40 to 3:57 of the run.", "It was stopped."])
    warning = label(head, "The workstation distorted the run from 3:40 to 3:57 of the run. It was stopped.")
    head.show_run(run)
    assert not warning.isVisible()


def test_run_without_an_end_shows_until_stopped(head: HeadLine) -> None:
    head.show_run(a_live_run(1, 91, until_stopped=True))
    assert "1:01, until stopped · whole run 1:31" in accessible_text(head)
    assert bar(head, "Progress of the run").value() == 0


def test_unknown_values_are_dashes(head: HeadLine) -> None:
    head.show_run(RunData(a_plan()))
    assert accessible_text(head) >= {"State: Preparing", f"OPM running: {UNKNOWN}", f"p95, ms: {UNKNOWN}"}


def test_tiles_have_words_of_the_workload(head: HeadLine) -> None:
    head.show_run(RunData(RunPlan(workload="wholesale")))
    named = accessible_text(head)
    assert {f"NOPM running: {UNKNOWN}", f"NOPM now: {UNKNOWN}", "New-Orders: 0"} <= named
    assert not any("OPM" in name.replace("NOPM", "") or name.startswith("orders") for name in named)
    head.show_run(RunData(a_plan()))
    assert f"OPM running: {UNKNOWN}" in accessible_text(head)


def test_a_workload_of_several_types_shows_them_all_and_their_limits(head: HeadLine) -> None:
    for is_over in (False, True):
        head.show_run(a_wholesale_run(is_over=is_over))
        named = accessible_text(head)
        assert {f"NOPM running: {whole(2 * NOPM)}", f"TPM: {whole(2 * TPM)}", "p90 limits: 1 of 5 missed"} <= named
        assert head._p95.toolTip() == "Of New-Orders"
        assert {tile.toolTip() for tile in head._intended} == {"Of transactions of all types"}
    head.show_run(a_live_run(1, 60))
    assert not any(tile.toolTip() for tile in head._intended)
    assert not any(name.startswith(("TPM", "p90 limits")) for name in accessible_text(head))


def test_tick_does_not_move_widgets(qtbot: QtBot, head: HeadLine) -> None:
    run = a_live_run(4, 60, troubled=False)
    head.show_run(run)
    qtbot.waitUntil(lambda: label(head, "Measuring").width() > 0)
    places = [each.geometry() for each in head.findChildren(QLabel) if "whole run" not in each.text()]
    for second in range(60, 75):
        for client in range(1, 5):
            run.add(a_second(client, second, out=second > 70))
    head.refresh()
    head.layout().activate()
    assert [each.geometry() for each in head.findChildren(QLabel) if "whole run" not in each.text()] == places


def test_stored_run_shows_totals_without_buttons(head: HeadLine) -> None:
    run = ended(a_live_run(4, 600))
    head.show_run(run)
    assert not head.buttons.isVisible()
    assert not bar(head, "Progress of the run").isVisible()
    assert {"State: Completed", "measured 9:30\u202fmin"} <= accessible_text(head)
    assert number(head, "orders") == run.figures().orders
    assert not any(name.startswith(("OPM now", "Users")) for name in accessible_text(head))


@pytest.mark.parametrize("state", list(RunState))
def test_each_state_has_a_word(head: HeadLine, state: RunState) -> None:
    run = a_live_run(1, 40)
    run.set_state(state, run.phases)
    head.show_run(run)
    assert f"State: {state.value.capitalize()}" in accessible_text(head)


def test_opm_window_is_accessible_and_emitted(qtbot: QtBot, head: HeadLine) -> None:
    run = a_live_run(4, OUTAGE.stop)
    head.show_run(run)
    head.set_window_seconds(60)
    assert head.window_seconds == 60
    assert number(head, "OPM window") == round(run.figures(None, 60).headline_rate_window or 0)
    assert run.figures(None, 60).headline_rate_window != run.figures(None, 10).headline_rate_window


def test_workstation_bottleneck_has_a_word(head: HeadLine) -> None:
    head.show_run(a_live_run(1, 40))
    head.set_workstation(
        WorkstationLoad(second=0, machine_pct=98.0, clients_pct=91.0, busiest_process_pct=99.0, is_bottleneck=True), {}
    )
    assert {"driver limits: 91\u202f%", "workstation full: 98\u202f%"} <= accessible_text(head)


def test_buttons_depend_on_the_run_state(qtbot: QtBot, head: HeadLine) -> None:
    head.show_run(a_live_run(1, 40))
    with qtbot.waitSignals([head.extend_requested, head.stop_requested, head.stop_now_requested]):
        head.buttons.extend_requested.emit(60)
        head.buttons.stop_requested.emit()
        head.buttons.stop_now_requested.emit()


def test_every_control_has_a_name(head: HeadLine) -> None:
    head.show_run(a_live_run(1, 40))
    assert nameless_controls(head) == []


def test_a_run_stopped_in_its_warm_up_measured_nothing(head: HeadLine) -> None:
    run = a_live_run(1, 20, troubled=False)
    run.set_state(RunState.STOPPED, Phases(warming_up_from=10))
    head.show_run(run)
    assert {"State: Stopped", f"OPM running: {UNKNOWN}", UNKNOWN} <= accessible_text(head)


def test_stored_run_shows_what_it_used_of_the_workstation(head: HeadLine) -> None:
    tile, run = head.findChild(DriverTile), ended(a_live_run(4, OUTAGE.stop + 20))
    assert tile is not None
    head.show_run(run)
    assert not tile.isVisible()  # an imported run, or one of before this was stored
    run.workstation_use = WorkstationUse(
        machine=ProcessorUse(mean_pct=41, highest_pct=77),
        clients=ProcessorUse(mean_pct=13, highest_pct=15),
        busiest_process=ProcessorUse(mean_pct=7, highest_pct=30),
    )
    head.show_run(run)
    assert tile.isVisible()
    assert tile.text == "driver CPU 13\u202f%, workstation CPU 41\u202f%"
    assert "Workstation: 41\u202f% on average, 77\u202f% at most." in tile.toolTip()
    head.show_run(a_live_run(4, OUTAGE.stop))
    assert tile.text == f"driver CPU {UNKNOWN}, workstation CPU {UNKNOWN}"
