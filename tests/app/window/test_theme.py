import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QRadioButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.window.theme import Theme, Themer, style_sheet_of
from tests.widgets.parts.test_look import contrast
from widgets.parts.fonts import scaled
from widgets.parts.look import DARK, LIGHT, Colours, Look

_VISIBLE = 3.0  # WCAG 2.1, contrast of what a control is known by


@pytest.fixture
def look(qtbot: QtBot) -> Look:
    return Look()


@pytest.fixture
def themer(look: Look, qapp: QApplication) -> Iterator[Themer]:
    themer = Themer(qapp, look)
    themer.apply_style_sheet()
    yield themer
    themer.choose(Theme.SYSTEM)
    themer.deleteLater()


def test_selected_theme_applies_immediately(themer: Themer, look: Look, qapp: QApplication, qtbot: QtBot) -> None:
    themer.choose(Theme.LIGHT)
    with qtbot.waitSignal(look.changed):
        themer.choose(Theme.DARK)
    assert look.colours is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == DARK.field
    themer.choose(Theme.LIGHT)
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == LIGHT.field


def a_list(_: str) -> QListWidget:
    boxes = QListWidget()
    QListWidgetItem("not ticked", boxes).setCheckState(Qt.CheckState.Unchecked)
    return boxes


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
@pytest.mark.parametrize("make", [QCheckBox, QRadioButton, a_list])
def test_unchecked_box_is_visible(make: Callable[[str], QWidget], theme: Theme, themer: Themer, qtbot: QtBot) -> None:
    themer.choose(theme)
    widget = make("")
    qtbot.addWidget(widget)
    widget.show()
    painted = widget.viewport().grab() if isinstance(widget, QListWidget) else widget.grab()
    image = painted.toImage()
    middle = image.height() // 2 if not isinstance(widget, QListWidget) else 12
    row = [image.pixelColor(x, middle).name() for x in range(image.width())]
    assert max(contrast(colour, row[-1]) for colour in row) >= _VISIBLE


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_style_sheet_images_exist(colours: Colours) -> None:
    pictures = re.findall(r"url\(([^)]+)\)", style_sheet_of(colours))
    assert len(pictures) > 10
    assert [each for each in pictures if not Path(each).is_file()] == []


def test_font_survives_a_theme_change(themer: Themer, qtbot: QtBot) -> None:
    themer.choose(Theme.LIGHT)
    button = QPushButton("Window 10 s")
    qtbot.addWidget(button)
    for is_bold in (True, False):
        font = button.font()
        font.setBold(is_bold)
        button.setFont(font)
        button.sizeHint()
    themer.choose(Theme.DARK)
    assert not button.font().bold()


def test_a_button_in_a_field_is_in_its_middle(themer: Themer, qtbot: QtBot) -> None:
    field = QLineEdit("text")
    qtbot.addWidget(field)
    field.setFont(scaled(field.font(), 2.0))
    field.setClearButtonEnabled(True)
    with qtbot.waitExposed(field):
        field.show()
    (button,) = field.findChildren(QToolButton)
    assert abs(button.geometry().center().y() - field.rect().center().y()) <= 1
