"""The model of the library's runs: values, wishes, sorting and filtering."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.record.record import RunState
from engine.report.run_filter import RunFilter
from tests.app.runs import a_run
from tests.totals import totals_with
from tests.widgets.library.runs import a_listing, listings
from widgets.library.run_columns import NAMES
from widgets.library.run_model import RunTableModel
from widgets.parts.look import Look

NAME, HEADLINE, DURATION, NOTE, STATE, SET = (
    NAMES.index(name) for name in ("name", "headline", "duration", "note", "state", "set")
)
Role = Qt.ItemDataRole


@pytest.fixture
def model(look: Look) -> RunTableModel:
    return RunTableModel(look)


def shown(model: RunTableModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_model_passes_the_qt_model_tester(model: RunTableModel, qtmodeltester: ModelTester) -> None:
    model.show_runs(listings(5))
    qtmodeltester.check(model)
    model.show_runs(listings(3))
    model.set_run_filter(RunFilter(text="run 2"))
    model.sort(HEADLINE)


def test_same_runs_are_updated_in_place(model: RunTableModel, qtbot: QtBot) -> None:
    runs = listings(3)
    model.show_runs(runs)
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show_runs([*runs[:2], a_listing(3, run_id=runs[2].run_id, note="new")])
    assert model.index(2, NOTE).data() == "new"
    with qtbot.waitSignal(model.modelReset):
        model.show_runs(runs[:2])


def test_new_name_is_shown_and_emitted(model: RunTableModel, qtbot: QtBot) -> None:
    runs = listings(2)
    model.show_runs(runs)
    with qtbot.waitSignal(model.rename_requested) as signal:
        assert model.setData(model.index(1, NAME), "  after the patch ")
    assert signal.args == [runs[1].run_id, "after the patch"]
    assert model.index(1, NAME).data() == "after the patch"
    with qtbot.waitSignal(model.note_requested) as signal:
        assert model.setData(model.index(0, NOTE), "raid 10")
    assert signal.args == [runs[0].run_id, "raid 10"]


def test_unchanged_edit_emits_nothing(model: RunTableModel, qtbot: QtBot) -> None:
    model.show_runs(listings(1))
    with qtbot.assertNotEmitted(model.rename_requested):
        assert model.setData(model.index(0, NAME), "run 1")


def test_figures_can_not_be_edited(model: RunTableModel) -> None:
    model.show_runs(listings(1))
    assert not model.index(0, HEADLINE).flags() & Qt.ItemFlag.ItemIsEditable
    assert not model.setData(model.index(0, HEADLINE), "1")
    assert model.index(0, NAME).flags() & Qt.ItemFlag.ItemIsEditable


def test_state_shape_has_accessible_text(model: RunTableModel) -> None:
    model.show_runs([a_listing(1, state=RunState.INTERRUPTED), a_listing(2)])
    interrupted, completed = model.index(0, STATE), model.index(1, STATE)
    assert interrupted.data() is None
    assert interrupted.data(Role.AccessibleTextRole) == "interrupted"
    assert interrupted.data(Role.ToolTipRole) == "Interrupted: measured 6\u202fs of 6\u202fs, 9\u202fs in all."
    images = [index.data(Role.DecorationRole).pixmap(16, 16).toImage() for index in (interrupted, completed)]
    assert images[0] != images[1]


def test_figures_of_an_incomplete_run_are_dimmed_with_the_reason(model: RunTableModel, look: Look) -> None:
    plan = replace(a_run().plan, minutes=3)
    runs = [a_listing(1), a_listing(2, plan=plan, state=RunState.FAILED, failure="the server is gone.")]
    model.show_runs(runs)
    completed, failed = model.index(0, HEADLINE), model.index(1, HEADLINE)
    assert (completed.data(Role.ForegroundRole), completed.data(Role.ToolTipRole)) == (None, None)
    assert failed.data(Role.ForegroundRole).color().name() == look.colours.muted
    assert failed.data(Role.FontRole).italic()
    assert failed.data(Role.ToolTipRole) == (
        "Failed: measured 6\u202fs of 3:00\u202fmin, 9\u202fs in all. The server is gone."
    )


def test_active_run_is_bold_and_its_time_advances(model: RunTableModel, qtbot: QtBot) -> None:
    begun = datetime.now(UTC) - timedelta(seconds=65)
    live = replace(a_listing(1, totals=None, state=RunState.MEASURING), started_at=begun, measuring_from=3)
    model.show_runs([live, a_listing(2)])
    assert model.index(0, NAME).data(Role.FontRole).bold()
    assert model.index(1, NAME).data(Role.FontRole) is None
    assert int(model.index(0, DURATION).data().removesuffix("\u202fs")) >= 62
    assert model.index(0, STATE).data(Role.ToolTipRole) == "In progress: measuring."
    with qtbot.waitSignal(model.dataChanged) as signal:
        model.refresh_durations()
    assert (signal.args[0].row(), signal.args[0].column()) == (0, DURATION)


def test_run_with_a_shared_store_has_a_warning_sign(model: RunTableModel) -> None:
    what = "database 'ds2' on db1 was reset or replaced by others"
    model.show_runs([a_listing(1, totals=totals_with(shared_stores=[what])), a_listing(2)])
    shared, alone = model.index(0, STATE), model.index(1, STATE)
    assert shared.data(Role.AccessibleTextRole) == "completed, store shared"
    assert shared.data(Role.ToolTipRole).endswith(f"\nD{what[1:]}")
    assert "reset" not in alone.data(Role.ToolTipRole)
    images = [index.data(Role.DecorationRole).pixmap(16, 16).toImage() for index in (shared, alone)]
    assert images[0] != images[1]


def test_look_change_repaints(model: RunTableModel, look: Look, qtbot: QtBot) -> None:
    model.show_runs([a_listing(state=RunState.FAILED)])
    before = model.index(0, HEADLINE).data(Role.ForegroundRole).color().name()
    with qtbot.waitSignal(model.dataChanged):
        look.set_dark(True)
    assert model.index(0, HEADLINE).data(Role.ForegroundRole).color().name() == look.colours.muted != before


@pytest.mark.parametrize("order", [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder])
def test_numbers_are_sorted_as_numbers_and_unknown_ones_last(model: RunTableModel, order: Qt.SortOrder) -> None:
    opms = [9, 1_000, None, 20]
    model.show_runs([a_listing(number, totals=totals_with(opm=opm, errors={})) for number, opm in enumerate(opms)])
    model.sort(HEADLINE, order)
    known = ["9\u202fOPM", "20\u202fOPM", "1\u202f000\u202fOPM"]
    assert shown(model, HEADLINE) == [*(known if order == Qt.SortOrder.AscendingOrder else known[::-1]), "–"]


def test_only_matching_runs_are_shown(model: RunTableModel) -> None:
    model.show_runs([a_listing(1), a_listing(2, state=RunState.STOPPED), a_listing(3)])
    model.set_run_filter(RunFilter(states=frozenset({RunState.STOPPED})))
    assert shown(model, NAME) == ["run 2"]
    model.set_run_filter(RunFilter())
    assert shown(model, NAME) == ["run 1", "run 2", "run 3"]


def test_five_thousand_runs_are_sorted_and_filtered(model: RunTableModel) -> None:
    first = a_listing(1)
    model.show_runs(
        [replace(first, run_id=str(number), headline_rate=number * 7919 % 5_000) for number in range(5_000)]
    )
    model.sort(HEADLINE)
    assert shown(model, HEADLINE)[:3] == ["0\u202fOPM", "1\u202fOPM", "2\u202fOPM"]
    model.set_run_filter(RunFilter(text="RUN 1"))
    assert model.rowCount() == 5_000


def test_persistent_index_follows_its_run(model: RunTableModel) -> None:
    model.show_runs(listings(3))
    held = QPersistentModelIndex(model.index(0, HEADLINE))
    model.sort(NAME, Qt.SortOrder.DescendingOrder)
    assert (held.row(), held.column()) == (2, HEADLINE)
    assert shown(model, NAME) == ["run 3", "run 2", "run 1"]


def test_edited_name_survives_a_filter_change(model: RunTableModel) -> None:
    model.show_runs(listings(2))
    model.setData(model.index(0, NAME), "raid 10")
    model.set_run_filter(RunFilter(states=frozenset({RunState.COMPLETED})))
    assert shown(model, NAME) == ["raid 10", "run 2"]


def test_median_run_of_a_set_has_word_and_sign(model: RunTableModel) -> None:
    runs = listings(3)
    model.show_runs([replace(runs[0], run_set="SSD", is_median=True), replace(runs[1], run_set="SSD"), runs[2]])
    assert shown(model, SET) == ["SSD, median", "SSD", ""]
    assert [model.index(row, SET).data(Role.DecorationRole) is not None for row in range(3)] == [True, False, False]
    model.sort(SET, Qt.SortOrder.DescendingOrder)
    assert shown(model, SET)[-1] == ""
