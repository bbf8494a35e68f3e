import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft
from engine.workload.registry import WHOLESALE
from tests.texts import lacks
from widgets.parts.look import Look
from widgets.wizard.review_page import ReviewPage, error_sentences


@pytest.fixture
def page(qtbot: QtBot) -> ReviewPage:
    made = ReviewPage(Look())
    qtbot.addWidget(made)
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    _show(made, PlanDraft())
    return made


def _show(page: ReviewPage, draft: PlanDraft) -> None:
    page.load(draft)
    page.show_errors(draft.validate())


def test_plan_and_touched_stores_are_described(page: ReviewPage) -> None:
    assert lacks(page.plan_sentences.texts, "2 clients × 8 users", "20 ms", "100MB") == []
    assert lacks(page.touched.texts, "1 store", "ds2", "embedded server") == []


def test_name_note_and_tags_are_stored_in_the_plan(qtbot: QtBot, page: ReviewPage) -> None:
    for name, text in (("name", " 2"), ("note", "after the patch"), ("tags", "ssd, nightly")):
        qtbot.keyClicks(page.form.rows[name].field, text)
    plan = page.draft.plan()
    assert (plan.name, plan.note, plan.tags) == ("Demonstration 2", "after the patch", ("ssd", "nightly"))
    assert "--note 'after the patch'" in page.command.text()


def test_default_name_follows_the_plan(qtbot: QtBot, page: ReviewPage) -> None:
    assert page.name.text() == "Demonstration"
    page.draft.targets[0] = TargetDraft(kind="postgresql", hosts="db1.lab")
    page.show_errors(page.draft.validate())
    assert page.name.text() == "db1.lab, 2 × 8 users, 20 ms"
    page.draft.typed["threads"] = "32"
    page.draft.faults = [FaultDraft.from_text("T+40s kill primary")]
    page.draft.targets[0] = TargetDraft(shape="pair")
    page.show_errors(page.draft.validate())
    assert page.name.text() == "Embedded pair, 2 × 32 users, 20 ms, Kill primary"
    assert "follows it" in page.form.rows["name"].note.text


def test_entered_name_is_kept_and_empty_name_is_proposed(qtbot: QtBot, page: ReviewPage) -> None:
    qtbot.keyClicks(page.name, " at night")
    page.draft.typed["threads"] = "32"
    page.show_errors(page.draft.validate())
    assert page.name.text() == page.draft.plan().name == "Demonstration at night"
    page.name.selectAll()
    qtbot.keyClick(page.name, Qt.Key.Key_Delete)
    qtbot.keyClick(page.name, Qt.Key.Key_Return)
    assert page.draft.typed["name"] == ""
    assert page.name.text() == "Embedded server, 2 × 32 users, 20 ms"


def test_the_command_line_is_copied_and_the_plan_saved(qtbot: QtBot, page: ReviewPage) -> None:
    plan = page.draft.plan()
    with qtbot.waitSignal(page.copy_requested) as copied:
        qtbot.keyClick(page.copy, Qt.Key.Key_Space)
    assert copied.args == [page.command.text()]
    assert page.command.text().startswith("spindle run --")
    with qtbot.waitSignal(page.save_plan_requested) as saved:
        qtbot.keyClick(page.save, Qt.Key.Key_Space)
    assert saved.args == [plan]


def test_plan_without_equivalent_options_must_be_saved_first(page: ReviewPage) -> None:
    _show(page, PlanDraft(targets=[TargetDraft(label="array A")]))
    assert page.command.text() == "spindle run array-a-2x8-users-20-ms.toml"
    assert "array-a-2x8-users-20-ms.toml" in page.form.rows["command"].note.text


def test_invalid_draft_shows_errors_and_disables_actions(page: ReviewPage) -> None:
    _show(page, PlanDraft(targets=[TargetDraft(), TargetDraft(database="")], typed={"threads": "many"}))
    target, users = page.plan_sentences.texts
    assert lacks(target, "target 2", "database is ''") == []
    assert lacks(users, "users per client is 'many'") == []
    assert not page.save.isEnabled()
    assert not page.copy.isEnabled()
    assert page.command.text() == ""


def test_error_sentences_name_target_or_fault() -> None:
    errors = {"targets.0.hosts": "Hosts is empty.", "faults.2.at": "Time is late.", "targets": "There is none."}
    assert error_sentences(errors) == ["Target 1: Hosts is empty.", "Fault 3: Time is late.", "There is none."]


def test_audit_is_part_of_the_plan_when_ticked(qtbot: QtBot, page: ReviewPage) -> None:
    assert page.audit.isChecked()
    assert page.command.text().endswith("--audit")
    qtbot.keyClick(page.audit, Qt.Key.Key_Space)
    assert not page.draft.audits
    assert not page.command.text().endswith("--audit")


def test_dangerous_fault_requires_typing_the_name(page: ReviewPage) -> None:
    _show(page, PlanDraft(faults=[FaultDraft.from_text("T+10s kill primary")]))
    assert page.names.names == ()  # the embedded lab is ours
    _show(page, PlanDraft(faults=[FaultDraft.from_text("T+10s ssh root@r630 'reboot -f'")]))
    assert page.names.names == ("r630",)
    assert "On root@r630, over ssh, run reboot -f" in " ".join(page.plan_sentences.texts)
    _show(page, PlanDraft(faults=[FaultDraft.from_text("T+10s ssh root@r630 'reboot -f'")], typed={"threads": "many"}))
    assert page.names.names == ()


def test_wholesale_says_what_its_results_compare_with(page: ReviewPage) -> None:
    page.show()
    assert not page.comparability.isVisible()
    draft = PlanDraft()
    draft.choose_workload(WHOLESALE)
    _show(page, draft)
    assert page.comparability.isVisible()
    assert "not comparable to published TPC-C results" in page.comparability.text
    assert page.name.text() == "Wholesale, Embedded server, 2 × 8 users, 20 ms"
    assert page.command.text().startswith(
        "spindle run --target embedded:///wholesale --workload wholesale --clients 2 --reset --warehouses 1 --users 8"
    )
    assert page.touched.texts[0].endswith("are written into 1 store: wholesale on the embedded server.")
