"""Runs are deleted, renamed, tagged and annotated in the window, and all of it is undone and done again."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.library.place import LibraryPlace
from engine.audit.ledger_files import ledger_path
from engine.library.library import Library
from engine.record.record import RunRecord
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop
from widgets.library.bin_page import RemovalQuestion
from widgets.library.library_actions import RunAction
from widgets.parts import message_bar

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}", tags=("nightly",)) for minutes in range(3)]
IDS = [run.run_id for run in RUNS]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(shared_window: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> OpenDesktop:
    """The window with three runs; its messages stay, as a busy machine may take longer than a reader."""
    for name in ("_SHOWN_MS", "_SHOWN_WITH_ACTION_MS"):
        monkeypatch.setattr(message_bar, name, 1_000_000)
    shared_window.show_library(*RUNS)
    return shared_window


@pytest.fixture
def place(opened: OpenDesktop) -> LibraryPlace:
    return opened.desktop.library


@pytest.fixture
def library(opened: OpenDesktop) -> Iterator[Library]:
    with Library.open(opened.desktop.workbench.places.library, notify=print) as library:
        yield library


def press(opened: OpenDesktop, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    opened.qtbot.keyClick(opened.desktop.library.page.table, key, modifier)


def undo(opened: OpenDesktop) -> None:
    press(opened, Qt.Key.Key_Z, CONTROL)


def redo(opened: OpenDesktop) -> None:
    press(opened, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)


def bar(opened: OpenDesktop) -> str:
    return opened.desktop.window.bar.text


def names(library: Library) -> list[str]:
    return [run.name for run in library.runs()]


def test_a_deletion_is_undone_and_done_again_with_the_keyboard(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    place.page.select_runs(IDS[:2])
    press(opened, Qt.Key.Key_Delete)
    opened.wait_for(lambda: place.page.table.shown == 1)
    assert place.page.bin_button.text() == "Deleted runs (2)"
    assert place.edits.undo_action.text() == "Undo deletion of 2 runs"
    undo(opened)
    opened.wait_for(lambda: place.page.table.shown == 3)
    assert bar(opened) == "Undone: deletion of 2 runs."
    opened.wait_for(lambda: set(place.page.table.selected_ids()) == set(IDS[:2]))  # not the one that took their place
    redo(opened)
    opened.wait_for(lambda: place.page.table.shown == 1)
    assert names(library) == ["run 2"]


def test_keys_that_come_too_fast_are_done_one_after_the_other(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    place.page.select_runs([IDS[0]])
    place.edits.rename(IDS[1], "renamed")
    press(opened, Qt.Key.Key_Delete)
    undo(opened)
    undo(opened)
    redo(opened)
    opened.wait_for(lambda: bar(opened) == "Redone: renaming.")
    assert names(library) == ["run 2", "renamed", "run 0"]
    opened.wait_for(lambda: place.page.table.shown == 3)
    assert (place.edits.undo_action.isEnabled(), place.edits.redo_action.isEnabled()) == (True, True)


def test_names_notes_and_tags_are_undone(opened: OpenDesktop, place: LibraryPlace, library: Library) -> None:
    def expected(run: RunRecord) -> tuple[str, str, tuple[str, ...]]:
        return run.name, run.note, run.tags

    before = [expected(run) for run in library.runs()]
    place.page.rename_requested.emit(IDS[0], "after the patch")
    place.page.note_requested.emit(IDS[0], "new disks")
    place.page.tags_requested.emit(IDS[:2], ["raid", "nightly"], [])
    place.page.tags_requested.emit(IDS[:1], [], ["nightly"])
    opened.wait_for(lambda: library.run(IDS[0]).tags == ("raid",))
    after = [expected(run) for run in library.runs()]
    assert after[2] == ("after the patch", "new disks", ("raid",))
    for _ in range(4):
        undo(opened)
    opened.wait_for(lambda: [expected(run) for run in library.runs()] == before)
    for _ in range(4):
        redo(opened)
    opened.wait_for(lambda: [expected(run) for run in library.runs()] == after)


def test_undo_button_of_the_message_restores_its_own_deletion(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    place.page.select_runs([IDS[0]])
    press(opened, Qt.Key.Key_Delete)
    opened.wait_for(lambda: bar(opened) == "1 run deleted." and place.page.table.shown == 2)
    place.edits.rename(IDS[1], "renamed")
    opened.wait_for(lambda: library.run(IDS[1]).name == "renamed")
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: place.page.table.shown == 3)
    assert library.run(IDS[1]).name == "renamed"
    assert place.edits.undo_action.text() == "Undo renaming"


def test_deleting_a_run_during_its_preview_keeps_the_message(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    place.page.select_runs([IDS[0]])
    press(opened, Qt.Key.Key_Delete)
    opened.wait_for(lambda: bar(opened) == "1 run deleted.")
    place.page.preview_requested.emit(IDS[0])  # as the table does when the selection has stood still
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    QApplication.processEvents()
    assert bar(opened) == "1 run deleted."
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: names(library) == ["run 2", "run 1", "run 0"])


def test_undo_of_a_purged_run_does_not_block_later_edits(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    place.edits.delete(IDS[:1])
    opened.wait_for(lambda: place.edits.undo_action.text() == "Undo deletion of 1 run")
    place.edits.undo()
    place.edits.forget()  # as after a removal for good
    place.edits.rename(IDS[1], "renamed")
    opened.wait_for(lambda: place.edits.undo_action.text() == "Undo renaming")
    assert names(library) == ["run 2", "renamed", "run 0"]
    assert not place.edits.redo_action.isEnabled()


def test_ctrl_z_in_the_search_box_undoes_typing(opened: OpenDesktop, place: LibraryPlace, library: Library) -> None:
    place.edits.rename(IDS[1], "renamed")
    opened.wait_for(lambda: place.edits.undo_action.text() == "Undo renaming")
    search = place.page.filters.search
    opened.qtbot.keyClicks(search, "ren")
    opened.qtbot.keyClick(search, Qt.Key.Key_Z, CONTROL)
    assert search.text() == ""
    assert library.run(IDS[1]).name == "renamed"


def test_refused_change_is_reverted_in_the_table(opened: OpenDesktop, place: LibraryPlace, library: Library) -> None:
    opened.desktop.window.show_place(0)
    library.delete(IDS[0])
    place.page.rename_requested.emit(IDS[0], "too late")
    opened.wait_for(lambda: "is not in the library" in bar(opened))
    assert not place.edits.undo_action.isEnabled()
    opened.wait_for(lambda: place.page.table.shown == 2)


def show_bin(opened: OpenDesktop, deleted: int) -> None:
    """Delete so many runs, and show the bin as the user does."""
    place = opened.desktop.library
    place.page.select_runs(IDS[:deleted])
    press(opened, Qt.Key.Key_Delete)
    opened.wait_for(lambda: place.page.bin_button.text() == f"Deleted runs ({deleted})")
    place.page.bin_button.click()
    assert place.widget.currentWidget() is place.bin_page
    opened.wait_for(lambda: opened.desktop.background.is_idle)  # an earlier test's rows may still be there
    opened.wait_for(lambda: place.bin_page.table.model().rowCount() == deleted)


def test_deleted_runs_are_listed_and_restored(opened: OpenDesktop, place: LibraryPlace, library: Library) -> None:
    show_bin(opened, 2)
    page = place.bin_page
    page.table.selectRow(0)
    chosen = page.selected_ids()
    opened.qtbot.mouseClick(page.restore_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: page.table.model().rowCount() == 1)
    assert chosen[0] in {run.run_id for run in library.runs()}
    assert opened.desktop.window.focusWidget() is page.table  # not the button that empties the bin
    opened.wait_for(lambda: place.page.table.selected_ids() == chosen)
    opened.qtbot.keyClick(page.table, Qt.Key.Key_Z, CONTROL)
    opened.wait_for(lambda: page.table.model().rowCount() == 2)
    opened.qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert place.widget.currentWidget() is place.page


def test_a_restored_run_is_in_sight(opened: OpenDesktop, place: LibraryPlace) -> None:
    many = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in range(80)]
    opened.show_library(*many)
    table = place.page.table
    place.edits.delete([many[0].run_id])
    opened.wait_for(lambda: table.shown == 79)
    table.select_row(0)
    place.show_bin()
    place.edits.restore([many[0].run_id])
    opened.wait_for(lambda: table.selected_ids() == [many[0].run_id])
    place.show_table()
    assert table.viewport().rect().contains(table.visualRect(table.currentIndex()).center())


def test_the_bin_is_emptied_after_a_question_with_rows_and_ledgers(
    opened: OpenDesktop, place: LibraryPlace, library: Library
) -> None:
    ledger = ledger_path(opened.desktop.workbench.places.library, IDS[0], 1)
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(b"x" * 3_000_000)
    show_bin(opened, 2)
    page = place.bin_page
    page.empty_button.click()
    question = page.findChild(RemovalQuestion)
    assert question.text() == "Remove 2 deleted runs for good, about 3.0\u202fMB?"
    question.button(QMessageBox.StandardButton.Cancel).click()
    assert library.bin.count() == 2
    opened.wait_for(lambda: page.findChild(RemovalQuestion) is None)
    page.empty_button.click()
    page.findChild(RemovalQuestion).remove_button.click()
    opened.wait_for(lambda: page.table.model().rowCount() == 0)
    assert library.bin.count() == 0
    assert not ledger.parent.exists()
    assert names(library) == ["run 2"]
    assert not place.edits.undo_action.isEnabled()


def test_focus_stays_in_the_bin_dialog_after_emptying(opened: OpenDesktop, place: LibraryPlace, qtbot: QtBot) -> None:
    show_bin(opened, 2)
    page = place.bin_page
    page.empty_button.setFocus()
    qtbot.keyClick(page.empty_button, Qt.Key.Key_Space)
    question = page.findChild(RemovalQuestion)
    with qtbot.waitActive(question):
        question.activateWindow()
    qtbot.keyClick(question.remove_button, Qt.Key.Key_Space)
    opened.wait_for(lambda: not page.empty_button.isEnabled())
    assert opened.desktop.window.focusWidget() is page.back_button
    qtbot.keyClick(page.back_button, Qt.Key.Key_Space)
    assert place.widget.currentWidget() is place.page


def test_empty_library_can_open_its_bin(opened: OpenDesktop, place: LibraryPlace) -> None:
    place.page.select_runs(IDS)
    place.page.actions_of[RunAction.DELETE].trigger()
    opened.wait_for(place.page.empty.bin_button.isVisible)
    place.page.empty.bin_button.click()
    opened.wait_for(lambda: place.bin_page.table.model().rowCount() == 3)
