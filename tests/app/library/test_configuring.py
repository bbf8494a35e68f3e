"""Configurations in the whole window: saved for runs and for sets, from a form and from files."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.window.file_questions import FileQuestions
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop
from widgets.library.configuration_dialog import ConfigurationDialog
from widgets.library.references_dialog import ReferencesDialog

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2, 3)]
IDS = [run.run_id for run in RUNS]


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library(*RUNS)
    shared_window.desktop.workbench.library().sets.make("SSD", IDS[:2])
    shared_window.reload_library(len(RUNS))
    return shared_window


def dialog_of(opened: OpenDesktop) -> ConfigurationDialog:
    window = opened.desktop.window
    opened.wait_for(lambda: bool(window.findChildren(ConfigurationDialog)))
    return window.findChildren(ConfigurationDialog)[-1]


def ask(opened: OpenDesktop, run_ids: list[str]) -> ConfigurationDialog:
    page = opened.desktop.library.page
    page.select_runs(run_ids)
    page.sets.configuration_action.trigger()
    return dialog_of(opened)


def save(opened: OpenDesktop, dialog: ConfigurationDialog, name: str) -> None:
    dialog.form.name.clear()
    opened.qtbot.keyClicks(dialog.form.name, name)
    dialog.save_button.click()
    opened.wait_for(lambda: f"“{name}” was saved" in opened.desktop.window.bar.text)


def test_new_configuration_is_assigned_to_a_set(opened: OpenDesktop) -> None:
    dialog = ask(opened, IDS[:2])
    dialog.choice.setCurrentIndex(1)
    save(opened, dialog, "R630")
    library = opened.desktop.workbench.library()
    assert library.sets.get("SSD").configuration == "R630"
    of_run = library.configurations.of_run(IDS[0])
    assert of_run is not None
    assert of_run.name == "R630"


def test_configuration_is_assigned_to_runs_and_undone(opened: OpenDesktop) -> None:
    dialog = ask(opened, IDS[1:])
    dialog.choice.setCurrentIndex(1)
    save(opened, dialog, "Blade")
    library = opened.desktop.workbench.library()
    assert library.configurations.use("Blade").run_ids == tuple(IDS[:0:-1])
    opened.wait_for(lambda: not opened.desktop.window.findChildren(ConfigurationDialog))
    dialog = ask(opened, IDS[2:])
    assert dialog.choice.currentText() == "Blade"
    dialog.choice.setCurrentIndex(0)
    dialog.save_button.click()
    opened.wait_for(lambda: library.configurations.of_run(IDS[2]) is None)


def test_dropped_bill_opens_the_configuration_dialog(opened: OpenDesktop, tmp_path: Path) -> None:
    bill = tmp_path / "R630.csv"
    bill.write_text("name,count,price\nserver,1,7994.88\nSSD,6,500\n")
    opened.desktop.window.files_dropped.emit([bill])
    dialog = dialog_of(opened)
    assert dialog.form.name.text() == "R630"
    dialog.save_button.click()
    opened.wait_for(lambda: "“R630” was saved" in opened.desktop.window.bar.text)
    assert str(opened.desktop.workbench.library().configurations.get("R630").bill().total) == "10994.88"


def test_the_items_of_a_bill_are_read_into_the_form(
    opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bill = tmp_path / "bill.csv"
    bill.write_text("name,count,price\nserver,2,1000\n")
    monkeypatch.setattr(FileQuestions, "ask_open", lambda _self, _title, _kind, then, **_: then([bill]))
    dialog = ask(opened, IDS[2:])
    dialog.choice.setCurrentIndex(1)
    dialog.form.items_button.click()
    opened.wait_for(lambda: dialog.form.items.rows() == [("server", "2", "1000")])
    save(opened, dialog, "Two servers")


def test_used_configuration_is_not_deleted(opened: OpenDesktop) -> None:
    dialog = ask(opened, IDS[2:])
    dialog.choice.setCurrentIndex(1)
    save(opened, dialog, "Blade")
    opened.wait_for(lambda: not opened.desktop.window.findChildren(ConfigurationDialog))
    ask(opened, IDS[2:]).delete_button.click()
    opened.wait_for(lambda: "is used by run" in opened.desktop.window.bar.text)


def menu_action(opened: OpenDesktop, text: str) -> QAction:
    """An entry of the window's menu."""
    actions = [action for menu in opened.desktop.window.findChildren(QMenu) for action in menu.actions()]
    return next(action for action in actions if action.text() == text)


def test_configurations_are_reached_from_the_menu_whatever_is_shown(opened: OpenDesktop) -> None:
    opened.desktop.window.show_place(0)
    menu_action(opened, "Configurations…").trigger()
    dialog = dialog_of(opened)
    assert dialog.form.name.text() == ""
    save(opened, dialog, "R630")
    menu_action(opened, "Configurations…").trigger()
    opened.wait_for(lambda: dialog_of(opened) is not dialog)
    assert dialog_of(opened).form.name.text() == "R630"
    dialog_of(opened).reject()


def test_published_results_are_reached_from_the_menu(opened: OpenDesktop) -> None:
    menu_action(opened, "Published results…").trigger()
    opened.wait_for(lambda: bool(opened.desktop.window.findChildren(ReferencesDialog)))
    dialog = opened.desktop.window.findChildren(ReferencesDialog)[-1]
    opened.wait_for(lambda: dialog.table.rowCount() > 0)
    dialog.reject()
