"""What New run does in the background for the wizard, in the real window."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop import Desktop
from app.window.main_window import Place
from engine.databases.database import Timeouts
from engine.draft.plan_draft import PlanDraft
from engine.lab.server import EmbeddedServer
from engine.machines.inventory import change_inventory
from engine.machines.machine import Machine
from engine.plan.file import write_plan_file
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.target.target import MARIADB
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.calling import in_process
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.engine.workloads.dvdstore.sessions import store_at
from widgets.parts.message_bar import Severity
from widgets.wizard.replace_question import ReplaceQuestion
from widgets.wizard.store_work import StoreWork


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def open_plan(desktop: Desktop, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press the button, and choose this file when asked."""
    files = desktop.new_run._services.files
    monkeypatch.setattr(files, "ask_open", lambda _title, _pattern, take, **_options: take([path]))
    desktop.new_run.widget.footer.open_plan.click()


def test_opened_plan_has_a_message_that_restores_the_draft(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop, bar = opened.desktop, opened.desktop.window.bar
    desktop.new_run.widget.fill(RunPlan(threads=13, name="typed for an hour"))
    path = tmp_path / "nightly.toml"
    write_plan_file(path, RunPlan(threads=7, name="nightly"))
    open_plan(desktop, path, monkeypatch)
    opened.wait_for(lambda: bar.text == "Opened nightly.toml.")
    assert desktop.new_run.widget.draft.plan().threads == 7
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    plan = desktop.new_run.widget.draft.plan()
    assert (plan.threads, plan.name) == (13, "typed for an hour")
    assert desktop.new_run.widget.load.form.rows["threads"].field.text() == "13"


def test_opening_a_plan_clears_a_plan_file_error(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = opened.desktop.window.bar
    broken, good = tmp_path / "broken.toml", tmp_path / "good.toml"
    broken.write_text("threads = many", encoding="utf-8")
    write_plan_file(good, RunPlan(threads=7))
    open_plan(opened.desktop, broken, monkeypatch)
    opened.wait_for(lambda: bar.severity is Severity.ERROR)
    open_plan(opened.desktop, good, monkeypatch)
    opened.wait_for(lambda: bar.text == "Opened good.toml.")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert bar.text == ""  # the error does not come back


def test_start_with_an_unknown_load_machine_stays_at_its_field(opened: OpenDesktop) -> None:
    desktop = opened.desktop
    wizard, field = desktop.new_run.widget, desktop.new_run.widget.load.form.rows["load_machines"]
    wizard.page_list.setCurrentRow(2)
    field.field.setText("nosuch=1")  # type: ignore[attr-defined]
    field.field.textEdited.emit("nosuch=1")  # type: ignore[attr-defined]
    opened.wait_for(lambda: field.note.text.startswith("Load machines: 'nosuch' is not in the inventory; add it"))
    wizard.start.click()
    assert desktop.window.place == Place.NEW_RUN
    assert not desktop.live_run.is_busy
    change_inventory(desktop.workbench.places.machines, lambda found: found.put(Machine(name="nosuch")))
    desktop.machines.read()  # as when it is saved in Machines
    opened.wait_for(lambda: "nosuch" not in field.note.text)


def test_plan_of_a_past_run_has_a_message(opened: OpenDesktop) -> None:
    opened.desktop.library.new_run_from_plan_requested.emit(RunPlan(threads=7, name="nightly"))
    opened.wait_for(lambda: opened.desktop.window.bar.text == "Opened the plan “nightly”.")


def test_a_start_ends_the_message_of_the_opened_plan_and_its_refusal_is_told_on_new_run(opened: OpenDesktop) -> None:
    desktop, window = opened.desktop, opened.desktop.window
    desktop.new_run.fill(RunPlan.from_dict({"targets": ["postgresql://me@127.0.0.1:1/ds2"]}))
    assert window.bar.text == "Opened the plan."
    desktop.new_run.widget.start.click()
    assert window.bar.text == ""
    assert window.place == Place.LIVE
    opened.wait_for(lambda: window.place == Place.NEW_RUN)
    opened.wait_for(lambda: "127.0.0.1" in window.bar.text)
    assert window.place == Place.NEW_RUN


@pytest.mark.parametrize("is_installed", [True, False])
def test_drivers_are_listed_if_the_database_kind_needs_one(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    if not is_installed:
        monkeypatch.setattr("pyodbc.drivers", list)
    opened = open_desktop(qapp, qtbot, tmp_path)
    editor = opened.desktop.new_run.widget.targets.editor
    while editor.kind.currentData() != MARIADB:
        qtbot.keyClick(editor.kind, Qt.Key.Key_Down)
    expected = "is used." if is_installed else "no ODBC driver for MariaDB is installed; "
    opened.wait_for(lambda: expected.lower() in editor.form.rows["driver"].note.text.lower())
    opened.end()


def test_recent_plan_file_is_opened_again(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    plan_file, gone = tmp_path / "night.toml", tmp_path / "gone.toml"
    write_plan_file(plan_file, RunPlan(name="night", threads=32, minutes=30))
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    place = opened.desktop.new_run
    place.recent_plans = [str(gone)]
    place.open_plan(plan_file)
    opened.wait_for(lambda: place.widget.draft.typed["name"] == "night")
    assert opened.desktop.window.bar.text == "Opened night.toml."
    assert place.recent_plans == [str(plan_file), str(gone)]
    opened.desktop.window.bar.action_button.click()
    assert place.widget.draft == PlanDraft()

    menu = place.widget.footer.recent.menu()
    menu.aboutToShow.emit()
    opened.wait_for(lambda: [action.isEnabled() for action in menu.actions()] == [True, False])
    menu.actions()[0].trigger()
    opened.wait_for(lambda: place.widget.draft.typed["name"] == "night")
    opened.end()

    again = open_desktop(qapp, qtbot, tmp_path / "home")
    assert again.desktop.new_run.recent_plans == [str(plan_file), str(gone)]
    again.end()


def test_saved_presets_and_targets_are_restored(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    wizard = opened.desktop.new_run.widget
    wizard.load.saved.save_requested.emit("night")
    wizard.targets.saved.save_requested.emit("practice")
    opened.end()
    again = open_desktop(qapp, qtbot, tmp_path)
    wizard = again.desktop.new_run.widget
    assert [preset.name for preset in wizard.load.own_presets] == ["night"]
    assert [saved.name for saved in wizard.targets.saved_targets] == ["practice"]
    again.end()


_LONG = DbSize(500, "MB")
"""A store whose build takes longer than the window can be late to show it."""


@pytest.fixture
def plan(embedded_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunPlan]:
    """A 1MB store in a database that no other test uses, and that is gone after the test."""
    monkeypatch.setenv("SPINDLE_PASSWORD", embedded_server.secret.reveal())
    target = embedded_server.target("replaced_in_the_window")
    store = store_at(target, embedded_server.secret, Timeouts())
    store.build("1MB", 1, replace=False, report_progress=lambda _: None, cancelled=lambda: False)
    yield RunPlan(targets=(target,), parameters={"db_size": DbSize(2, "MB")})
    store.drop()


def _asked(opened: OpenDesktop, plan: RunPlan) -> tuple[ReplaceQuestion, StoreWork]:
    """Choose to replace the store; returns the question that opens, and the widget that will show the outcome."""
    wizard = opened.desktop.new_run.widget
    wizard.database.build_requested.emit(plan, True, None)
    opened.wait_for(lambda: bool(wizard.findChildren(ReplaceQuestion)))
    (question,) = wizard.findChildren(ReplaceQuestion)
    return question, wizard.database.work


def test_store_is_replaced_only_after_confirmation(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, plan: RunPlan
) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    question, work = _asked(opened, plan)
    assert "Database 'replaced_in_the_window' on 127.0.0.1 holds a 1MB store." in question.informativeText()
    question.keep.click()
    opened.wait_for(lambda: work.note.text == "Nothing was changed.")
    opened.wait_for(lambda: not opened.desktop.new_run.widget.findChildren(ReplaceQuestion))
    question, work = _asked(opened, plan)
    question.go_on.click()
    opened.wait_for(lambda: work.note.text == "1 store of 2MB built.")
    opened.end()


def test_cancelled_replacement_reports_the_existing_store(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, plan: RunPlan
) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    question, work = _asked(opened, plan.with_scale(_LONG))
    question.go_on.click()
    opened.wait_for(lambda: "loading" in work.note.text)
    work.cancel.click()
    opened.wait_for(lambda: "Cancelled" in work.note.text)
    assert work.note.text == "Cancelled; database 'replaced_in_the_window' still holds its 1MB store."
    opened.end()


def test_old_store_is_deleted_first_on_request(qapp: QApplication, qtbot: QtBot, tmp_path: Path, plan: RunPlan) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    question, work = _asked(opened, plan.with_scale(_LONG))
    question.delete_first.click()
    question.go_on.click()
    opened.wait_for(lambda: "loading" in work.note.text)
    work.cancel.click()
    opened.wait_for(lambda: "Cancelled" in work.note.text)
    assert work.note.text.startswith("Cancelled; the earlier store was deleted before, ")
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    work.replaces.setChecked(False)
    opened.desktop.new_run.widget.database.build_requested.emit(plan.with_scale(DbSize(1, "MB")), False, None)
    opened.wait_for(lambda: work.note.text == "1 store of 1MB built.")
    opened.end()


def test_question_mentions_that_the_old_store_must_be_deleted_first(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, plan: RunPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.databases.postgresql.store.free_bytes", lambda _connection: 4_000_000)
    opened = open_desktop(qapp, qtbot, tmp_path)
    question, work = _asked(opened, plan)
    assert question.text() == "Delete the store first?"
    assert "There is no room to build the new one beside it" in question.informativeText()
    question.go_on.click()
    opened.wait_for(lambda: work.note.text == "1 store of 2MB built.")
    opened.end()


def test_run_in_the_window_leases_its_store(qapp: QApplication, qtbot: QtBot, tmp_path: Path, plan: RunPlan) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path)
    live = opened.desktop.live_run
    driven = replace(plan, name="R630", parameters={}, threads=1, think_time_ms=50, warmup_minutes=0, minutes=5)
    opened.desktop.start_run(driven, reset=False, audit=True)
    opened.wait_for(lambda: live.data is not None and live.data.state is RunState.MEASURING)
    url = plan.targets[0].url
    for command in (["reset"], ["build", "--replace"], ["run", "--minutes", "0.01", "--quiet"], ["drop", "--yes"]):
        refused = in_process(*command, "--target", url)
        assert refused.code == 1, command
        assert "is in use since" in refused.err
        assert "(run 'R630', Spindle window, process " in refused.err
    live.stop()
    opened.wait_for(lambda: "No order was lost" in opened.desktop.live.widget.ended.audit.text)
    assert in_process("reset", "--target", url).code == 0
    opened.end()
