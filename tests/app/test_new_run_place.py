"""What New run does in the background for the wizard, in the real window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.draft import PlanDraft
from engine.plan import RunPlan
from engine.plan_file import write_plan_file
from engine.target import MARIADB
from tests.app.window_parts import open_desktop


@pytest.mark.parametrize("is_installed", [True, False])
def test_the_drivers_are_looked_for_when_a_kind_needs_one(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    if not is_installed:
        monkeypatch.setattr("pyodbc.drivers", list)
    opened = open_desktop(qapp, qtbot, tmp_path)
    editor = opened.desktop.new_run.widget.targets.editor
    while editor.kind.currentData() != MARIADB:
        qtbot.keyClick(editor.kind, Qt.Key.Key_Down)
    told = "is used." if is_installed else "no ODBC driver for MariaDB is installed; "
    opened.wait_for(lambda: told.lower() in editor.form.rows["driver"].note.text.lower())
    opened.end()


def test_a_plan_file_is_opened_again_from_the_recent_ones(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    plan_file, gone = tmp_path / "night.toml", tmp_path / "gone.toml"
    write_plan_file(plan_file, RunPlan(name="night", threads=32, minutes=30))
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    place = opened.desktop.new_run
    place.recent_plans = [str(gone)]
    place.open_plan(plan_file)
    opened.wait_for(lambda: place.widget.draft.name == "night")
    assert opened.desktop.window.bar.text == "Plan file night.toml is open."
    assert place.recent_plans == [str(plan_file), str(gone)]
    opened.desktop.window.bar.action_button.click()
    assert place.widget.draft == PlanDraft()

    menu = place.widget.footer.recent.menu()
    menu.aboutToShow.emit()
    opened.wait_for(lambda: [action.isEnabled() for action in menu.actions()] == [True, False])
    menu.actions()[0].trigger()
    opened.wait_for(lambda: place.widget.draft.name == "night")
    opened.end()

    again = open_desktop(qapp, qtbot, tmp_path / "home")
    assert again.desktop.new_run.recent_plans == [str(plan_file), str(gone)]
    again.end()


def test_presets_and_targets_of_ones_own_are_there_again(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    wizard = opened.desktop.new_run.widget
    wizard.load.saved.save_wished.emit("night")
    wizard.targets.saved.save_wished.emit("practice")
    opened.end()
    again = open_desktop(qapp, qtbot, tmp_path)
    wizard = again.desktop.new_run.widget
    assert [preset.name for preset in wizard.load.own_presets] == ["night"]
    assert [saved.name for saved in wizard.targets.saved_targets] == ["practice"]
    again.end()
