"""The whole wizard, driven by keys."""

import json
from copy import deepcopy

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.stored_draft import draft_from_dict, draft_to_dict
from engine.draft.target_draft import TargetDraft
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.connection_result import ConnectionResult
from engine.target.target import EMBEDDED, MARIADB, MSSQL, POSTGRESQL, PROBE, Host, Target
from engine.workload.registry import DVD_STORE, MAIL, WHOLESALE
from engine.workloads.dvdstore.sizing import DbSize
from tests.texts import lacks
from tests.widgets.accessibility import name_of, nameless_controls
from tests.widgets.wizard.keys import focused, press, reached_by_tab, tab_to, type_over
from widgets.parts.form.fields import read_field
from widgets.parts.look import Look
from widgets.wizard.footer import RecentPlan
from widgets.wizard.page_list import PageState
from widgets.wizard.unknown_machines import unknown_machines
from widgets.wizard.wizard import Wizard

PAGES = range(5)


@pytest.fixture
def wizard(qtbot: QtBot) -> Wizard:
    return _shown(qtbot, PlanDraft())


def _shown(qtbot: QtBot, draft: PlanDraft) -> Wizard:
    made = Wizard(Look(), draft)
    qtbot.addWidget(made)
    made.resize(made.fontMetrics().averageCharWidth() * 180, made.fontMetrics().height() * 50)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.focus_first()
    return made


def _states(wizard: Wizard) -> list[PageState]:
    return [wizard.page_list.page_state(number) for number in PAGES]


def test_pressing_enter_five_times_starts_the_demonstration(qtbot: QtBot, wizard: Wizard) -> None:
    with qtbot.waitSignal(wizard.start_requested) as started:
        for _ in PAGES:
            press(Qt.Key.Key_Return)
    assert started.args == [PlanDraft().plan(), {}]
    assert (started.args[0].reset, started.args[0].audit) == (True, True)
    assert proposed_name(started.args[0]) == "Demonstration"


def test_server_run_can_be_planned_by_keyboard(qtbot: QtBot, wizard: Wizard) -> None:
    editor = wizard.targets.editor
    tab_to(editor.kind)
    press(Qt.Key.Key_Down)
    type_over(editor.hosts, "r630-a, r630-b:5433")
    type_over(editor.user, "bench")
    type_over(editor.password, "hidden word")
    tab_to(editor.keep)
    with qtbot.waitSignal(wizard.targets.password_entered) as entered:
        press(Qt.Key.Key_Space)
    assert entered.args == ["postgresql://bench@r630-a:5432,r630-b:5433", Secret("hidden word"), True]
    type_over(wizard.targets.databases, "4")
    type_over(wizard.targets.clients, "1")
    press(Qt.Key.Key_Return)
    type_over(wizard.database.size_field, "40GB")
    press(Qt.Key.Key_Return)
    tab_to(wizard.load.preset)
    for _ in range(4):  # from the quick one past those without think time
        press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Return)
    type_over(wizard.review.form.rows["name"].field, "R630 SSD 20 ms")
    type_over(wizard.review.form.rows["tags"].field, "ssd, nightly")
    with qtbot.waitSignal(wizard.start_requested) as started:
        press(Qt.Key.Key_Return)
    target = Target(kind=POSTGRESQL, hosts=(Host("r630-a", 5432), Host("r630-b", 5433)), user="bench")
    assert started.args[0] == RunPlan(
        name="R630 SSD 20 ms",
        tags=("ssd", "nightly"),
        targets=(target,),
        clients=1,
        databases=4,
        threads=32,
        think_time_ms=20,
        warmup_minutes=1,
        minutes=30,
        reset=True,
        audit=False,
        parameters={"db_size": DbSize(40, "GB")},
    )
    assert started.args[1] == {target.secret_name: Secret("hidden word")}
    assert "hidden word" not in json.dumps(draft_to_dict(wizard.draft))


_BUTTONS = ["Back", "Next", "Start", "Open plan file…", "Recent plan files"]
_TAB_ORDER = {
    0: [
        *("Targets", "Add a target", "Duplicate this target", "Remove this target", "Move this target down (Alt+Down)"),
        "Saved targets",
        *("Kind", "Hosts", "Database", "User", "Password", "Keep in keyring", "TLS", "Label", "Test connection"),
        *("Stores per target", "Clients per store", *_BUTTONS[1:]),
    ],
    1: [
        *("Workload", "Store size", "Unit of the size", "Reset the stores before the run, as the published tests do"),
        *("Rows and bytes of a store", "Build", "Verify", "Reset"),
        *("Replace existing stores", *_BUTTONS),
    ],
    2: [
        *(
            "Add load",
            "Preset",
            "Saved presets",
            "Users per client",
            "Think time, ms",
            "Ramp rate, users/s",
            "Warm-up, m:ss",
            "Run time, m:ss",
            "Load machines",
            "Seed",
        ),
        *("New customers, %", "Searches per order", "Rows per search", "Lines per order"),
        *("Stages", "Staircase", "Rate, per minute", "Arrivals", *_BUTTONS),
    ],
    3: [
        *("Time line of the run", "Fault as text", "Add as typed", "Planned faults", "Add mark", "Add injection"),
        *("Remove", "Kind", "Measure the recovery from it", *_BUTTONS),
    ],
    4: [
        *(
            "After the run, check every order on the server (audit)",
            "Name",
            "Note",
            "Tags",
            "Machines",
            "Server waits",
            "Volumes to measure",
            "Command line",
            "Save as plan file…",
            "Copy command line",
        ),
        *("Back", *_BUTTONS[2:]),
    ],
}


@pytest.mark.parametrize("number", PAGES)
def test_tab_order_of_each_page_and_accessible_names(qtbot: QtBot, number: int) -> None:
    server = TargetDraft(kind=POSTGRESQL, hosts="db1")
    draft = PlanDraft(targets=[server, TargetDraft()], faults=[FaultDraft("0:10", "Failover")])
    wizard = _shown(qtbot, draft)
    wizard.page_list.setCurrentRow(number)
    wizard.faults.table.setCurrentIndex(wizard.faults.model.index(0, 0))
    reached = [name_of(widget) for widget in reached_by_tab(wizard.page_list)]
    assert reached == ["Pages of the new run", *_TAB_ORDER[number]]
    assert nameless_controls(wizard) == []


def test_arrow_keys_select_pages_and_mark_them_seen(wizard: Wizard) -> None:
    assert _states(wizard) == [PageState.READY, *[PageState.OPEN] * 4]
    wizard.page_list.setFocus()
    for _ in range(3):
        press(Qt.Key.Key_Down)
    assert wizard.current_page == 3
    press(Qt.Key.Key_Up)
    assert wizard.current_page == 2
    assert _states(wizard) == [PageState.READY] * 4 + [PageState.OPEN]


def test_invalid_value_is_reported_at_field_list_and_summary(wizard: Wizard) -> None:
    wizard.page_list.setCurrentRow(2)
    threads = wizard.load.form.rows["threads"]
    wizard.focus_first()
    type_over(threads.field, "5000")
    sentence = threads.note.text
    assert threads.note.is_wrong
    assert lacks(sentence, "users per client is 5000", "1 to 1000") == []
    assert wizard.page_list.page_state(2) is PageState.WRONG
    assert "has errors" in wizard.page_list.item(2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert wizard.summary.texts == [sentence]
    type_over(threads.field, "50")
    assert not threads.note.is_wrong
    assert wizard.page_list.page_state(2) is PageState.READY
    assert lacks(wizard.summary.texts, "2 clients × 50 users") == []


def test_start_focuses_the_first_invalid_field(qtbot: QtBot, wizard: Wizard) -> None:
    wizard.page_list.setCurrentRow(2)
    wizard.focus_first()
    type_over(wizard.load.form.rows["minutes"].field, "soon")
    wizard.page_list.setCurrentRow(4)
    wizard.focus_first()
    with qtbot.assertNotEmitted(wizard.start_requested):
        press(Qt.Key.Key_Return)
    assert wizard.current_page == 2
    assert focused() is wizard.load.form.rows["minutes"].field


@pytest.mark.parametrize(
    ("key", "page", "typed", "says"),
    [
        ("load_machines", 2, "laod1=1", "Load machines: 'laod1' is not in the inventory; did you mean 'load1'."),
        ("machines", 4, "db1, x", "Machines: 'x' is not in the inventory; add it in Menu, Machines…, or give one of"),
    ],
)
def test_an_unknown_machine_is_refused_at_its_field(
    qtbot: QtBot, wizard: Wizard, key: str, page: int, typed: str, says: str
) -> None:
    wizard.page_list.setCurrentRow(page)
    wizard.know_machines(Inventory((Machine(name="load1"), Machine(name="db1"))))
    row = wizard.pages[page].form.rows[key]  # type: ignore[attr-defined]
    type_over(row.field, typed)
    assert row.note.text.startswith(says)
    with qtbot.assertNotEmitted(wizard.start_requested):
        wizard.start.click()
    assert wizard.current_page == page
    wizard.know_machines(
        Inventory((Machine(name="load1"), Machine(name="db1"), Machine(name="laod1"), Machine(name="x")))
    )
    assert not row.note.text.startswith(says)
    with qtbot.waitSignal(wizard.start_requested):
        wizard.start.click()


def test_without_other_machines_none_is_proposed(wizard: Wizard) -> None:
    wizard.draft.typed["load_machines"] = "nosuch=1"
    assert unknown_machines(wizard.draft, Inventory()) == {
        "load_machines": "Load machines: 'nosuch' is not in the inventory; add it in Menu, Machines…."
    }


def test_empty_field_is_an_error_only_after_leaving_its_page(wizard: Wizard) -> None:
    tab_to(wizard.targets.editor.kind)
    press(Qt.Key.Key_Down)
    hosts = wizard.targets.editor.form.rows["hosts"]
    assert not hosts.note.is_wrong
    assert wizard.page_list.page_state(0) is PageState.INCOMPLETE
    assert wizard.summary.texts == ["Target 1: Hosts is empty; name the server, such as db1:5432, db2."]
    press(Qt.Key.Key_Return)
    assert hosts.note.is_wrong
    assert wizard.page_list.page_state(0) is PageState.WRONG
    wizard.page_list.setCurrentRow(0)
    type_over(hosts.field, "db1")
    assert wizard.page_list.page_state(0) is PageState.READY
    wizard.targets.targets.duplicate.click()
    type_over(hosts.field, "")
    assert not hosts.note.is_wrong  # that of the new target
    assert wizard.page_list.page_state(0) is PageState.INCOMPLETE


def test_missing_required_field_is_reported_on_action(wizard: Wizard) -> None:
    tab_to(wizard.targets.editor.kind)
    press(Qt.Key.Key_Down)
    tab_to(wizard.targets.test)
    press(Qt.Key.Key_Return)
    hosts = wizard.targets.editor.form.rows["hosts"]
    assert focused() is hosts.field
    assert hosts.note.is_wrong


def test_duplicate_target_has_a_warning_and_can_be_started(qtbot: QtBot, wizard: Wizard) -> None:
    wizard.targets.targets.duplicate.click()
    assert wizard.targets.same_note.isVisible()
    assert wizard.targets.same_note.text.startswith("Targets 1 and 2 are the same store")
    assert wizard.targets.same_note.text in wizard.summary.texts
    with qtbot.waitSignal(wizard.start_requested):
        wizard.start.click()
    wizard.targets.targets.remove.click()
    assert not wizard.targets.same_note.isVisible()


def test_invalid_character_is_reported_at_once(wizard: Wizard) -> None:
    tab_to(wizard.targets.editor.kind)
    press(Qt.Key.Key_Down)
    type_over(wizard.targets.editor.hosts, "me@db1")
    assert wizard.targets.editor.form.rows["hosts"].note.is_wrong


def test_undo_and_redo_show_the_edited_page(wizard: Wizard) -> None:
    press(Qt.Key.Key_Return)
    type_over(wizard.database.size_field, "40")
    press(Qt.Key.Key_Return)
    type_over(wizard.load.form.rows["threads"].field, "32")
    assert wizard.footer.undo.isEnabled()
    assert not wizard.footer.redo.isEnabled()
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (wizard.draft.typed["threads"], wizard.draft.typed["db_size"]) == ("8", "40")
    assert wizard.load.form.rows["threads"].field.text() == "8"
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert wizard.draft == PlanDraft()
    assert wizard.current_page == 1
    assert not wizard.footer.undo.isEnabled()
    for _ in range(2):
        press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert (wizard.draft.typed["threads"], wizard.draft.typed["db_size"]) == ("32", "40")
    assert wizard.current_page == 2


def test_undo_reverts_an_opened_plan(qtbot: QtBot, wizard: Wizard) -> None:
    type_over(wizard.targets.clients, "4")
    mine = deepcopy(wizard.draft)
    wizard.fill(RunPlan(name="another", threads=32))
    with qtbot.waitSignal(wizard.draft_changed):
        wizard.footer.undo.click()
    assert wizard.draft == mine
    assert wizard.targets.clients.text() == "4"


def test_undo_keeps_entered_passwords(wizard: Wizard) -> None:
    editor = wizard.targets.editor
    tab_to(editor.kind)
    press(Qt.Key.Key_Down)
    type_over(editor.hosts, "db1")
    type_over(editor.password, "hidden word")
    type_over(editor.label, "array A")
    wizard.undo()
    assert editor.label.text() == ""
    assert editor.password.text() == "hidden word"
    assert list(wizard.secrets().values()) == [Secret("hidden word")]


def test_undo_in_the_fault_line_edits_its_text(wizard: Wizard) -> None:
    wizard.page_list.setCurrentRow(3)
    wizard.focus_first()
    QTest.keyClicks(focused(), "T+20s")
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert wizard.faults.typed.line.text() == ""


def test_recent_plan_files_are_offered_if_they_exist(qtbot: QtBot, wizard: Wizard) -> None:
    menu = wizard.footer.recent.menu()
    with qtbot.waitSignal(wizard.footer.recent_requested):
        menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()] == [False]
    there, gone = RecentPlan(path="/plans/a&b.toml", exists=True), RecentPlan(path="/old/c.toml", exists=False)
    wizard.footer.show_recent([there, gone])
    assert [action.text() for action in menu.actions()] == ["a&&b.toml  (/plans)", "c.toml  (/old)"]
    assert [action.isEnabled() for action in menu.actions()] == [True, False]
    with qtbot.waitSignal(wizard.footer.recent_chosen) as chosen:
        menu.actions()[0].trigger()
    assert chosen.args == ["/plans/a&b.toml"]


def _defaults(wizard: Wizard) -> list[str]:
    return [button.text().replace("&", "") for button in wizard.findChildren(QPushButton) if button.isDefault()]


def test_enter_presses_the_default_button(qtbot: QtBot, wizard: Wizard) -> None:
    assert _defaults(wizard) == ["Next"]
    press(Qt.Key.Key_Return)
    assert _defaults(wizard) == ["Next"]
    tab_to(wizard.database.work.verify)
    assert _defaults(wizard) == ["Verify"]
    with qtbot.waitSignal(wizard.database.verify_requested):
        press(Qt.Key.Key_Return)
    wizard.database.work.show_job("verifying ds2", 0.5)
    assert len(_defaults(wizard)) == 1
    wizard.database.work.show_result("All is well.", ok=True)
    assert len(_defaults(wizard)) == 1
    tab_to(wizard.back)
    assert _defaults(wizard) == ["Back"]
    tab_to(wizard.footer.open_plan)
    assert not _defaults(wizard)
    tab_to(wizard.page_list)
    assert _defaults(wizard) == ["Next"]
    wizard.page_list.setCurrentRow(4)
    assert _defaults(wizard) == ["Start"]


_DRAFTS = {
    "embedded": PlanDraft(targets=[TargetDraft(shape="pair")], faults=[FaultDraft("0:10", "Failover")]),
    "postgresql": PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1")]),
    "mssql": PlanDraft(targets=[TargetDraft(kind=MSSQL, hosts="db1")]),
    "mariadb": PlanDraft(targets=[TargetDraft(kind=MARIADB, hosts="db1")]),
    "wholesale": PlanDraft(workload=WHOLESALE),
}


@pytest.mark.parametrize("kind", _DRAFTS)
@pytest.mark.parametrize("number", PAGES)
def test_mnemonics_are_unique_on_each_page(qtbot: QtBot, kind: str, number: int) -> None:
    wizard = _shown(qtbot, deepcopy(_DRAFTS[kind]))
    wizard.page_list.setCurrentRow(number)
    texts = [
        widget.text()
        for widget in [*wizard.findChildren(QLabel), *wizard.findChildren(QAbstractButton)]
        if widget.isVisible() and "&" in widget.text().replace("&&", "")
    ]
    letters = [text[text.index("&") + 1].casefold() for text in texts]
    assert sorted(letters) == sorted(set(letters)), texts


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (
            0,
            ["Kind", "Hosts", "Database", "User", "Password", "TLS", "Label", "Stores per target", "Clients per store"],
        ),
        (1, ["Store size"]),
        (2, ["Preset", "Users per client", "Think time", "Ramp rate", "Warm-up", "Run time", "New customers", "Seed"]),
        (4, ["Name", "Note", "Tags", "Command line"]),
    ],
)
def test_mnemonics_focus_their_fields(qtbot: QtBot, number: int, names: list[str]) -> None:
    wizard = _shown(qtbot, deepcopy(_DRAFTS["postgresql"]))
    wizard.page_list.setCurrentRow(number)
    labels = {label.text().replace("&", ""): label for label in wizard.findChildren(QLabel) if label.isVisible()}
    for name in names:
        label = labels[name]
        assert "&" in label.text()
        QTest.keyClick(wizard, label.text()[label.text().index("&") + 1].lower(), Qt.KeyboardModifier.AltModifier)
        assert focused() is label.buddy(), name


def test_back_keeps_all_values_including_invalid_ones(wizard: Wizard) -> None:
    type_over(wizard.targets.clients, "two")
    press(Qt.Key.Key_Return)
    type_over(wizard.database.size_field, "big")
    press(Qt.Key.Key_Return)
    type_over(wizard.load.form.rows["seed"].field, "x")
    for _ in range(2):
        tab_to(wizard.back)
        press(Qt.Key.Key_Return)
    assert wizard.current_page == 0
    assert wizard.targets.clients.text() == "two"
    assert wizard.database.size_field.text() == "big"
    assert wizard.load.form.rows["seed"].field.text() == "x"  # type: ignore[attr-defined]
    assert [wizard.draft.typed[key] for key in ("clients", "db_size", "seed")] == ["two", "big", "x"]


def test_stored_draft_restores_the_wizard(qtbot: QtBot, wizard: Wizard) -> None:
    with qtbot.waitSignal(wizard.draft_changed):
        type_over(wizard.targets.clients, "two")
    kept = draft_from_dict(json.loads(json.dumps(draft_to_dict(wizard.draft))))
    again = _shown(qtbot, kept)
    assert again.targets.clients.text() == "two"
    assert again.draft == wizard.draft


def test_a_past_plan_fills_every_page(qtbot: QtBot, wizard: Wizard) -> None:
    wizard.page_list.setCurrentRow(3)
    plan = RunPlan(
        name="past",
        targets=(Target(kind=EMBEDDED), Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me", label="A")),
        threads=32,
        think_time_ms=100,
        warmup_minutes=15,
        minutes=30,
        faults=(PlannedFault(at_seconds=60, label="Failover"),),
        reset=False,
        audit=True,
    )
    with qtbot.waitSignal(wizard.draft_changed):
        wizard.fill(plan)
    assert wizard.current_page == 0
    assert wizard.draft.plan() == plan
    assert wizard.targets.targets.list.count() == 2
    assert wizard.load.preset.currentText() == "32 users, 100 ms, 15 + 30 min"
    assert wizard.faults.model.index(0, 2).data() == "Failover"
    assert lacks(wizard.summary.texts, "2 clients × 32 users", "100 ms", "15 min", "30 min", "Failover") == []


def test_work_results_are_shown_on_their_pages(qtbot: QtBot, wizard: Wizard) -> None:
    with qtbot.waitSignal(wizard.test_requested) as requested:
        wizard.targets.test.click()
    number, *tested = requested.args
    assert tested == [Target(kind=EMBEDDED), DVD_STORE]
    wizard.show_test(number, ConnectionResult(ok=True, sentence="PostgreSQL 18.1."))
    assert wizard.targets.test_note.text == "PostgreSQL 18.1."
    wizard.database.work.show_job("building ds2: loading customers", 0.5)
    assert wizard.database.work.note.text == "building ds2: loading customers"
    wizard.database.work.show_result("1 store of 100MB built.", ok=True)
    assert wizard.database.work.note.text == "1 store of 100MB built."


def test_the_result_of_work_on_other_stores_is_removed(wizard: Wizard) -> None:
    wizard.database.work.show_result("1 store verified.", ok=True)
    wizard.page_list.setCurrentRow(2)
    type_over(wizard.load.form.rows["threads"].field, "32")
    assert wizard.database.work.note.text == "1 store verified."
    wizard.fill(RunPlan(name="another", targets=(Target(kind=EMBEDDED, database="ds3"),)))
    assert wizard.database.work.note.text == ""


def test_review_page_hides_the_summary(wizard: Wizard) -> None:
    assert wizard.summary.isVisible()
    wizard.page_list.setCurrentRow(4)
    assert not wizard.summary.isVisible()
    assert lacks(wizard.review.plan_sentences.texts, "2 clients × 8 users") == []


def test_small_window_hides_the_summary(wizard: Wizard) -> None:
    wizard.resize(wizard.fontMetrics().averageCharWidth() * 100, wizard.height())
    assert not wizard.summary.isVisible()
    wizard.resize(wizard.fontMetrics().averageCharWidth() * 180, wizard.height())
    assert wizard.summary.isVisible()


def test_enter_on_a_button_presses_that_button(qtbot: QtBot, wizard: Wizard) -> None:
    tab_to(wizard.footer.open_plan)
    with qtbot.waitSignal(wizard.footer.open_plan.clicked):
        QTest.keyClick(focused(), Qt.Key.Key_Return)
    assert wizard.current_page == 0


def test_failover_of_the_pair_can_be_planned_by_keyboard(qtbot: QtBot, wizard: Wizard) -> None:
    editor = wizard.targets.editor
    tab_to(editor.shape)
    press(Qt.Key.Key_Down)
    tab_to(editor.failover)
    press(Qt.Key.Key_Down)
    for _ in range(3):
        press(Qt.Key.Key_Return)
    assert focused() is wizard.faults.typed.line
    QTest.keyClicks(focused(), "T+20s freeze primary for 5s")
    press(Qt.Key.Key_Return)
    assert wizard.current_page == 3  # that Enter took the line, and no more
    press(Qt.Key.Key_Return)
    with qtbot.waitSignal(wizard.start_requested) as started:
        press(Qt.Key.Key_Return)
    plan, _ = started.args
    assert plan.targets == (Target(kind=EMBEDDED, nodes=2, sync=True, failover=PROBE),)
    assert plan.faults == (parse_fault("T+20s freeze primary for 5s"),)
    assert (plan.reset, plan.audit) == (True, True)
    kept = draft_from_dict(json.loads(json.dumps(draft_to_dict(wizard.draft))))
    assert _shown(qtbot, kept).draft.plan() == plan


def test_start_requires_the_name_of_the_endangered_target(qtbot: QtBot) -> None:
    wizard = _shown(qtbot, PlanDraft(faults=[FaultDraft.from_text("T+10s ssh root@r630 'reboot -f'")]))
    with qtbot.assertNotEmitted(wizard.start_requested):
        wizard.start.click()
    assert wizard.current_page == 4
    line = wizard.review.names.lines[0]
    assert focused() is line
    assert not wizard.start.isEnabled()
    with qtbot.assertNotEmitted(wizard.start_requested):
        QTest.keyClicks(line, "r63")
        press(Qt.Key.Key_Return)
    QTest.keyClicks(line, "0")
    assert wizard.start.isEnabled()
    with qtbot.waitSignal(wizard.start_requested):
        press(Qt.Key.Key_Return)


def test_impossible_injection_is_reported_at_its_fault(wizard: Wizard) -> None:
    wizard.page_list.setCurrentRow(3)
    wizard.focus_first()
    QTest.keyClicks(focused(), "T+20s switchover")
    press(Qt.Key.Key_Return)
    assert wizard.page_list.page_state(3) is PageState.WRONG
    assert "needs a standby" in wizard.faults.editor.form.form.rows["kind"].note.text
    assert "Fault 1" in wizard.summary.texts[0]
    wizard.page_list.setCurrentRow(0)
    tab_to(wizard.targets.editor.shape)
    press(Qt.Key.Key_Down)
    assert wizard.page_list.page_state(3) is PageState.READY


def test_invalid_sql_server_file_is_reported_and_focused(qtbot: QtBot, wizard: Wizard) -> None:
    plan = RunPlan(targets=(Target(kind=MSSQL, hosts=(Host("db1", 1433),)),), name="R630")
    wizard.fill(plan)
    wizard.page_list.setCurrentRow(1)
    qtbot.keyClicks(wizard.database.layout_form.fields["log.size_mb"], "much")
    assert wizard.summary.texts == ["Size of the log is 'much'; give a whole number."]
    wizard.page_list.setCurrentRow(0)
    wizard.start.click()
    assert wizard.current_page == 1
    wizard.fill(plan)
    assert wizard.draft.layout.log.size_mb == "much"


def test_another_workload_keeps_what_is_common_and_is_undone(wizard: Wizard) -> None:
    type_over(wizard.targets.clients, "4")
    wizard.page_list.setCurrentRow(2)
    type_over(wizard.load.form.rows["threads"].field, "32")
    before = deepcopy(wizard.draft)
    wizard.page_list.setCurrentRow(1)
    tab_to(wizard.database.workload)
    press(Qt.Key.Key_Down)
    plan = wizard.draft.plan()
    assert (plan.workload, plan.clients, plan.threads, plan.targets[0].database) == (WHOLESALE, 4, 32, "wholesale")
    assert wizard.targets.editor.database.text() == "wholesale"
    assert "NOPM" in wizard.summary.texts[-1]
    assert {"mix", "specified_times", "warehouse_choice"} <= wizard.load.form.rows.keys()
    assert "n_searches" not in wizard.load.form.rows
    wizard.page_list.setCurrentRow(3)
    wizard.undo()
    assert wizard.draft == before
    assert wizard.database.workload.currentText() == "DVD Store 2"
    assert wizard.load.form.rows["n_searches"].field.isVisibleTo(wizard.load)
    wizard.redo()
    assert wizard.draft.plan() == plan


def test_a_plan_of_wholesale_fills_every_page(wizard: Wizard) -> None:
    plan = RunPlan(
        targets=(Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me", database="w"),),
        workload=WHOLESALE,
        parameters={"warehouses": 50, "mix": "hammerdb", "specified_times": True, "warehouse_choice": "all"},
        reset=False,
        audit=True,
    )
    wizard.fill(plan)
    assert wizard.draft.plan() == plan
    assert wizard.database.workload.currentText() == "Wholesale"
    assert read_field(wizard.load.form.rows["specified_times"].field) is True
    assert "NOPM" in wizard.summary.texts[-1]


def test_a_mail_server_waits_for_its_workload_and_stays_when_it_is_chosen(qtbot: QtBot, wizard: Wizard) -> None:
    page, workload = wizard.targets, wizard.database.workload
    page.editor.kind.setCurrentIndex(page.editor.kind.findData(POSTGRESQL))
    page.editor.kind.activated.emit(page.editor.kind.currentIndex())
    page.editor.hosts.setText("mail://user@mx1/example.org")
    page.editor.hosts.editingFinished.emit()
    with qtbot.assertNotEmitted(wizard.test_requested):
        page.test.click()
    assert "choose workload Mail on the page Database" in page.editor.form.rows["kind"].note.text
    workload.setCurrentIndex(workload.findData(MAIL))
    workload.activated.emit(workload.currentIndex())
    assert page.editor.form.rows["kind"].note.text == ""
    assert (page.editor.hosts.text(), page.editor.database.text()) == ("mx1:143", "example.org")
    with qtbot.waitSignal(wizard.test_requested):
        page.test.click()
