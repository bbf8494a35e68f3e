"""What New run does in the background for the wizard, in the real window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

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
