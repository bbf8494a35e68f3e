"""Published results in the whole window: beside a comparison, and the user's own."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.window.file_questions import FileQuestions
from engine.analysis.comparing.references import Reference, shipped_references
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop
from widgets.library.references_dialog import ReferencesDialog

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2)]
OWN = Reference(name="Ours", source="a white paper", headline_rate=190)


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    """The window with a comparison of two runs."""
    shared_window.show_library(*RUNS)
    library = shared_window.desktop.library
    library.page.compare_requested.emit([run.run_id for run in RUNS])
    shared_window.wait_for(lambda: shared_window.desktop.background.is_idle)
    shared_window.wait_for(library.compare_page.report_button.isEnabled)
    return shared_window


def offered(opened: OpenDesktop) -> list[str]:
    menu = opened.desktop.library.compare_page.references.menu()
    return [str(action.data()) for action in menu.actions() if action.isCheckable()]


def manage(opened: OpenDesktop) -> ReferencesDialog:
    opened.desktop.library.compare_page.references.manage_action.trigger()
    dialog = opened.desktop.window.findChildren(ReferencesDialog)[-1]
    opened.wait_for(lambda: dialog.table.rowCount() >= len(shipped_references()))
    return dialog


def test_own_reference_is_added_offered_and_removed(opened: OpenDesktop) -> None:
    dialog = manage(opened)
    dialog.add_requested.emit(OWN)
    opened.wait_for(lambda: "Ours" in offered(opened))
    (own,) = dialog.table.findItems("Ours", Qt.MatchFlag.MatchExactly)
    dialog.table.selectRow(own.row())
    dialog.remove_button.click()
    opened.wait_for(lambda: "Ours" not in offered(opened))
    dialog.reject()


def test_reference_table_is_imported_completely(
    opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "own.csv"
    table.write_text("name,source,opm\nOne,a paper,100\nTwo,a paper,200\n")
    monkeypatch.setattr(FileQuestions, "ask_open", lambda _self, _title, _kind, then, **_: then([table]))
    manage(opened).import_button.click()
    opened.wait_for(lambda: {"One", "Two"} <= set(offered(opened)))


def test_dropped_reference_table_is_imported(opened: OpenDesktop, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("name,source,opm\nDropped,a paper,100\n")
    opened.desktop.window.files_dropped.emit([table])
    opened.wait_for(lambda: "Dropped" in offered(opened))


def test_a_report_of_the_comparison_is_made(opened: OpenDesktop) -> None:
    library = opened.desktop.library
    library.compare_page.report_button.click()
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    opened.wait_for(lambda: library.report_page.document is not None)
    assert "run 2" in library.report_page.view.toPlainText()
