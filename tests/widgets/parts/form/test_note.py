import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from widgets.parts.form.note import FormNote, IconBox
from widgets.parts.look import DARK, LIGHT, Look


@pytest.fixture
def look(qapp: object) -> Look:
    return Look()


@pytest.fixture
def note(qtbot: QtBot, look: Look) -> FormNote:
    made = FormNote(look)
    qtbot.addWidget(made)
    made.show()
    return made


def _icon_is_shown(note: FormNote) -> bool:
    return note.findChild(IconBox).isVisible()


def test_error_has_shape_and_text_besides_colour(note: FormNote, look: Look) -> None:
    note.show_help("One server, or several.")
    assert (note.text, note.is_wrong, _icon_is_shown(note)) == ("One server, or several.", False, False)
    note.show_wrong("Hosts is empty.")
    assert (note.text, note.is_wrong, _icon_is_shown(note)) == ("Hosts is empty.", True, True)
    assert note.findChild(QLabel).palette().color(QPalette.ColorRole.WindowText).name() == LIGHT.bad
    look.set_dark(True)
    assert note.findChild(QLabel).palette().color(QPalette.ColorRole.WindowText).name() == DARK.bad


def test_results_and_active_work_have_unique_shapes(note: FormNote) -> None:
    pictures = []
    for show in (note.show_good, note.show_busy, note.show_wrong):
        show("looked at")
        assert not note.is_wrong or show == note.show_wrong
        pictures.append(note.findChild(IconBox).grab().toImage())
    assert pictures[0] != pictures[1] != pictures[2] != pictures[0]


def test_cleared_note_keeps_its_height(note: FormNote) -> None:
    note.show_good("Done.")
    height = note.sizeHint().height()
    note.clear()
    assert note.text == ""
    assert note.sizeHint().height() >= min(height, note.fontMetrics().height())
