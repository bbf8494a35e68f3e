import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_draft import InjectionDraft
from engine.secrets import Secret
from engine.target.target import EMBEDDED, FAST, Target
from tests.texts import lacks
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.fault_editor import FaultEditor

PAIR = (Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST),)


@pytest.fixture
def editor(qtbot: QtBot) -> FaultEditor:
    made = FaultEditor(Look())
    qtbot.addWidget(made)
    made.show_stores(PAIR)
    made.show()
    return made


def test_fault_is_described_in_a_sentence(editor: FaultEditor) -> None:
    editor.load(FaultDraft.from_text("T+40s once steady by 2:00 kill primary for 10s then rejoin repeat 3 every 60s"))
    parts = ("0:40", "steady by 2:00", "kill", "primary", "after 10 s", "standby", "3 times", "every 60 s")
    assert lacks(editor.sentence.text, *parts) == []
    assert not editor.hurt.isVisible()


def test_only_kinds_that_can_act_on_the_stores_are_offered(editor: FaultEditor) -> None:
    def offered() -> list[str]:
        return [editor.form.kind.itemData(place) for place in range(editor.form.kind.count())]

    editor.load(FaultDraft("1:00", done=InjectionDraft(kind="run")))
    assert {"lab", "sql"} <= set(offered())
    editor.show_stores((Target.parse("postgresql://user@db1/ds2")[0],))
    assert "sql" in offered()
    assert "lab" not in offered()
    editor.show_stores((Target.parse("storage:///var/tmp/file")[0],))
    assert offered() == ["mark", "run", "shell", "ssh", "redfish", "text"]
    assert editor.form.kind.currentData() == "run"


def test_a_kind_that_does_not_fit_any_more_is_shown_until_it_is_changed(editor: FaultEditor) -> None:
    fault = FaultDraft.from_text("T+40s sql 'SELECT 1'")
    editor.load(fault)
    editor.show_stores((Target.parse("storage:///var/tmp/file")[0],))
    assert (editor.form.kind.currentText(), fault.done.kind) == ("SQL", "sql")
    editor.load(FaultDraft("1:00"))
    assert editor.form.kind.findData("sql") < 0


def test_endangered_target_is_named(editor: FaultEditor) -> None:
    editor.load(FaultDraft.from_text("T+40s run /bin/true"))
    assert editor.hurt.isVisible()
    assert lacks(editor.hurt.text, "hurt embedded", "typed") == []


def test_fields_edit_the_fault_and_errors_stand_beside_them(qtbot: QtBot, editor: FaultEditor) -> None:
    fault = FaultDraft.from_text("T+40s freeze primary for 5s")
    editor.load(fault)
    field = editor.form.form.rows["end_after"].field
    with qtbot.waitSignal(editor.edited):
        qtbot.keyClicks(field, "x")
    assert fault.done.end_after == "0:05x"
    editor.show_errors(fault.validate())
    assert editor.form.form.rows["end_after"].note.text.startswith("End after is '0:05x'")
    assert editor.sentence.text == ""
    editor.show_errors({"at": "Time is late."})
    assert (editor.sentence.text, editor.sentence.is_wrong) == ("Time is late.", True)


def test_controller_password_is_separate_from_the_fault(qtbot: QtBot, editor: FaultEditor) -> None:
    fault = FaultDraft.from_text("T+40s redfish ForceOff https://bmc as admin")
    editor.load(fault)
    qtbot.keyClicks(editor.form.password, "hidden")
    assert editor.secrets() == {"https://admin@bmc:443": Secret("hidden")}
    assert "hidden" not in str(fault.to_dict())
    editor.load(FaultDraft.from_text("T+40s redfish On https://other as admin"))
    assert editor.form.password.text() == ""


def test_mark_can_be_a_fault(qtbot: QtBot, editor: FaultEditor) -> None:
    fault = FaultDraft("1:00", "Failover")
    editor.load(fault)
    with qtbot.waitSignal(editor.edited):
        qtbot.keyClick(editor.judged, Qt.Key.Key_Space)
    assert fault.is_fault


def test_every_field_has_a_name(editor: FaultEditor) -> None:
    assert nameless_controls(editor) == []
