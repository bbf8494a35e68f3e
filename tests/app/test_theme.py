from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QListWidget, QListWidgetItem, QRadioButton, QStyle, QWidget
from pytestqt.qtbot import QtBot

from app.theme import Theme, Themer
from tests.widgets.parts.test_look import contrast
from widgets.parts.cell_delegates import BoxDelegate
from widgets.parts.look import DARK, LIGHT, Look

_VISIBLE = 3.0  # WCAG 2.1, contrast of what a control is known by


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


def a_list(_: str) -> QListWidget:
    boxes = QListWidget()
    boxes.setItemDelegate(BoxDelegate(boxes))
    QListWidgetItem("not ticked", boxes).setCheckState(Qt.CheckState.Unchecked)
    return boxes


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
@pytest.mark.parametrize("make", [QCheckBox, QRadioButton, a_list])
def test_a_box_that_is_not_ticked_can_be_seen(
    make: Callable[[str], QWidget], theme: Theme, themer: Themer, qtbot: QtBot
) -> None:
    themer.choose(theme)
    widget = make("")
    qtbot.addWidget(widget)
    widget.show()
    painted = widget.viewport().grab() if isinstance(widget, QListWidget) else widget.grab()
    image = painted.toImage()
    row = widget.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorHeight) // 2
    ground = image.pixelColor(0, 0).name()
    assert max(contrast(image.pixelColor(x, row).name(), ground) for x in range(2, 12)) >= _VISIBLE
