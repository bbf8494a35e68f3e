"""Extend and Stop by keys and clicks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from engine.record.record import RunState
from tests.widgets.accessibility import nameless_controls
from widgets.live.run_buttons import RunButtons
from widgets.live.stop_popover import StopPopover
from widgets.parts.look import Look


@pytest.fixture
def buttons(qtbot: QtBot) -> RunButtons:
    buttons = RunButtons(Look())
    qtbot.addWidget(buttons)
    buttons.show_state(RunState.MEASURING, has_end=True)
    with qtbot.waitActive(buttons):
        buttons.show()
        buttons.activateWindow()
    return buttons


def button(buttons: RunButtons, text: str) -> QToolButton:
    return next(each for each in buttons.findChildren(QToolButton) if each.text() == text)


def choose(of: QToolButton, text: str) -> None:
    menu = of.menu()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == text).trigger()


@pytest.mark.parametrize(("text", "seconds"), [("1 min", 60), ("5 min", 300), ("15 min", 900), ("30 min", 1_800)])
def test_a_run_is_extended_by_minutes(qtbot: QtBot, buttons: RunButtons, text: str, seconds: int) -> None:
    with qtbot.waitSignal(buttons.extend_requested) as requested:
        choose(button(buttons, "Extend"), text)
    assert requested.args == [seconds]


def test_the_open_menu_closes_when_the_run_ends(qtbot: QtBot, buttons: RunButtons) -> None:
    menu = button(buttons, "Extend").menu()
    assert isinstance(menu, QMenu)
    menu.popup(buttons.mapToGlobal(buttons.rect().bottomLeft()))
    qtbot.waitUntil(menu.isVisible)
    buttons.show_state(RunState.MEASURING, has_end=True)
    assert menu.isVisible()
    buttons.show_state(RunState.COMPLETED, has_end=True)
    assert not menu.isVisible()


def test_custom_minutes_are_entered_in_place(qtbot: QtBot, buttons: RunButtons) -> None:
    extend = button(buttons, "Extend")
    choose(extend, "Other…")
    minutes = buttons.findChildren(QSpinBox)[0]
    qtbot.waitUntil(minutes.hasFocus)
    minutes.selectAll()
    qtbot.keyClicks(minutes, "7")
    with qtbot.waitSignal(buttons.extend_requested) as requested:
        qtbot.keyClick(minutes, Qt.Key.Key_Return)
    assert requested.args == [420]
    assert not minutes.isVisible()
    assert extend.isVisible()


def test_escape_closes_the_question_without_extending(qtbot: QtBot, buttons: RunButtons) -> None:
    choose(button(buttons, "Extend"), "Other…")
    minutes = buttons.findChildren(QSpinBox)[0]
    with qtbot.assertNotEmitted(buttons.extend_requested):
        qtbot.keyClick(minutes, Qt.Key.Key_Escape)
    assert not minutes.isVisible()


def asked(qtbot: QtBot, buttons: RunButtons) -> StopPopover:
    """Press the button that stops; what it asks."""
    press = next(each for each in buttons.findChildren(QPushButton) if each.text().endswith("…"))
    qtbot.mouseClick(press, Qt.MouseButton.LeftButton)
    popover = buttons.findChild(StopPopover)
    assert popover is not None
    assert popover.isVisible()
    return popover


def test_single_click_does_not_stop(qtbot: QtBot, buttons: RunButtons) -> None:
    with qtbot.assertNotEmitted(buttons.stop_requested), qtbot.assertNotEmitted(buttons.stop_now_requested):
        popover = asked(qtbot, buttons)
        qtbot.keyClick(popover, Qt.Key.Key_Escape)
        assert not popover.isVisible()
        qtbot.mouseClick(asked(qtbot, buttons).keep, Qt.MouseButton.LeftButton)
    assert not popover.isVisible()


def test_stop_menu_opens_below_its_button(qtbot: QtBot, buttons: RunButtons) -> None:
    popover = asked(qtbot, buttons)
    press = next(each for each in buttons.findChildren(QPushButton) if each.text() == "Stop…")
    assert popover.y() >= press.mapToGlobal(press.rect().bottomLeft()).y()


def test_enter_stops_in_order(qtbot: QtBot, buttons: RunButtons) -> None:
    popover = asked(qtbot, buttons)
    with qtbot.waitSignal(buttons.stop_requested), qtbot.assertNotEmitted(buttons.stop_now_requested):
        qtbot.keyClick(popover.stop, Qt.Key.Key_Return)
    assert not popover.isVisible()


def test_stop_now_is_a_separate_choice(qtbot: QtBot, buttons: RunButtons) -> None:
    popover = asked(qtbot, buttons)
    assert popover.stop.accessibleDescription() != popover.stop_now.accessibleDescription() != ""
    with qtbot.waitSignal(buttons.stop_now_requested), qtbot.assertNotEmitted(buttons.stop_requested):
        qtbot.mouseClick(popover.stop_now, Qt.MouseButton.LeftButton)


def test_run_is_stopped_by_keyboard(qtbot: QtBot, buttons: RunButtons) -> None:
    stop = next(each for each in buttons.findChildren(QPushButton) if each.text() == "Stop…")
    assert stop.focusPolicy() & Qt.FocusPolicy.TabFocus
    stop.setFocus()
    qtbot.keyClick(stop, Qt.Key.Key_Space)
    popover = buttons.findChild(StopPopover)
    assert popover is not None
    with qtbot.waitSignal(buttons.stop_requested):
        qtbot.keyClick(popover.stop, Qt.Key.Key_Return)


def test_stopping_run_can_only_be_stopped_at_once(qtbot: QtBot, buttons: RunButtons) -> None:
    popover = asked(qtbot, buttons)
    buttons.show_state(RunState.STOPPING, has_end=True)
    assert not popover.isVisible()
    assert not button(buttons, "Extend").isEnabled()
    popover = asked(qtbot, buttons)
    assert not popover.stop.isVisible()
    with qtbot.waitSignal(buttons.stop_now_requested):
        qtbot.mouseClick(popover.stop_now, Qt.MouseButton.LeftButton)


def test_run_without_an_end_can_not_be_extended(buttons: RunButtons) -> None:
    buttons.show_state(RunState.MEASURING, has_end=False)
    extend = button(buttons, "Extend")
    assert not extend.isEnabled()
    assert "until it is stopped" in extend.toolTip()


def test_every_control_has_a_name(buttons: RunButtons) -> None:
    assert nameless_controls(buttons) == []
