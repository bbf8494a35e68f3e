import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from engine.draft.injection_draft import InjectionDraft
from engine.faults.fault_text import parse_what
from engine.secrets import Secret
from engine.target.target import EMBEDDED, FAST, POSTGRESQL, Host, Target
from tests.widgets.accessibility import name_of, nameless_controls
from tests.widgets.wizard.keys import reached_by_tab
from widgets.live.arming import ArmingPanel
from widgets.parts.look import Look

PAIR = (Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST),)
SERVER = (Target(kind=POSTGRESQL, hosts=(Host("db1", 5432), Host("db2", 5432)), user="me"),)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def panel(qtbot: QtBot, window: QWidget) -> ArmingPanel:
    """The panel below a button from which the keyboard comes."""
    layout = QVBoxLayout(window)
    layout.addWidget(QPushButton("Inject", window))
    made = ArmingPanel(Look(), window)
    made.show_stores(PAIR)
    layout.addWidget(made)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.findChild(QPushButton).setFocus()
    yield made  # noqa: PT022 - the window has to live as long


def came_from(panel: ArmingPanel) -> QPushButton:
    return panel.parentWidget().findChild(QPushButton)  # type: ignore[no-any-return]


def test_lab_action_needs_one_key(qtbot: QtBot, panel: ArmingPanel) -> None:
    assert not panel.isVisible()
    panel.ask(InjectionDraft(action="kill_primary"))
    assert panel.title.text() == "Inject: Kill primary"
    assert panel.sentence.text == "Kill all processes of the primary (SIGKILL)."
    assert panel.now.hasFocus()
    with qtbot.waitSignal(panel.injection_requested) as fired:
        qtbot.keyClick(panel.now, Qt.Key.Key_Return)
    assert fired.args == [parse_what("kill primary", 0), 0, {}]
    with qtbot.waitSignal(panel.injection_requested) as fired:
        qtbot.keyClick(panel.later, Qt.Key.Key_Space)
    assert fired.args[1] == 10


def test_a_form_of_a_few_fields_is_whole_in_a_low_window(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft(kind="ssh", place="root@r630", command="reboot -f"))
    panel.window().resize(1266, 1)
    area = panel.findChild(QScrollArea)
    last = panel.form.form.rows["timeout_seconds"].field
    qtbot.waitUntil(lambda: last.isVisible() and area.verticalScrollBar().maximum() == 0)


def test_the_form_of_a_controller_is_whole_in_a_low_window(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft(kind="redfish", url="https://bmc", user="admin"))
    panel.window().resize(1266, 1)
    area, rows = panel.findChild(QScrollArea), panel.form.form.rows
    last = rows["timeout_seconds"].field
    qtbot.waitUntil(lambda: last.isVisible() and area.verticalScrollBar().maximum() == 0)
    qtbot.waitUntil(lambda: area.widget().width() <= area.viewport().width())
    assert rows["url"].field.toolTip() == "Such as https://r630-bmc, or machine:db1 of the inventory."
    panel.window().resize(850, 1)
    qtbot.waitUntil(lambda: last.x() == rows["url"].field.x())


def test_sentence_includes_the_end_of_the_fault(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft(action="freeze_primary"))
    qtbot.keyClicks(panel.form.form.rows["end_after"].field, "5")
    assert panel.sentence.text.endswith("After 5 s: Resume the frozen processes of every node (SIGCONT).")
    with qtbot.waitSignal(panel.injection_requested) as fired:
        panel.now.click()
    assert fired.args[0] == parse_what("freeze primary for 5s", 0)


def test_name_typed_for_an_earlier_injection_arms_no_other(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.show_stores(SERVER)
    for statement in ("SELECT 1", "DROP TABLE orders"):
        panel.ask(InjectionDraft(kind="sql", statement=statement))
        assert not panel.now.isEnabled()
        for name, line in zip(panel.names.names, panel.names.lines, strict=True):
            qtbot.keyClicks(line, name)
        assert panel.now.isEnabled()
        panel.close_panel()


def test_dangerous_fault_requires_typing_the_name(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.show_stores(SERVER)
    panel.ask(InjectionDraft(kind="sql"))
    statement = panel.form.form.rows["statement"].field
    assert statement.hasFocus()
    assert not panel.now.isEnabled()
    assert panel.sentence.is_wrong
    qtbot.keyClicks(statement, "SELECT pg_promote()")
    assert panel.names.names == ("db1",)
    assert not panel.now.isEnabled()
    qtbot.keyClicks(panel.names.lines[0], "db1")
    assert panel.now.isEnabled()
    panel.form.form.rows["host"].field.selectAll()
    qtbot.keyClicks(panel.form.form.rows["host"].field, "2")
    assert panel.names.names == ("db2",)  # another one is hurt: it has to be typed anew
    assert not panel.now.isEnabled()


def test_impossible_fault_for_the_targets_is_reported(panel: ArmingPanel) -> None:
    panel.show_stores(SERVER)
    panel.ask(InjectionDraft(action="kill_primary"))
    assert "no embedded server" in panel.sentence.text
    assert not panel.now.isEnabled()


def test_password_is_emitted_with_the_injection(qtbot: QtBot, panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft(kind="redfish", url="https://bmc", user="admin"))
    qtbot.keyClicks(panel.form.password, "hidden")
    qtbot.keyClicks(panel.names.lines[0], "bmc")
    with qtbot.waitSignal(panel.injection_requested) as fired:
        panel.now.click()
    assert fired.args[2] == {"https://admin@bmc:443": Secret("hidden")}


@pytest.mark.parametrize("counting", [False, True])
def test_escape_closes_and_restores_focus(qtbot: QtBot, panel: ArmingPanel, counting: bool) -> None:
    panel.ask(InjectionDraft())
    if counting:
        panel.count_down("Kill primary at zero", 10)
        with qtbot.waitSignal(panel.abort_requested):
            qtbot.keyClick(panel, Qt.Key.Key_Escape)
        panel.close_panel()
    else:
        with qtbot.waitSignal(panel.left):
            qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    assert came_from(panel).hasFocus()


def test_another_choice_replaces_the_previous_one(qtbot: QtBot, panel: ArmingPanel) -> None:
    with qtbot.assertNotEmitted(panel.left):
        panel.ask(InjectionDraft(action="kill_primary"))
    with qtbot.waitSignal(panel.left):
        panel.ask(InjectionDraft(action="freeze_primary"))
    assert panel.isVisible()


def test_fields_are_disabled_during_the_check(panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft())
    panel.show_busy(True, "Checking whether it can be done …")
    assert not panel.now.isEnabled()
    assert not panel.form.isEnabled()
    assert panel.cancel.isEnabled()
    panel.show_wrong("the controller does not answer.")
    assert panel.form.isEnabled()
    assert panel.sentence.is_wrong
    assert panel.sentence.text == "The controller does not answer."


def test_original_draft_is_not_changed(qtbot: QtBot, panel: ArmingPanel) -> None:
    asked = InjectionDraft(action="freeze_primary")
    panel.ask(asked)
    qtbot.keyClicks(panel.form.form.rows["end_after"].field, "5")
    assert asked == InjectionDraft(action="freeze_primary")


def test_tab_order_follows_the_fields(panel: ArmingPanel) -> None:
    panel.ask(InjectionDraft(kind="ssh", place="root@r630", command="reboot -f"))
    names = [name_of(widget) for widget in reached_by_tab(came_from(panel))]
    assert names == [
        "Inject",
        *(
            "Machine",
            "Command",
            "End after, m:ss",
            "Time-out, m:ss",
            "Type r630 to arm what can hurt it",
            "Cancel  Esc",
        ),
    ]
    assert nameless_controls(panel) == []
