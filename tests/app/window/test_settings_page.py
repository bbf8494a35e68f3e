"""The settings' dialog: what is changed is checked, stored and applied, at once or at the next start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QFileDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.preferences import PREFERENCES
from app.settings import Settings, SettingsFile, read_settings
from app.window.file_questions import Purpose
from app.window.theme import set_text_size
from engine.databases.database import Timeouts
from engine.figure_text import use_number_format, whole
from engine.places import find_places
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.widgets.accessibility import nameless_controls
from widgets.parts.settings_dialog import SettingsDialog


@pytest.fixture
def opened(shared_window: OpenDesktop) -> Iterator[OpenDesktop]:
    """The window; afterwards its settings are the usual ones again."""
    yield shared_window
    shared_window.close_dialogs()
    for preference in PREFERENCES:
        preference.store(shared_window.desktop.settings, preference.text(Settings()))
    shared_window.desktop.settings_page.apply_exports_folder()
    shared_window.desktop.workbench.renew_timeouts()


@pytest.fixture
def dialog(opened: OpenDesktop) -> SettingsDialog:
    opened.activate()
    opened.qtbot.keyClick(opened.desktop.window, ",", Qt.KeyboardModifier.ControlModifier)
    dialog = opened.desktop.settings_page.dialog
    assert dialog is not None
    return dialog


def type_in(dialog: SettingsDialog, name: str, text: str) -> None:
    field = dialog.fields[name]
    assert isinstance(field, QLineEdit)
    field.setText(text)
    field.editingFinished.emit()


def stored(opened: OpenDesktop) -> Settings:
    return read_settings(opened.desktop.workbench.places.settings)[0]


def test_every_preference_is_shown_and_every_control_has_a_name(dialog: SettingsDialog) -> None:
    assert set(dialog.fields) == {each.name for each in PREFERENCES}
    assert nameless_controls(dialog) == []


def test_time_outs_are_stored_and_used_from_then_on(opened: OpenDesktop, dialog: SettingsDialog) -> None:
    targets = opened.desktop.workbench.targets()
    type_in(dialog, "statement-time-out", "1:30")
    opened.wait_for(lambda: targets.timeouts == Timeouts(statement_seconds=90.0))
    opened.wait_for(lambda: stored(opened).statement_seconds == 90.0)


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("statement-time-out", "soon", "Statement time-out is 'soon'; give seconds from 1 to 3600."),
        ("connect-time-out", "0", "Connect time-out is '0'; give seconds from 1 to 300."),
        ("library-folder", "/no/such/folder", "Library folder is '/no/such/folder', which is no folder here;"),
    ],
)
def test_what_can_not_be_used_is_said_below_its_field(
    opened: OpenDesktop, dialog: SettingsDialog, name: str, typed: str, sentence: str
) -> None:
    type_in(dialog, name, typed)
    opened.wait_for(lambda: dialog.notes[name].is_wrong)
    assert dialog.notes[name].text.startswith(sentence)
    assert opened.desktop.settings.statement_seconds == 30.0
    assert opened.desktop.settings.library_folder == ""


def test_what_waits_for_the_next_start_says_so(opened: OpenDesktop, dialog: SettingsDialog) -> None:
    choice = dialog.fields["text-size"]
    assert isinstance(choice, QComboBox)
    choice.setCurrentIndex(choice.findData("125%"))
    choice.activated.emit(choice.currentIndex())
    opened.wait_for(lambda: opened.desktop.settings.text_size_pct == 125)
    assert dialog.notes["text-size"].text == "Stored; takes effect when Spindle is started again."


def test_boxes_are_stored(opened: OpenDesktop, dialog: SettingsDialog) -> None:
    box = dialog.fields["notifications"]
    assert isinstance(box, QCheckBox)
    assert box.isChecked()
    box.click()
    opened.wait_for(lambda: not opened.desktop.settings.notifications)


def test_exports_begin_in_the_chosen_folder(opened: OpenDesktop, dialog: SettingsDialog, tmp_path: Path) -> None:
    choose = next(
        each for each in dialog.findChildren(QPushButton) if each.accessibleName() == "Choose the exports folder"
    )
    choose.click()
    question = next(each for each in opened.desktop.window.findChildren(QFileDialog) if each.isVisible())
    question.fileSelected.emit(str(tmp_path))
    question.close()
    opened.wait_for(lambda: opened.desktop.settings.exports_folder == str(tmp_path))
    opened.desktop.files.ask_save("Export", "run.json", "JSON (*.json)", print, purpose=Purpose.EXPORTS)
    question = next(each for each in opened.desktop.window.findChildren(QFileDialog) if each.isVisible())
    assert question.directory().absolutePath() == str(tmp_path)
    question.close()


def test_library_text_size_and_numbers_are_those_of_the_settings_at_the_start(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    usual = qapp.font().pointSizeF()
    places = find_places(tmp_path / "home")
    (tmp_path / "disk").mkdir()
    settings = Settings(text_size_pct=125, number_format="commas", library_folder=str(tmp_path / "disk"))
    SettingsFile(places.settings).snapshot(settings)()
    opened = open_desktop(qapp, qtbot, places.home)
    try:
        assert qapp.font().pointSizeF() == pytest.approx(1.25 * usual)
        assert opened.desktop.window.font().pointSizeF() == pytest.approx(1.25 * usual)
        assert whole(186_604) == "186,604"
        assert opened.desktop.workbench.library().path == tmp_path / "disk" / "library.sqlite"
    finally:
        opened.end()
        use_number_format("spaces")
        set_text_size(qapp, 100)
    assert qapp.font().pointSizeF() == usual
