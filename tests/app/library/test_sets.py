"""Run sets in the whole window: made, renamed, dissolved and brought back."""

import pytest

from engine.analysis.comparing.run_set import RunSet
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop
from tests.totals import totals_with
from widgets.library.library_page import LibraryPage
from widgets.library.run_columns import NAMES
from widgets.library.set_dialogs import NewSetDialog

RUNS = [
    a_run(minutes_later=minutes, name=f"run {minutes}", totals=totals_with(opm=10 * minutes)) for minutes in (1, 2, 3)
]
IDS = [run.run_id for run in RUNS]


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library(*RUNS)
    return shared_window


def page_of(opened: OpenDesktop) -> LibraryPage:
    return opened.desktop.library.page


def shown_sets(opened: OpenDesktop) -> set[str]:
    model, column = page_of(opened).table.model(), NAMES.index("set")
    return {str(model.index(row, column).data()) for row in range(model.rowCount())}


def kept_sets(opened: OpenDesktop) -> list[RunSet]:
    return opened.desktop.workbench.library().sets.all()


def make_set(opened: OpenDesktop, name: str) -> None:
    page = page_of(opened)
    page.select_runs(IDS)
    page.sets.make_action.trigger()
    dialog = opened.desktop.window.findChild(NewSetDialog)
    assert isinstance(dialog, NewSetDialog)
    dialog.name.clear()
    opened.qtbot.keyClicks(dialog.name, name)
    dialog.accept_button.click()
    opened.wait_for(lambda: f"{name}, median" in shown_sets(opened))


def test_selected_runs_become_a_set_with_its_median_marked(opened: OpenDesktop) -> None:
    make_set(opened, "SSD")
    assert shown_sets(opened) == {"SSD", "SSD, median"}
    assert [run_set.run_ids for run_set in kept_sets(opened)] == [tuple(IDS)]


def test_dissolved_set_is_restored_by_undo(opened: OpenDesktop) -> None:
    make_set(opened, "SSD")
    page_of(opened).sets.dissolve_action.trigger()
    opened.wait_for(lambda: shown_sets(opened) == {""})
    assert "was deleted" in opened.desktop.window.bar.text
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: "SSD, median" in shown_sets(opened))
    assert kept_sets(opened)[0].run_ids == tuple(IDS)


def test_run_is_removed_from_a_set_and_restored(opened: OpenDesktop) -> None:
    make_set(opened, "SSD")
    page_of(opened).select_runs(IDS[:1])
    page_of(opened).sets.take_out_action.trigger()
    opened.wait_for(lambda: "" in shown_sets(opened))
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: "" not in shown_sets(opened))


def test_set_is_renamed(opened: OpenDesktop) -> None:
    make_set(opened, "SSD")
    page_of(opened).sets.rename_requested.emit("SSD", "NVMe")
    opened.wait_for(lambda: "NVMe, median" in shown_sets(opened))
