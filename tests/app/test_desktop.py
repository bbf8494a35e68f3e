"""The window as a whole: its places, what it remembers, what it says."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QSplitter, QToolButton
from pytestqt.qtbot import QtBot

from app.settings import read_settings
from app.window.main_window import Place
from app.window.theme import Theme
from engine.conduct.conductor import Conductor
from engine.conduct.interrupted import Settled
from engine.errors import UserError
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.parts.fault_dialog import FaultDialog
from widgets.parts.look import DARK
from widgets.parts.message_bar import Severity

_LOAD = {"threads": 1, "think_time_ms": 50, "warmup_minutes": 0.0, "minutes": 5}


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def compare(opened: OpenDesktop, records: Sequence[RunRecord]) -> QSplitter:
    """Show the comparison of these runs; what divides it."""
    library = opened.desktop.library
    opened.qtbot.keyClick(opened.desktop.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    library.page.compare_requested.emit([record.run_id for record in records])
    opened.wait_for(library.compare_page.table.isVisible)
    return library.compare_page.findChildren(QSplitter)[0]


def test_ctrl_1_to_3_show_the_pages(opened: OpenDesktop, qtbot: QtBot) -> None:
    window = opened.desktop.window
    shown = []
    for key in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1):
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        shown.append(window.place)
    assert shown == [2, 1, 0]
    assert [button.text() for button in window.findChildren(QToolButton) if button.isChecked()][:1] == ["New run"]


def test_library_shows_stored_runs(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    keep(home, a_run(minutes_later=0), a_run(minutes_later=5, name="second"))
    opened = open_desktop(qapp, qtbot, home)
    qtbot.keyClick(opened.desktop.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    opened.wait_for(lambda: opened.desktop.library.page.table.shown == 2)
    assert opened.desktop.window.focusWidget() is opened.desktop.library.page.table
    for key in (Qt.Key.Key_1, Qt.Key.Key_3):
        qtbot.keyClick(opened.desktop.window, key, Qt.KeyboardModifier.ControlModifier)
    assert opened.desktop.window.focusWidget() is opened.desktop.library.page.table
    opened.end()


def test_an_empty_library_offers_the_demonstration_to_the_keyboard(opened: OpenDesktop, qtbot: QtBot) -> None:
    page = opened.desktop.library.page
    qtbot.keyClick(opened.desktop.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    opened.wait_for(lambda: page.empty.demo_button.isVisible())
    assert opened.desktop.window.focusWidget() is page.empty.demo_button


def test_theme_and_draft_survive_a_restart(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = open_desktop(qapp, qtbot, home)
    first.desktop.settings_page.show()
    assert first.desktop.settings_page.dialog is not None
    theme = first.desktop.settings_page.dialog.fields["theme"]
    assert isinstance(theme, QComboBox)
    theme.setCurrentIndex(theme.findData("dark"))
    theme.activated.emit(theme.currentIndex())
    first.wait_for(lambda: first.desktop.look.is_dark)
    first.desktop.new_run.fill(RunPlan(threads=13, name="kept draft", parameters={"db_size": DbSize(10, "MB")}))
    first.end()
    settings, trouble = read_settings(home / "settings.json")
    assert (settings.theme, trouble) == ("dark", "")
    second = open_desktop(qapp, qtbot, home)
    assert second.desktop.look.colours is DARK
    assert second.desktop.new_run.widget.draft.plan().threads == 13
    assert second.desktop.new_run.widget.draft.plan().name == "kept draft"
    second.desktop.themer.choose(Theme.SYSTEM)
    second.end()


def test_comparison_divider_position_survives_a_restart(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    records = a_run(), a_run(minutes_later=5)
    keep(home, *records)
    first = open_desktop(qapp, qtbot, home)
    page, divider = first.desktop.library.compare_page, compare(first, records)
    usual, (above, below) = page.save_layout(), divider.sizes()
    divider.setSizes([above - 60, below + 60])
    chosen = page.save_layout()
    assert chosen != usual
    first.end()
    second = open_desktop(qapp, qtbot, home)
    assert second.desktop.library.compare_page.save_layout() == chosen
    second.end()


@pytest.mark.parametrize("content", [b"{oops", b'{"theme": "d\xe4rk"}'], ids=["no JSON", "not UTF-8"])
def test_damaged_settings_file_is_reported_and_the_window_opens(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, content: bytes
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_bytes(content)
    opened = open_desktop(qapp, qtbot, home)
    opened.wait_for(lambda: "could not be understood" in opened.desktop.window.bar.text)
    opened.end()


def test_second_run_is_refused_with_a_message(opened: OpenDesktop, store: str) -> None:
    plan = RunPlan.from_dict({"targets": [store], **_LOAD})
    opened.desktop.start_run(plan, reset=False)
    opened.wait_for(lambda: opened.desktop.live_run.is_running)
    opened.desktop.show_new_run()
    opened.desktop.start_run(plan, reset=False)
    opened.wait_for(lambda: opened.desktop.window.bar.text.startswith("A run is in progress; stop it before"))
    assert opened.desktop.window.place == Place.NEW_RUN
    assert len(opened.desktop.workbench.library().runs()) == 1


def test_run_stays_in_the_library_if_storing_its_end_fails(
    opened: OpenDesktop, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Conductor.finish

    def finish_in_vain(conductor: Conductor, **_: bool) -> RunRecord:
        finish(conductor)
        raise UserError("the record can't be read.")

    monkeypatch.setattr(Conductor, "finish", finish_in_vain)
    desktop, page = opened.desktop, opened.desktop.live.widget
    plan = RunPlan.from_dict({"targets": [store], **_LOAD})
    desktop.start_run(plan, reset=False)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
    desktop.live_run.stop()
    opened.wait_for(lambda: desktop.window.bar.text == "The record can't be read.")
    assert not desktop.live_run.is_busy
    assert page.run is desktop.live_run.data
    assert page.view.isVisible()
    assert page.ended.isVisible()


def test_user_error_is_shown_in_the_message_bar(opened: OpenDesktop) -> None:
    opened.desktop.messages.show_error(UserError("host db1 refused postgresql://me:secret@db1/ds2."))
    opened.wait_for(lambda: opened.desktop.window.bar.severity is Severity.ERROR)
    assert opened.desktop.window.bar.text.startswith("Host db1 refused")
    assert "secret" not in opened.desktop.window.bar.text


def test_internal_error_opens_one_dialog_without_password(
    opened: OpenDesktop, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        opened.desktop.messages.show_error(ZeroDivisionError("at postgresql://me:secret@db1/ds2"))
    opened.wait_for(lambda: bool(opened.desktop.window.findChildren(FaultDialog)))
    dialogs = opened.desktop.window.findChildren(FaultDialog)
    assert len(dialogs) == 1
    assert "ZeroDivisionError" in dialogs[0].details
    assert "secret" not in dialogs[0].details
    dialogs[0].close()
    assert "unexpected error" in caplog.text


def test_message_on_an_interrupted_run_stays_until_the_library_is_looked_at(opened: OpenDesktop) -> None:
    window, settled = opened.desktop.window, opened.desktop.library.watch.settled
    run = a_run(state=RunState.INTERRUPTED, name="cut short")
    opened.desktop.show_new_run()
    settled.emit(Settled(interrupted=(run,)))
    assert (window.bar.text[:13], window.bar.severity) == ("Run cut short", Severity.WARNING)
    opened.desktop.show_live()
    assert window.bar.text
    window.show_place(Place.LIBRARY)
    assert not window.bar.text
    settled.emit(Settled(interrupted=(run,)))
    assert window.bar.severity is Severity.INFO  # it leaves by itself, as the run is in the list
    opened.desktop.show_new_run()


def test_interrupted_run_is_offered_at_start(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    keep(home, a_run(state=RunState.MEASURING, ended_at=None, totals=None, name="cut short"))
    opened = open_desktop(qapp, qtbot, home)
    bar = opened.desktop.window.bar
    opened.wait_for(lambda: bar.text.startswith("Run cut short was interrupted"))
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    run_page = opened.desktop.library.run_page
    opened.wait_for(lambda: run_page.run_id != "")
    assert opened.desktop.window.place == 2
    opened.end()
