from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.parts.saved_menu import NameDialog, SavedMenu


@pytest.fixture
def menu(qtbot: QtBot) -> Iterator[SavedMenu]:
    window = QWidget()
    qtbot.addWidget(window)
    made = SavedMenu("target", Look(), lists=True, parent=window)
    made.show_names(["db1 & db2", "R630"], reserved=["own"])
    window.show()
    yield made
    window.close()


def _action(menu: QMenu, title: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == title)


def _dialog(menu: SavedMenu) -> NameDialog:
    assert menu.dialog is not None
    return menu.dialog


def test_saved_entry_is_selected_by_name(qtbot: QtBot, menu: SavedMenu) -> None:
    with qtbot.waitSignal(menu.chosen) as chosen:
        _action(menu.menu(), "db1 && db2").trigger()
    assert chosen.args == ["db1 & db2"]


def test_entered_values_are_saved_under_a_name(qtbot: QtBot, menu: SavedMenu) -> None:
    menu.show_saveable("R740", is_saveable=True)
    _action(menu.menu(), "Save this target as…").trigger()
    dialog = _dialog(menu)
    assert dialog.name.text() == "R740"
    dialog.name.setText("r630")
    assert (dialog.note.text, dialog.note.is_wrong) == ("This replaces “r630”.", False)
    dialog.name.setText("own")
    assert not dialog.accept_button.isEnabled()
    assert dialog.note.is_wrong
    dialog.name.setText(" R750 ")
    with qtbot.waitSignal(menu.save_requested) as saved:
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    assert saved.args == ["R750"]


def test_invalid_values_can_not_be_saved(menu: SavedMenu) -> None:
    menu.show_saveable("", is_saveable=False)
    assert not _action(menu.menu(), "Save this target as…").isEnabled()


def test_entry_can_not_be_renamed_to_an_existing_name(qtbot: QtBot, menu: SavedMenu) -> None:
    _action(_action(menu.menu(), "Rename").menu(), "R630").trigger()
    dialog = _dialog(menu)
    dialog.name.setText("DB1 & db2")
    assert not dialog.accept_button.isEnabled()
    dialog.name.setText("R640")
    with qtbot.waitSignal(menu.rename_requested) as renamed:
        dialog.accept_button.click()
    assert renamed.args == ["R630", "R640"]


def test_entry_is_deleted(qtbot: QtBot, menu: SavedMenu) -> None:
    with qtbot.waitSignal(menu.delete_requested) as deleted:
        _action(_action(menu.menu(), "Delete").menu(), "R630").trigger()
    assert deleted.args == ["R630"]
    menu.show_names([])
    assert not _action(menu.menu(), "Delete").isEnabled()


def test_every_control_has_a_name(menu: SavedMenu) -> None:
    _action(menu.menu(), "Save this target as…").trigger()
    assert nameless_controls(menu) == []
    assert nameless_controls(_dialog(menu)) == []
