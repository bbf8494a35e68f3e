import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft
from engine.secrets import Secret
from engine.target.connection_result import ConnectionResult
from engine.target.installed_drivers import InstalledDrivers
from engine.target.target import EMBEDDED, MSSQL, POSTGRESQL, Host, Target
from engine.workload.registry import DVD_STORE, MAIL, STORAGE
from widgets.parts.look import Look
from widgets.wizard.targets_page import TargetsPage

GOOD = ConnectionResult(ok=True, sentence="PostgreSQL 18.1 on db1.")


@pytest.fixture
def page(qtbot: QtBot) -> TargetsPage:
    made = TargetsPage(Look())
    qtbot.addWidget(made)
    made.load(PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1"), TargetDraft(kind=POSTGRESQL, hosts="db2")]))
    made.show()
    return made


def _hosts(page: TargetsPage) -> list[str]:
    return [target.hosts for target in page.draft.targets]


def test_lead_names_what_the_workload_is_run_on(page: TargetsPage) -> None:
    draft = PlanDraft()
    draft.choose_workload(MAIL)
    page.load(draft)
    page.show_errors({})
    assert page.lead.text() == "The mail servers under test, each with the domain of its mailboxes."


def test_counts_have_the_workloads_word_for_its_stores(page: TargetsPage) -> None:
    rows = page.counts.rows
    for workload, stores, clients in (
        (STORAGE, "Files per target", "Clients per file"),
        (DVD_STORE, "Stores per target", "Clients per store"),
    ):
        draft = PlanDraft()
        draft.choose_workload(workload)
        page.load(draft)
        page.show_errors({})
        assert (page.databases.accessibleName(), page.clients.accessibleName()) == (stores, clients)
        assert rows["clients"].label.text() == f"&{clients}"
        assert rows["clients"].note.text == f"Clients that drive each {clients.split()[-1]}."


def test_targets_are_added_duplicated_moved_and_removed(qtbot: QtBot, page: TargetsPage) -> None:
    with qtbot.waitSignal(page.edited):
        page.targets.duplicate.click()
    qtbot.keyClicks(page.editor.hosts, "-copy")
    assert _hosts(page) == ["db1", "db1-copy", "db2"]
    page.targets.add.click()
    assert page.draft.targets[2] == TargetDraft()
    page.targets.remove.click()
    assert _hosts(page) == ["db1", "db1-copy", "db2"]
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert _hosts(page) == ["db1", "db2", "db1-copy"]
    assert page.editor.hosts.text() == "db2"
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert _hosts(page) == ["db2", "db1", "db1-copy"]


def test_passwords_stay_with_their_targets(qtbot: QtBot, page: TargetsPage) -> None:
    qtbot.keyClicks(page.editor.password, "one")
    with qtbot.waitSignal(page.password_entered) as entered:
        qtbot.keyClick(page.editor.password, Qt.Key.Key_Return)
    assert entered.args == ["postgresql://postgres@db1:5432", Secret("one"), False]
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Up)
    assert page.editor.password.text() == ""
    qtbot.keyClicks(page.editor.password, "two")
    assert page.secrets() == {
        "postgresql://postgres@db2:5432": Secret("two"),
        "postgresql://postgres@db1:5432": Secret("one"),
    }


def test_connection_test_result_is_shown_until_the_next_edit(qtbot: QtBot, page: TargetsPage) -> None:
    with qtbot.waitSignal(page.test_requested) as requested:
        page.test.click()
    number, *tested = requested.args
    assert tested == [Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="postgres"), DVD_STORE]
    assert page.test_note.text == "Testing …"
    page.show_test(number, GOOD)
    assert (page.test_note.text, page.test_note.is_wrong) == (GOOD.sentence, False)
    qtbot.keyClicks(page.editor.database, "3")
    assert page.test_note.text == ""


def test_test_result_follows_a_moved_target_and_is_dropped_for_a_changed_one(qtbot: QtBot, page: TargetsPage) -> None:
    with qtbot.waitSignal(page.test_requested) as first:
        page.test.click()
    page.targets.down.click()
    page.show_test(first.args[0], GOOD)
    assert page.test_note.text == GOOD.sentence
    qtbot.keyClick(page.targets.list, Qt.Key.Key_Up)
    assert page.test_note.text == ""
    with qtbot.waitSignal(page.test_requested) as requested:
        page.test.click()
    qtbot.keyClicks(page.editor.hosts, "x")
    page.show_test(requested.args[0], ConnectionResult(ok=False, sentence="Host db2 refused."))
    assert page.test_note.text == ""


def test_late_result_of_an_older_test_is_ignored(qtbot: QtBot, page: TargetsPage) -> None:
    with qtbot.waitSignal(page.test_requested) as older:
        page.test.click()
    qtbot.keyClicks(page.editor.hosts, "x")
    with qtbot.waitSignal(page.test_requested) as newer:
        page.test.click()
    page.show_test(older.args[0], ConnectionResult(ok=False, sentence="Host db1 refused."))
    assert page.test_note.text == "Testing …"
    page.show_test(newer.args[0], GOOD)
    assert page.test_note.text == GOOD.sentence


def test_first_of_several_stores_is_tested(qtbot: QtBot, page: TargetsPage) -> None:
    page.databases.selectAll()
    qtbot.keyClicks(page.databases, "4")
    with qtbot.waitSignal(page.test_requested) as requested:
        page.test.click()
    assert requested.args[1].database == "ds2_1"


def test_invalid_target_is_not_tested(qtbot: QtBot, page: TargetsPage) -> None:
    page.editor.hosts.selectAll()
    qtbot.keyClick(page.editor.hosts, Qt.Key.Key_Delete)
    page.show_errors(page.draft.validate())
    with qtbot.assertNotEmitted(page.test_requested):
        page.test.click()
    assert page.editor.form.rows["hosts"].note.is_wrong


def test_errors_are_shown_at_their_target(qtbot: QtBot, page: TargetsPage) -> None:
    errors = {"targets.1.hosts": "Hosts is empty.", "clients": "Clients per store is empty."}
    page.show_errors(errors)
    assert not page.editor.form.rows["hosts"].note.is_wrong
    assert page.counts.rows["clients"].note.text == "Clients per store is empty."
    page.focus_field("targets.1.hosts")
    assert page.editor.form.rows["hosts"].note.text == "Hosts is empty."
    assert not page.targets.list.item(1).icon().isNull()
    assert page.own(errors | {"threads": "Threads is empty."}) == errors


def test_the_embedded_server_has_no_password(page: TargetsPage) -> None:
    page.load(PlanDraft())
    assert page.draft.targets[0].kind == EMBEDDED
    assert not page.editor.password.isVisible()
    assert page.secrets() == {}


def test_integrated_login_emits_no_password(qtbot: QtBot, page: TargetsPage) -> None:
    target = TargetDraft(kind=MSSQL, hosts="db1")
    page.load(PlanDraft(targets=[target]))
    qtbot.keyClicks(page.editor.password, "one")
    assert page.secrets() == {"mssql://sa@db1:1433": Secret("one")}
    target.sql_server.authentication = "integrated"
    assert page.secrets() == {}


def test_sql_server_field_gets_the_focus(page: TargetsPage) -> None:
    page.load(PlanDraft(targets=[TargetDraft(kind=MSSQL, hosts="db1")]))
    page.activateWindow()
    page.focus_field("targets.0.application_intent")
    assert page.editor.sql_server.intent.hasFocus()


def test_installed_drivers_are_requested_and_shown(qtbot: QtBot, page: TargetsPage) -> None:
    with qtbot.waitSignal(page.drivers_requested):
        page.load(PlanDraft(targets=[TargetDraft(kind=MSSQL, hosts="db1")]))
    page.show_drivers({MSSQL: InstalledDrivers(kind=MSSQL, names=("ODBC Driver 18 for SQL Server",))})
    assert page.editor.form.rows["driver"].note.text == "ODBC Driver 18 for SQL Server is used."


def test_target_is_saved_and_reused(qtbot: QtBot, page: TargetsPage) -> None:
    page.draft.targets[0] = TargetDraft(kind=POSTGRESQL, hosts="db1", label="A")
    page.load(page.draft)
    with qtbot.waitSignal(page.saved_changed):
        page.saved.save_requested.emit("R630")
    page.load(PlanDraft())
    with qtbot.waitSignal(page.edited):
        page.saved.chosen.emit("R630")
    assert [target.label for target in page.draft.targets] == ["A"]
    page.saved.chosen.emit("R630")
    assert [target.hosts for target in page.draft.targets] == ["db1", "db1"]
    page.draft.targets[1].hosts = "db2"
    assert page.saved_targets[0].target.hosts == "db1"
    page.saved.delete_requested.emit("R630")
    assert page.saved_targets == []
