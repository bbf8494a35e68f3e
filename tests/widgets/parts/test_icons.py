from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

import resources
from widgets.parts.icons import icon, set_icon
from widgets.parts.look import DARK, LIGHT, Look

NAMES = sorted(path.stem for path in (Path(resources.__file__).parent / "icons").glob("*.svg"))


def _inks(image: QImage) -> set[str]:
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {QColor(each.rgb()).name() for each in pixels if each.alpha() == 255}


@pytest.mark.parametrize("name", NAMES)
def test_an_icon_is_drawn_in_the_text_colour_of_the_look(qtbot: QtBot, name: str) -> None:
    look = Look()
    drawn = icon(name, look)
    assert _inks(drawn.pixmap(48, 48).toImage()) == {LIGHT.text}
    look.set_dark(True)
    assert _inks(drawn.pixmap(48, 48).toImage()) == {DARK.text}


def test_icon_of_a_default_button_has_the_colour_of_its_text(qtbot: QtBot) -> None:
    button = QPushButton("Stop")
    qtbot.addWidget(button)
    set_icon(button, "stop", Look())
    assert _inks(button.icon().pixmap(48, 48).toImage()) == {LIGHT.text}
    button.setDefault(True)
    assert _inks(button.icon().pixmap(48, 48).toImage()) == {LIGHT.on_selection}
