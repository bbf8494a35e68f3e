"""A dialog has room for its text where its screen has, and is never larger than that."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from widgets.parts.dialog_size import resize_to_text


class Screen:
    """A small screen, which this machine lacks."""

    def availableSize(self) -> QSize:  # noqa: N802
        return QSize(1_000, 600)


class OnSmallScreen(QDialog):
    def screen(self) -> Screen:
        return Screen()


def test_a_dialog_is_as_large_as_its_text_and_smaller_than_its_screen(qtbot: QtBot) -> None:
    dialog = OnSmallScreen()
    qtbot.addWidget(dialog)
    metrics = dialog.fontMetrics()
    resize_to_text(dialog, 30, 1_000)
    assert dialog.width() == 30 * metrics.averageCharWidth()
    assert 500 < dialog.height() < 600
    resize_to_text(dialog, 1_000, 10)
    assert 900 <= dialog.width() < 1_000
    assert dialog.height() == 10 * metrics.lineSpacing()
