"""The library's page, driven by keys and clicks."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from engine.report.export_kind import ExportKind
from engine.report.run_listing import RunListing
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.runs import a_listing, a_stored_run, listings
from widgets.library.library_actions import RunAction
from widgets.library.library_page import LibraryPage
from widgets.library.note_dialog import NoteDialog
from widgets.library.run_columns import NAMES
from widgets.library.tag_dialog import TagDialog
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.look import Look

RUNS = listings(12)
IDS = [run.run_id for run in RUNS]
Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(look: Look, qtbot: QtBot) -> LibraryPage:
    page = LibraryPage(look)
    qtbot.addWidget(page)
    page.resize(1_180, 760)
    with qtbot.waitExposed(page):
        page.show()
    page.show_runs(RUNS)
    page.take_focus()
    return page


def test_an_empty_library_offers_the_demonstration_and_an_import(page: LibraryPage, qtbot: QtBot) -> None:
    page.show_runs([])
    with qtbot.waitSignal(page.demo_requested):
        qtbot.mouseClick(page.empty.demo_button, Qt.MouseButton.LeftButton)
    assert not page.table.isVisible()
    page.show_runs(RUNS)
    assert page.table.isVisible()


def test_ctrl_f_focuses_the_search_and_typing_filters(page: LibraryPage, qtbot: QtBot) -> None:
    page.table.setFocus()
    qtbot.keyClick(page.table, Key.Key_F, Control)
    assert page.filters.search.hasFocus()
    qtbot.keyClicks(page.filters.search, "run 12")
    qtbot.waitUntil(lambda: page.table.shown == 1)


def test_runs_of_a_campaign_are_shown_alone_in_the_order_of_their_start(page: LibraryPage, qtbot: QtBot) -> None:
    assert not page.filters.campaigns.isVisible()
    measured = [
        replace(run, campaign="night", name=f"night, stores per target 8, think time 100 ms, run {number}")
        if number < 4
        else run
        for number, run in enumerate(RUNS)
    ]
    page.show_runs(measured)
    assert page.filters.campaigns.isVisible()
    qtbot.keyClicks(page.filters.search, "xyzzy")
    page.show_campaign("night")
    model = page.table.model()
    assert [model.index(row, NAMES.index("name")).data() for row in range(model.rowCount())] == [
        run.name for run in measured[:4]
    ]
    assert not page.table.isColumnHidden(NAMES.index("campaign"))
    name = NAMES.index("name")
    assert page.table.columnWidth(name) >= page.table.sizeHintForColumn(name)
    assert page.filters.campaigns.text() == "Campaign: night"
    page.filters.clear_button.click()
    assert page.table.shown == len(RUNS)


def test_filter_without_matches_can_be_cleared_in_the_table_area(page: LibraryPage, qtbot: QtBot) -> None:
    qtbot.keyClicks(page.filters.search, "xyzzy")
    assert page.no_match.isVisible()
    qtbot.mouseClick(page.no_match.clear_button, Qt.MouseButton.LeftButton)
    assert page.table.isVisible()
    assert page.table.shown == len(RUNS)


def test_a_run_is_to_be_selected_only_where_there_is_one(page: LibraryPage, qtbot: QtBot) -> None:
    def is_asked() -> bool:
        return any(label.text() == "Select a run to see its chart." for label in page.preview.findChildren(QLabel))

    qtbot.keyClicks(page.filters.search, "xyzzy")
    qtbot.waitUntil(page.no_match.isVisible)
    qtbot.waitUntil(lambda: not is_asked())
    page.no_match.clear_button.click()
    qtbot.waitUntil(is_asked)


def test_preview_is_requested_once_after_fast_navigation(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs([IDS[11]])
    requested: list[str] = []
    page.preview_requested.connect(requested.append)
    for _ in range(3):
        qtbot.keyClick(page.table, Key.Key_Down)
    with qtbot.waitSignal(page.preview_requested):
        pass
    assert requested == [IDS[8]]


def test_late_preview_is_ignored(page: LibraryPage) -> None:
    record, run = a_stored_run()
    page.show_runs([*RUNS, RunListing.of(record)])
    page.select_runs([IDS[0]])
    page.show_preview(record.run_id, run)
    assert not page.preview.chart.isVisible()
    page.select_runs([record.run_id])
    page.show_preview(record.run_id, run)
    assert page.preview.chart.isVisible()


def test_enter_opens_f2_renames_and_delete_deletes(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs([IDS[3]])
    page.table.setFocus()
    with qtbot.waitSignal(page.open_requested) as signal:
        qtbot.keyClick(page.table, Key.Key_Return)
    assert signal.args == [IDS[3]]
    qtbot.keyClick(page.table, Key.Key_F2)
    editor = page.table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, " again")
    with qtbot.waitSignal(page.rename_requested) as signal:
        qtbot.keyClick(editor, Key.Key_Return)
    assert signal.args[0] == IDS[3]
    page.table.setFocus()
    with qtbot.waitSignal(page.delete_requested) as signal:
        qtbot.keyClick(page.table, Key.Key_Delete)
    assert signal.args == [[IDS[3]]]


def test_delete_key_in_the_search_box_edits_text(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs([IDS[3]])
    page.filters.search.setText("run")
    assert page.table.selected_ids() == [IDS[3]]
    page.filters.search.setFocus()
    page.filters.search.setCursorPosition(0)
    with qtbot.assertNotEmitted(page.delete_requested):
        qtbot.keyClick(page.filters.search, Key.Key_Delete)
    assert page.filters.search.text() == "un"


def test_two_to_eight_runs_are_compared_in_the_order_of_the_table(page: LibraryPage, qtbot: QtBot) -> None:
    compare = page.actions_of[RunAction.COMPARE]
    page.select_runs(IDS[:1])
    assert not compare.isEnabled()
    page.select_runs(IDS[:9])
    assert not compare.isEnabled()
    page.select_runs(IDS[2:5])
    with qtbot.waitSignal(page.compare_requested) as signal:
        qtbot.keyClick(page.table, Key.Key_C, Control | Qt.KeyboardModifier.ShiftModifier)
    assert signal.args == [[IDS[4], IDS[3], IDS[2]]]


def test_first_run_is_selected_and_previewed(page: LibraryPage) -> None:
    assert page.table.selected_ids() == [page.table.previewed_id()]
    assert page.preview.run_id == page.table.previewed_id()


def test_an_export_names_runs_and_kind(page: LibraryPage, qtbot: QtBot) -> None:
    page.table.clearSelection()
    assert not page.export_button.isEnabled()
    page.select_runs(IDS[:2])
    with qtbot.waitSignal(page.export_requested) as signal:
        page.export_button.choices.actions()[1].trigger()
    assert signal.args == [[IDS[1], IDS[0]], ExportKind.CSV]


def test_context_menu_has_the_button_actions(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs(IDS[:1])
    menu = page.context_menu()
    texts = [action.text() for action in menu.actions() if action.text()]
    offered = ["Open", "Compare", "Rename", "Tag…", "Note…", "Duplicate as new plan", "Run set", "Export", "Report…"]
    assert texts == [*offered, "Copy", "Delete"]
    with qtbot.waitSignal(page.export_requested) as signal:
        menu.actions()[7].menu().actions()[0].trigger()
    assert signal.args == [[IDS[0]], ExportKind.JSON]
    with qtbot.waitSignal(page.duplicate_requested) as signal:
        menu.actions()[5].trigger()
    assert signal.args == [IDS[0]]
    menu.close()


def test_tags_and_note_dialogs_are_requested(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs(IDS[:2])
    qtbot.keyClick(page.table, Key.Key_T, Control)
    tags = page.findChild(TagDialog)
    qtbot.keyClicks(tags.new_tags, "raid")
    with qtbot.waitSignal(page.tags_requested) as signal:
        qtbot.keyClick(tags.new_tags, Key.Key_Return)
    assert signal.args == [[IDS[1], IDS[0]], ["raid"], []]
    page.select_runs(IDS[:1])
    qtbot.keyClick(page.table, Key.Key_E, Control)
    note = page.findChild(NoteDialog)
    qtbot.keyClicks(note.text, "new disks")
    with qtbot.waitSignal(page.note_requested) as signal:
        note.accept()
    assert signal.args == [IDS[0], "new disks"]


def test_import_is_enabled_without_a_selection(page: LibraryPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.import_requested):
        page.actions_of[RunAction.IMPORT].trigger()


OTHER_NAME = [replace(RUNS[0], name="renamed"), *RUNS[1:]]


def names_of(page: LibraryPage) -> set[str]:
    model, column = page.table.model(), NAMES.index("name")
    return {str(model.index(row, column).data()) for row in range(page.table.shown)}


def rename(page: LibraryPage, run_id: str, typed: str, qtbot: QtBot) -> QLineEdit:
    """Type a name without ending it; the editor."""
    page.select_runs([run_id])
    page.actions_of[RunAction.RENAME].trigger()
    editor = page.table.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, typed)
    return editor


@pytest.mark.parametrize("newer", [OTHER_NAME, [*OTHER_NAME, a_listing(13)]], ids=["same rows", "a new row"])
def test_refresh_keeps_the_name_editor_open(page: LibraryPage, newer: Sequence[RunListing], qtbot: QtBot) -> None:
    editor = rename(page, IDS[1], "raid 10", qtbot)
    page.show_runs(newer)
    assert page.table.viewport().findChild(QLineEdit) is editor
    assert editor.text() == "raid 10"
    with qtbot.waitSignal(page.rename_requested) as signal:
        qtbot.keyClick(editor, Key.Key_Return)
    assert signal.args == [IDS[1], "raid 10"]
    qtbot.waitUntil(lambda: "renamed" in names_of(page))
    assert names_of(page) == {"raid 10", *(run.name for run in newer if run.run_id != IDS[1])}
    assert page.table.selected_ids() == [IDS[1]]


def test_refresh_is_applied_after_editing_is_cancelled(page: LibraryPage, qtbot: QtBot) -> None:
    editor = rename(page, IDS[1], "raid 10", qtbot)
    page.show_runs(OTHER_NAME)
    with qtbot.assertNotEmitted(page.rename_requested):
        qtbot.keyClick(editor, Key.Key_Escape)
        qtbot.waitUntil(lambda: "renamed" in names_of(page))
    assert names_of(page) == {run.name for run in OTHER_NAME}


def test_columns_and_divider_are_remembered(page: LibraryPage, look: Look, qtbot: QtBot) -> None:
    page.table.setColumnHidden(NAMES.index("size"), True)
    other = LibraryPage(look)
    qtbot.addWidget(other)
    other.restore_layout(page.save_layout())
    assert other.table.isColumnHidden(NAMES.index("size"))
    other.restore_layout({})


def test_every_control_has_a_name(page: LibraryPage) -> None:
    page.select_runs(IDS[:1])
    assert nameless_controls(page) == []


def test_tab_reaches_search_filters_table_and_buttons(page: LibraryPage, qtbot: QtBot) -> None:
    page.select_runs(IDS[:1])
    page.filters.search.setFocus()
    seen = []
    widget = page.filters.search
    while widget not in seen:
        seen.append(widget)
        qtbot.keyClick(page.focusWidget(), Key.Key_Tab)
        widget = page.focusWidget()
    texts = [each.text() for each in seen if hasattr(each, "text")]
    assert {"State", "Target", "Date", "Open", "Rename", "Export", "Import…", "Delete"} <= set(texts)
    assert page.table in seen


def test_counts_move_below_the_buttons_in_a_narrow_window(page: LibraryPage, qtbot: QtBot) -> None:
    (counts,) = (label for label in page.findChildren(ElidedLabel) if "compare takes" in label.text())
    for width, is_below in ((1_500, False), (900, True), (1_500, False)):
        page.resize(width, 760)
        QApplication.processEvents()
        assert counts.shown_text == counts.text()
        assert (counts.y() >= page.export_button.y() + page.export_button.height()) is is_below
