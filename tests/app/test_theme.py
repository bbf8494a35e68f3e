from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme import Theme, Themer
from widgets.parts.look import DARK, LIGHT, Look


@pytest.fixture
def look(qtbot: QtBot) -> Look:
    return Look()


@pytest.fixture
def themer(look: Look, qapp: QApplication) -> Iterator[Themer]:
    themer = Themer(qapp, look)
    yield themer
    themer.choose(Theme.SYSTEM)
    themer.deleteLater()


def test_a_chosen_theme_is_there_at_once(themer: Themer, look: Look, qapp: QApplication, qtbot: QtBot) -> None:
    themer.choose(Theme.LIGHT)
    with qtbot.waitSignal(look.changed):
        themer.choose(Theme.DARK)
    assert look.colours is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == DARK.field
    themer.choose(Theme.LIGHT)
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == LIGHT.field
