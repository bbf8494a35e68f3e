"""Published results in the whole window: beside a comparison, and the user's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window.file_questions import FileQuestions
from engine.analysis.comparing.references import Reference, shipped_references
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.library.references_dialog import ReferencesDialog

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2)]
OWN = Reference(name="Ours", source="a white paper", headline_rate=190)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    keep(tmp_path / "home", *RUNS)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    desktop = opened.desktop
    desktop.window.show_place(2)
    opened.wait_for(lambda: desktop.library.page.table.shown == len(RUNS))
    desktop.library.page.compare_requested.emit([run.run_id for run in RUNS])
    opened.wait_for(lambda: offered(opened) != [] and desktop.library.compare_page.report_button.isEnabled())
    yield opened
    opened.end()


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
    dialog.table.selectRow(dialog.table.rowCount() - 1)
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
    opened.wait_for(lambda: library.report_page.document is not None)
    assert "run 2" in library.report_page.view.toPlainText()
