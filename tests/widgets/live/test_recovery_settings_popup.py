"""How recoveries are judged, set by keys."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.settings import RecoverySettings
from widgets.live.recovery_settings_popup import RecoverySettingsPopup

KEPT = RecoverySettings(threshold_pct=90, baseline_seconds=120, after_seconds=30)


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    page = QWidget()
    qtbot.addWidget(page)
    return page


@pytest.fixture
def popup(page: QWidget) -> RecoverySettingsPopup:
    popup = RecoverySettingsPopup(KEPT, page)
    popup.show()
    return popup


def test_popup_shows_the_settings(popup: RecoverySettingsPopup) -> None:
    assert popup.threshold.text() == "90.0 %"
    assert popup.hold.text() == "5 s"
    assert popup.window_seconds.text() == "120 s"


def test_change_keeps_hidden_settings(qtbot: QtBot, popup: RecoverySettingsPopup) -> None:
    with qtbot.waitSignal(popup.settings_changed) as changed:
        qtbot.keyClick(popup.threshold, Qt.Key.Key_Up)
    assert changed.args == [RecoverySettings(threshold_pct=91, baseline_seconds=120, after_seconds=30)]


def test_all_settable_values_are_valid(qtbot: QtBot, popup: RecoverySettingsPopup) -> None:
    expected: list[RecoverySettings] = []
    popup.settings_changed.connect(expected.append)
    for box in (popup.threshold, popup.hold, popup.window_seconds):
        for value in (box.minimum(), box.maximum()):
            box.setValue(value)
    assert (expected[-1].threshold_pct, expected[-1].hold_seconds, expected[-1].baseline_seconds) == (100, 30, 3_600)


def test_defaults_are_restored(qtbot: QtBot, popup: RecoverySettingsPopup) -> None:
    with qtbot.waitSignals([popup.settings_changed] * 2):
        qtbot.mouseClick(popup.defaults, Qt.MouseButton.LeftButton)
    assert popup.threshold.value() == RecoverySettings().threshold_pct
    assert popup.window_seconds.value() == RecoverySettings().baseline_seconds
