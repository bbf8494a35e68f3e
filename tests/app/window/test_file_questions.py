"""File dialogs begin where the last file of the same purpose was."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.window.file_questions import FileQuestions, Purpose


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    """Qt's own dialogs, which can be typed into; the system's can't be reached by a test."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    yield window
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, False)


def dialog_of(window: QWidget) -> QFileDialog:
    return window.findChildren(QFileDialog)[-1]


def type_path(qtbot: QtBot, dialog: QFileDialog, path: Path) -> None:
    """Type a path, and press Enter."""
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    name.setText(str(path))
    qtbot.keyClick(name, Qt.Key.Key_Return)


def test_typed_path_is_the_next_dialogs_folder(window: QWidget, qtbot: QtBot, tmp_path: Path) -> None:
    files, chosen = FileQuestions(window), []
    (tmp_path / "plans").mkdir()
    plan = tmp_path / "plans" / "nightly.toml"
    plan.write_text("")
    files.ask_open("Open a plan file", "Plan files (*.toml)", chosen.append, purpose=Purpose.PLANS)
    with qtbot.waitSignal(files.changed):
        type_path(qtbot, dialog_of(window), plan)
    assert chosen == [[plan]]
    files.ask_save("Save the plan", "other.toml", "Plan files (*.toml)", chosen.append, purpose=Purpose.PLANS)
    assert Path(dialog_of(window).directory().absolutePath()) == plan.parent
    dialog_of(window).reject()
    files.ask_save("JSON", "run.json", "JSON (*.json)", chosen.append, purpose=Purpose.EXPORTS)
    type_path(qtbot, dialog_of(window), tmp_path / "run")
    assert chosen[-1] == tmp_path / "run.json"
    files.ask_open("Open a plan file", "Plan files (*.toml)", chosen.append, purpose=Purpose.PLANS)
    assert Path(dialog_of(window).directory().absolutePath()) == plan.parent
    dialog_of(window).reject()
    assert files.folders == {"plans": str(plan.parent), "exports": str(tmp_path)}


def test_cancelled_dialog_is_not_remembered(window: QWidget, qtbot: QtBot, tmp_path: Path) -> None:
    files = FileQuestions(window)
    files.remember({"exports": str(tmp_path)})
    files.ask_folder("A folder", lambda _: None, purpose=Purpose.EXPORTS)
    dialog = dialog_of(window)
    assert Path(dialog.directory().absolutePath()) == tmp_path
    dialog.setDirectory(str(tmp_path.parent))
    dialog.reject()
    assert files.folders == {"exports": str(tmp_path)}
