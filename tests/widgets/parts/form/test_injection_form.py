import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft.injection_choices import INJECTION_KINDS
from engine.draft.injection_draft import InjectionDraft
from engine.faults.injections import RedfishInjection
from engine.machines.access import RedfishAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine
from engine.secrets import Secret
from tests.widgets.accessibility import nameless_controls
from widgets.parts.form.injection_form import InjectionForm
from widgets.parts.look import Look

KINDS = [kind.name for kind in INJECTION_KINDS]


@pytest.fixture
def form(qtbot: QtBot) -> InjectionForm:
    made = InjectionForm(Look(), is_planned=True)
    qtbot.addWidget(made)
    made.offer(2, KINDS)
    made.show()
    return made


def shown(form: InjectionForm) -> set[str]:
    return {name for name, row in form.form.rows.items() if row.field.isVisible()}


@pytest.mark.parametrize(
    ("draft", "fields"),
    [
        (InjectionDraft(kind="mark"), set()),
        (InjectionDraft(kind="text"), {"typed"}),
        (InjectionDraft(), {"action", "node", "end_after", "steady_by", "repeat"}),
        (InjectionDraft(action="delay_network"), {"action", "node", "value", "end_after", "steady_by", "repeat"}),
        (
            InjectionDraft(action="kill_backend", end_after="5"),
            {"action", "node", "end_after", "end", "steady_by", "repeat"},
        ),
        (InjectionDraft(repeat="3"), {"action", "node", "end_after", "steady_by", "repeat", "every"}),
        (
            InjectionDraft(kind="sql"),
            {"statement", "host", "target", "end_after", "steady_by", "repeat", "timeout_seconds"},
        ),
        (InjectionDraft(kind="run"), {"command", "end_after", "steady_by", "repeat", "timeout_seconds"}),
        (InjectionDraft(kind="ssh"), {"place", "command", "end_after", "steady_by", "repeat", "timeout_seconds"}),
        (
            InjectionDraft(kind="redfish"),
            {"reset_type", "url", "user", "system", "fingerprint", "ca_file", "password"}
            | {"end_after", "steady_by", "repeat", "timeout_seconds"},
        ),
    ],
)
def test_only_fields_of_the_action_are_shown(form: InjectionForm, draft: InjectionDraft, fields: set[str]) -> None:
    form.load(draft)
    assert shown(form) == fields | {"kind"}
    assert nameless_controls(form) == []


def test_immediate_injection_has_no_kind_or_schedule(qtbot: QtBot) -> None:
    form = InjectionForm(Look(), is_planned=False)
    qtbot.addWidget(form)
    form.offer(1, KINDS)
    form.show()
    form.load(InjectionDraft())
    assert shown(form) == {"end_after"}
    form.load(InjectionDraft(kind="sql"))
    assert shown(form) == {"statement", "host", "target", "end_after", "timeout_seconds"}


def test_single_server_offers_only_its_own_actions(form: InjectionForm) -> None:
    assert form.action.findData("switchover") >= 0
    form.offer(1, KINDS)
    assert form.action.findData("switchover") < 0
    assert "node" not in shown(form)
    form.load(InjectionDraft(action="switchover", node="2"))
    assert form.action.currentText() == "Switchover"  # shown, so that it can be mended


def test_typing_edits_the_draft(qtbot: QtBot, form: InjectionForm) -> None:
    draft = InjectionDraft()
    form.load(draft)
    with qtbot.waitSignal(form.edited):
        qtbot.keyClick(form.node, Qt.Key.Key_Down)
    assert draft.node == "1"
    qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    assert draft.kind == "sql"
    qtbot.keyClicks(form.form.rows["statement"].field, "SELECT 1")
    assert draft.text() == "sql 'SELECT 1' on host1"


def test_text_mode_continues_with_the_fields_values(qtbot: QtBot, form: InjectionForm) -> None:
    draft = InjectionDraft(action="freeze_primary", end_after="5")
    form.load(draft)
    qtbot.keyClick(form.kind, Qt.Key.Key_End)
    assert (draft.kind, draft.typed) == ("text", "freeze primary for 5s then thaw")


def test_undo_action_is_shown(form: InjectionForm) -> None:
    form.load(InjectionDraft(action="freeze_primary"))
    assert form.form.rows["end_after"].note.text == "Then: thaw."
    form.load(InjectionDraft(kind="run"))
    assert form.form.rows["end_after"].note.text == "Empty: it is not ended."


def test_password_is_requested_only_for_a_controller_and_hidden(qtbot: QtBot, form: InjectionForm) -> None:
    draft = InjectionDraft(kind="redfish", url="https://bmc", user="admin")
    form.load(draft)
    assert form.secrets() == {}
    qtbot.keyClicks(form.password, "hidden")
    assert form.password.displayText() != "hidden"
    assert form.secrets() == {"https://admin@bmc:443": Secret("hidden")}
    draft.url = "bmc"
    assert form.secrets() == {}


def test_focus_goes_to_the_given_or_first_field(form: InjectionForm) -> None:
    form.load(InjectionDraft())
    form.focus_field("end_after")
    assert form.form.rows["end_after"].field.hasFocus()
    form.focus_field("statement")  # not shown
    assert form.kind.hasFocus()


def test_machines_of_the_inventory_are_completed_where_they_can_be_reached(qtbot: QtBot, form: InjectionForm) -> None:
    form.offer_machines(
        Inventory(
            (
                Machine(name="db1", accesses=(SshAccess(host="db1"), RedfishAccess(url="https://bmc", user="admin"))),
                Machine(name="db2", accesses=(SshAccess(host="db2"),)),
            )
        )
    )
    draft = InjectionDraft(kind="ssh")
    form.load(draft)
    place = form.form.rows["place"].field
    assert isinstance(place, QLineEdit)
    with qtbot.waitActive(form):
        form.activateWindow()
    place.setFocus()
    qtbot.keyClicks(place, "2")
    completer = place.completer()
    assert [completer.popup().model().index(row, 0).data() for row in range(completer.completionCount())] == [
        "machine:db2"
    ]
    qtbot.keyClick(completer.popup(), Qt.Key.Key_Down)
    qtbot.keyClick(completer.popup(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: draft.place == "machine:db2")


def test_a_machines_controller_needs_nothing_else(form: InjectionForm) -> None:
    draft = InjectionDraft(kind="redfish", reset_type="ForceOff", url="machine:db1", user="left over", system="2")
    form.load(draft)
    assert shown(form) & {"url", "user", "fingerprint", "ca_file", "password", "system"} == {"url", "system"}
    assert draft.injection() == RedfishInjection(reset_type="ForceOff", machine="db1", system="2")
