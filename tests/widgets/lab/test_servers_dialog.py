import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.lab.lab_view import LabView
from widgets.lab.servers_dialog import PracticeServersDialog
from widgets.parts.look import Look

PAIR = LabView(
    is_running=True,
    headline="Running since 11:06:31",
    facts=(("Version", "PostgreSQL 18.6"), ("Connected", "16 users")),
    nodes=(
        ("node1", "primary", "running", "–", "normal", "11:06:31", "–"),
        ("node2", "standby", "running", "synchronous", "normal", "11:06:32", "0 B"),
    ),
    shape="pair",
    users=16,
    is_kept=True,
)


def agree(dialog: PracticeServersDialog) -> None:
    """Press the button of the question that does it."""
    question = dialog.question
    assert question is not None
    is_yes = QMessageBox.ButtonRole.DestructiveRole
    next(button for button in question.buttons() if question.buttonRole(button) == is_yes).click()


@pytest.fixture
def dialog(qtbot: QtBot) -> PracticeServersDialog:
    made = PracticeServersDialog(Look())
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_stopped_server_can_be_started_with_any_number_of_nodes(qtbot: QtBot, dialog: PracticeServersDialog) -> None:
    dialog.show_view(LabView(headline="The embedded server is stopped"))
    assert dialog.headline.text() == "The embedded server is stopped"
    assert not dialog.stop.isEnabled()
    assert not dialog.action_panel.isEnabled()
    dialog.shape.setFocus()
    qtbot.keyClick(dialog.shape, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.keep, Qt.Key.Key_Space)
    with qtbot.waitSignal(dialog.start_requested) as requested:
        dialog.start.click()
    assert requested.args == ["pair", "fast", True]


def test_running_servers_are_shown_and_can_be_changed(qtbot: QtBot, dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    assert dialog.facts.text() == "Version: PostgreSQL 18.6\nConnected: 16 users"
    assert [dialog.model.index(row, 0).data() for row in range(2)] == ["node1", "node2"]
    assert (dialog.shape.currentData(), dialog.keep.isChecked()) == ("pair", True)
    assert not dialog.start.isEnabled()
    qtbot.keyClick(dialog.failover, Qt.Key.Key_Down)
    dialog.show_view(PAIR)  # the next look does not undo the choice
    assert dialog.failover.currentData() == "probe"
    assert dialog.start.text().replace("&", "") == "Change to this"
    with qtbot.waitSignal(dialog.start_requested) as requested:
        dialog.start.click()
    assert requested.args == ["pair", "probe", True]
    with qtbot.waitSignal(dialog.keep_running_changed) as kept:
        dialog.keep.click()
    assert kept.args == [False]


def test_action_that_disturbs_users_asks_first(qtbot: QtBot, dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    with qtbot.assertNotEmitted(dialog.stop_requested):
        dialog.stop.click()
    assert dialog.question is not None
    assert dialog.question.text() == "Stop the embedded server?"
    assert "16 users connected." in dialog.question.informativeText()
    with qtbot.waitSignal(dialog.stop_requested):
        agree(dialog)

    with qtbot.assertNotEmitted(dialog.action_requested):
        dialog.action_panel.button.click()
    assert dialog.question.text() == "Kill primary?"
    with qtbot.waitSignal(dialog.action_requested) as done:
        agree(dialog)
    assert done.args == ["kill_primary", None, None]


def test_action_with_an_amount_waits_for_input(qtbot: QtBot, dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    panel = dialog.action_panel
    panel.action.setCurrentIndex(panel.action.findData("delay_network"))
    panel.node.setCurrentIndex(panel.node.findData(2))
    assert not panel.button.isEnabled()
    qtbot.keyClicks(panel.value, "50")
    panel.button.click()
    assert dialog.question is not None
    assert "milliseconds added to each round trip: 50" in dialog.question.informativeText()
    assert "On node2." in dialog.question.informativeText()
    with qtbot.waitSignal(dialog.action_requested) as done:
        agree(dialog)
    assert done.args == ["delay_network", 2, 50.0]


def test_only_one_action_runs_at_a_time(dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    dialog.show_busy("Stopping the embedded server …")
    assert not dialog.stop.isEnabled()
    assert not dialog.action_panel.isEnabled()
    dialog.show_result("It did not stop.", ok=False)
    assert dialog.note.is_wrong
    assert dialog.stop.isEnabled()


def test_single_server_offers_only_its_own_actions(dialog: PracticeServersDialog) -> None:
    dialog.show_view(LabView(is_running=True, nodes=(PAIR.nodes[0],)))
    actions = dialog.action_panel.action
    offered = {actions.itemData(place) for place in range(actions.count())}
    assert "kill_primary" in offered
    assert "switchover" not in offered
    assert not dialog.action_panel.form.rows["node"].field.isVisible()


def test_log_appends_and_keeps_the_scroll_position(dialog: PracticeServersDialog) -> None:
    log = dialog.log
    log.show_text("".join(f"line {number}\n" for number in range(200)))
    bar = log.text.verticalScrollBar()
    assert bar.value() == bar.maximum()
    log.add_text("one more\n")
    assert log.text.toPlainText().endswith("line 199\none more")
    assert bar.value() == bar.maximum()
    bar.setValue(3)
    log.add_text("and another\n")
    assert bar.value() == 3


def test_selecting_another_log_requests_it(qtbot: QtBot, dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    with qtbot.waitSignal(dialog.log_chosen) as chosen:
        qtbot.keyClick(dialog.log.choice, Qt.Key.Key_Down)
    assert chosen.args == [2]


def test_every_control_has_a_name(dialog: PracticeServersDialog) -> None:
    dialog.show_view(PAIR)
    assert nameless_controls(dialog) == []
