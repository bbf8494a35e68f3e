"""The window's position: always completely on the screen, whatever position was stored."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.window.geometry import fit_to_screen, fitted_in, place_first

_LAPTOP = QRect(0, 27, 1366, 741)  # below a panel


@pytest.mark.parametrize(
    ("frame", "fitted"),
    [
        (QRect(40, 50, 1000, 600), QRect(40, 50, 1000, 600)),
        (QRect(40, 50, 1280, 834), QRect(40, 27, 1280, 741)),
        (QRect(-60, 0, 1280, 700), QRect(0, 27, 1280, 700)),
        (QRect(2_000, 1_500, 800, 600), QRect(566, 168, 800, 600)),
        (QRect(0, 0, 2_560, 1_440), _LAPTOP),
    ],
    ids=["fits", "too high", "beyond the edge", "on a screen that is gone", "larger than the screen"],
)
def test_window_frame_is_fitted_to_the_screen(frame: QRect, fitted: QRect) -> None:
    assert fitted_in(frame, _LAPTOP) == fitted


def _room() -> QRect:
    screen = QGuiApplication.primaryScreen()
    assert screen is not None
    return screen.availableGeometry()


def test_the_first_window_is_on_the_screen_with_its_frame(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    place_first(window)
    title_bar = 20
    assert _room().contains(window.geometry().adjusted(0, -title_bar, 0, 0))


def test_window_saved_on_a_larger_screen_is_fitted(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setGeometry(1_900, 1_200, 3_000, 2_000)
    fit_to_screen(window)
    assert _room().contains(window.geometry())


def test_maximised_window_is_not_changed(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.showMaximized()
    before = window.geometry()
    fit_to_screen(window)
    assert window.geometry() == before
