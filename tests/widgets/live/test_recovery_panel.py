"""The recovery panel second by second: steady, down, degraded, recovered, and what can come between."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.judging import recoveries_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.record.record import RunState
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from tests.texts import plain
from tests.widgets.accessibility import nameless_controls
from widgets.live.recovery_panel import RecoveryPanel
from widgets.live.recovery_settings_popup import RecoverySettingsPopup
from widgets.parts.look import Look

_ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def panel(qtbot: QtBot) -> RecoveryPanel:
    panel = RecoveryPanel(Look())
    qtbot.addWidget(panel)
    panel.resize(panel.minimumSizeHint().width(), 260)
    with qtbot.waitActive(panel):
        panel.show()
        panel.activateWindow()
    return panel


def show(panel: RecoveryPanel, faulted: FaultedRun, second: int) -> None:
    run = faulted.advance_to(second)
    panel.show_recoveries(run, recoveries_of(run))


def test_panel_follows_a_fault_until_recovered(panel: RecoveryPanel) -> None:
    faulted, words = FaultedRun(2), []
    for second in range(151, 201):
        show(panel, faulted, second)
        words.append(panel.card.word)
    assert list(dict.fromkeys(words)) == ["STEADY", "DOWN", "DEGRADED", "RECOVERED"]
    assert words[:5] == ["STEADY", "DOWN", "DOWN", "DOWN", "DOWN"]
    assert panel.title == "Enclosure pulled  2:00.4"
    assert panel.card.clock == "16.6\u202fs"


def test_panel_size_does_not_depend_on_values(panel: RecoveryPanel) -> None:
    faulted, sizes = FaultedRun(2), set()
    for second in range(151, 201):
        show(panel, faulted, second)
        sizes.add((panel.minimumSizeHint().width(), panel.minimumSizeHint().height()))
    assert len(sizes) == 1


def test_state_has_the_largest_font(panel: RecoveryPanel) -> None:
    show(panel, FaultedRun(2), 160)
    heights = {QFontMetrics(label.font()).height() for label in (panel.card._word, panel.card._clock)}
    others = QFontMetrics(panel.font()).height()
    assert min(heights) > 2.4 * others


def test_early_fault_is_not_judged_and_has_a_reason(panel: RecoveryPanel) -> None:
    show(panel, FaultedRun(2, faults={90: 33.2}), 60)
    assert panel.card.word == "NOT JUDGED"
    assert panel.card.clock == ""
    assert plain(panel.card.sentence) == "Only 3 s were measured before the fault; a baseline needs at least 10 s."


def test_outage_without_a_baseline_is_shown(panel: RecoveryPanel) -> None:
    show(panel, FaultedRun(2, faults={90: 33.2}), 37)
    assert panel.card.word == "DOWN"
    assert "Only 3 s were measured before the fault" in plain(panel.card.remarks)


def test_run_stopped_before_recovery_is_shown(panel: RecoveryPanel) -> None:
    faulted = FaultedRun(2, heals=False)
    faulted.advance_to(170)
    run = faulted.end(RunState.STOPPED)
    panel.show_recoveries(run, recoveries_of(run))
    assert panel.card.word == "NOT RECOVERED"
    assert panel.card.sentence.startswith("Not recovered within the run.")
    assert panel.card.value("lost orders") == "not audited"


def test_new_fault_is_shown_and_earlier_ones_are_selectable(qtbot: QtBot, panel: RecoveryPanel) -> None:
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2})
    show(panel, faulted, 200)
    assert not panel.earlier.isVisible()
    show(panel, faulted, 233)
    assert panel.title == "Enclosure pulled  3:20.2"
    assert panel.card.word == "DOWN"
    with qtbot.waitSignal(panel.fault_shown):
        qtbot.keyClick(panel, Qt.Key.Key_PageUp, _ALT)
    assert panel.title == "Enclosure pulled  2:00.4"
    assert panel.card.word == "RECOVERED"
    assert not panel.earlier.isEnabled()
    show(panel, faulted, 234)
    assert panel.title == "Enclosure pulled  2:00.4"
    with qtbot.waitSignal(panel.fault_shown):
        qtbot.mouseClick(panel.later, Qt.MouseButton.LeftButton)
    assert panel.title == "Enclosure pulled  3:20.2"
    with qtbot.assertNotEmitted(panel.fault_shown):
        qtbot.keyClick(panel, Qt.Key.Key_PageDown, _ALT)


def test_newer_fault_replaces_the_selected_one(panel: RecoveryPanel) -> None:
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2, 92: 300.0})
    show(panel, faulted, 240)
    panel.choose(90)
    show(panel, faulted, 302)
    assert panel.title == "Enclosure pulled  4:30.0"


def test_removed_fault_leaves_the_others(panel: RecoveryPanel) -> None:
    faulted = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2})
    run = faulted.advance_to(233)
    panel.show_recoveries(run, recoveries_of(run))
    run.remove_event(91)
    assert not panel.show_recoveries(run, recoveries_of(run))
    assert panel.title == "Enclosure pulled  2:00.4"
    assert not panel.later.isVisible()


def test_recovery_settings_are_changed_in_a_popup(qtbot: QtBot, panel: RecoveryPanel) -> None:
    show(panel, FaultedRun(2), 160)
    qtbot.mouseClick(panel.adjust, Qt.MouseButton.LeftButton)
    popup = panel.findChildren(RecoverySettingsPopup)[-1]
    assert popup.isVisible()
    assert nameless_controls(popup) == []
    popup.hold.selectAll()
    qtbot.keyClicks(popup.hold, "8")
    with qtbot.waitSignal(panel.settings_changed) as changed:
        qtbot.keyClick(popup.hold, Qt.Key.Key_Return)
    assert changed.args == [RecoverySettings(hold_seconds=8)]
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_every_control_has_a_name_and_tab_walks_from_left_to_right(qtbot: QtBot, panel: RecoveryPanel) -> None:
    show(panel, FaultedRun(2, faults={90: FAULT_AT, 91: 230.2, 92: 300.0}), 240)
    panel.choose(90)
    show(panel, FaultedRun(2, faults={90: FAULT_AT, 91: 230.2, 92: 300.0}), 302)
    panel.choose(91)
    assert nameless_controls(panel) == []
    panel.earlier.setFocus()
    walked = []
    for _ in range(3):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        walked.append(focused.accessibleName() if focused else "")
    assert walked == ["Later fault", "How recoveries are judged", "Notes on the recovery"]


@pytest.mark.parametrize("dark", [False, True])
def test_no_text_is_wider_than_its_place(qtbot: QtBot, dark: bool) -> None:
    panel = RecoveryPanel(Look(dark=dark))
    qtbot.addWidget(panel)
    panel.resize(panel.minimumSizeHint().width(), 260)
    panel.show()
    faulted = FaultedRun(24)
    for second in (151, 153, 160, 200):
        show(panel, faulted, second)
        for label in (panel.card._word, panel.card._clock):
            assert label.sizeHint().width() <= label.width()
