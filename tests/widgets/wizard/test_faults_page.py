import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_draft import InjectionDraft
from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft
from engine.target.target import POSTGRESQL
from widgets.parts.look import Look
from widgets.wizard.fault_model import WHAT_COLUMN
from widgets.wizard.fault_table import USUAL_LABELS, USUAL_TEXTS
from widgets.wizard.faults_page import FaultsPage


@pytest.fixture
def page(qtbot: QtBot) -> FaultsPage:
    made = FaultsPage(Look())
    qtbot.addWidget(made)
    made.load(PlanDraft(typed={"minutes": "10"}))
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made


def _editor() -> QLineEdit:
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    return editor


def test_mark_is_added_named_and_timed_by_keyboard(qtbot: QtBot, page: FaultsPage) -> None:
    qtbot.keyClick(page.add, Qt.Key.Key_Space)
    assert _editor().accessibleName() == "Label"
    _editor().selectAll()
    qtbot.keyClicks(_editor(), "Controller A pulled")
    qtbot.keyClick(_editor(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.draft.faults == [FaultDraft("5:00", "Controller A pulled", is_fault=True)])
    for _ in range(2):
        qtbot.keyClick(page.table, Qt.Key.Key_Left)
    qtbot.keyClick(page.table, Qt.Key.Key_F2)
    _editor().selectAll()
    qtbot.keyClicks(_editor(), "2:30")
    qtbot.keyClick(_editor(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.draft.faults == [FaultDraft("2:30", "Controller A pulled", is_fault=True)])


def test_usual_labels_are_offered(qtbot: QtBot, page: FaultsPage) -> None:
    page.add.click()
    completer = _editor().completer()
    assert completer.model().rowCount() == len(USUAL_LABELS)


def test_added_marks_are_spread_over_the_rest_of_the_run(page: FaultsPage) -> None:
    for _ in range(3):
        page.add.click()
    assert [fault.at for fault in page.draft.faults] == ["5:00", "7:30", "8:45"]
    assert page.draft.validate() == {}


def test_delete_removes_the_selected_mark(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("1:00", "a"), FaultDraft("2:00", "b")], typed={"minutes": "10"}))
    assert not page.remove.isEnabled()
    page.table.setCurrentIndex(page.model.index(1, 0))
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert page.draft.faults == [FaultDraft("1:00", "a")]


def test_focus_stays_in_the_table_after_removing_the_last_fault(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("1:00", "a")], typed={"minutes": "10"}))
    page.table.setCurrentIndex(page.model.index(0, 0))
    page.remove.setFocus()
    qtbot.keyClick(page.remove, Qt.Key.Key_Space)
    assert page.draft.faults == []
    assert page.table.hasFocus()


def test_a_mark_is_dragged_on_the_line(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("1:00", "a"), FaultDraft("5:00", "b")], typed={"minutes": "10"}))
    strip = page.strip
    middle = strip.height() // 2
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=QPoint(round(strip.x_of(300)), middle))
    qtbot.mouseMove(strip, QPoint(round(strip.x_of(480)), middle))
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=QPoint(round(strip.x_of(480)), middle))
    assert page.table.currentIndex().row() == 1
    assert abs(page.draft.faults[1].at_seconds() - 480) < 5
    assert page.draft.faults[0].at == "1:00"


def test_only_a_run_with_users_has_a_ramp(page: FaultsPage) -> None:
    def warming_up_from(draft: PlanDraft) -> float:
        page.load(draft)
        return page.strip.x_of(-60 * float(draft.typed["warmup_minutes"]))

    times = {"minutes": "1", "warmup_minutes": "1"}
    begin = warming_up_from(PlanDraft(workload="storage", typed=times))
    with_users = [
        PlanDraft(typed=times),
        PlanDraft(workload="storage", typed=times, further_loads=[LoadDraft("mail")]),
    ]
    assert begin == page.fontMetrics().height() / 2
    assert all(warming_up_from(draft) > begin for draft in with_users)


def test_mark_after_the_end_is_reported(page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("5:00", "late")], typed={"minutes": "1"}))
    page.show_errors(page.draft.validate())
    assert page.note.is_wrong
    assert "5:00" in page.note.text
    page.focus_field("faults.0.at")
    assert (page.table.currentIndex().row(), page.table.currentIndex().column()) == (0, 0)


def test_invalid_time_is_not_drawn(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("soon", "a"), FaultDraft("5:00", "b")], typed={"minutes": "10"}))
    assert "a at" not in page.strip.accessibleDescription()
    assert "b at 5:00" in page.strip.accessibleDescription()


def test_injection_selected_in_the_form_is_shown_in_the_table(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(targets=[TargetDraft(shape="pair")], typed={"minutes": "10"}))
    qtbot.keyClick(page.inject, Qt.Key.Key_Space)
    form = page.editor.form
    assert form.action.hasFocus()
    qtbot.keyClick(form.action, Qt.Key.Key_F)  # the first of the actions that begin with it
    assert page.draft.faults[0].done.action == "freeze_primary"
    qtbot.keyClicks(form.form.rows["end_after"].field, "5")
    assert page.model.index(0, WHAT_COLUMN).data() == "freeze primary for 5s then thaw"
    assert page.draft.faults[0].called() == "Freeze primary"
    assert page.editor.sentence.text.startswith("At 5:00 of measuring: Freeze all processes of the primary (SIGSTOP).")
    assert not page.editor.judged.isVisible()
    assert "Freeze primary at 5:00" in page.strip.accessibleDescription()


def test_default_injection_without_embedded_server_is_a_statement(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1")], typed={"minutes": "10"}))
    page.inject.click()
    statement = page.editor.form.form.rows["statement"]
    assert statement.note.text == "Statement is empty; give one, such as SELECT pg_promote()."
    assert statement.field.hasFocus()
    qtbot.keyClicks(statement.field, "SELECT pg_promote()")
    assert page.draft.validate() == {}
    assert "can hurt db1" in page.editor.hurt.text


def test_default_injection_into_storage_is_a_command(qtbot: QtBot, page: FaultsPage) -> None:
    draft = PlanDraft(typed={"minutes": "10"})
    draft.choose_workload("storage")
    page.load(draft)
    qtbot.keyClick(page.inject, Qt.Key.Key_Space)
    assert page.draft.faults[0].done.kind == "run"
    command = page.editor.form.form.rows["command"].field
    assert command.hasFocus()
    qtbot.keyClicks(command, "/bin/true")
    assert page.editor.hurt.text.startswith("This can hurt workstation")


def test_action_is_edited_in_its_cell(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("1:00", "Failover")], typed={"minutes": "10"}))
    page.table.setCurrentIndex(page.model.index(0, WHAT_COLUMN))
    page.table.edit(page.table.currentIndex())
    assert _editor().completer().model().rowCount() == len(USUAL_TEXTS)
    _editor().selectAll()
    qtbot.keyClicks(_editor(), "T+2:30 delay network by x")
    qtbot.keyClick(_editor(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.draft.faults[0].at == "2:30")
    assert page.note.is_wrong
    assert page.editor.form.form.rows["typed"].note.is_wrong
    page.focus_field("faults.0.done.typed")
    assert page.editor.form.form.rows["typed"].field.hasFocus()


def test_mark_can_be_made_a_fault_by_check_box(qtbot: QtBot, page: FaultsPage) -> None:
    page.load(PlanDraft(faults=[FaultDraft("1:00", "Failover")], typed={"minutes": "10"}))
    page.table.setCurrentIndex(page.model.index(0, 0))
    qtbot.keyClick(page.editor.judged, Qt.Key.Key_Space)
    assert page.draft.faults == [FaultDraft("1:00", "Failover", is_fault=True)]


def test_form_is_disabled_without_a_selection_but_not_the_sentence_on_it(page: FaultsPage) -> None:
    assert not page.editor.form.isEnabled()
    assert page.editor.sentence.isEnabled()
    page.load(PlanDraft(faults=[FaultDraft("1:00", done=InjectionDraft())], typed={"minutes": "10"}))
    page.table.setCurrentIndex(page.model.index(0, 0))
    assert page.editor.form.isEnabled()
    page.remove.click()
    assert (page.editor.form.isEnabled(), page.draft.faults) == (False, [])


def test_form_is_below_the_table_in_a_narrow_window(qtbot: QtBot, page: FaultsPage) -> None:
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidgetResizable(True)
    area.setWidget(page)
    area.show()
    page.inject.click()
    for width, is_below in ((1_000, False), (520, True), (1_000, False)):
        area.resize(width, 800)
        QApplication.processEvents()
        assert area.horizontalScrollBar().maximum() == 0
        table, form = (part.mapTo(page, QPoint(0, 0)) for part in (page.table, page.editor))
        assert (form.y() > table.y() + page.table.height()) is is_below
    area.takeWidget()
