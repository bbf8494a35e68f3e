"""The window while another process writes to its library: what it shows follows, and nothing else moves."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from app.library import jobs as library_jobs
from app.library import run_following
from app.library.place import LibraryPlace
from app.window.main_window import Place
from engine.analysis.run_data import RunData
from engine.audit.report import AuditReport, Verdict
from engine.errors import UserError
from engine.faults.marks import new_mark
from engine.files.disk_space import SPARE_VARIABLE, spare_name
from engine.library.library import Library
from engine.record.record import RunState
from tests.app.calling import REPOSITORY, in_process
from tests.app.runs import a_run, keep
from tests.app.window_parts import WHILE_MS, OpenDesktop, open_desktop
from tests.small_disk import small_disk
from tests.widgets.parts.charts import drawn_points
from widgets.library.run_columns import NAMES

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in range(40)]
IDS = [run.run_id for run in RUNS]


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[OpenDesktop]:
    keep(home, *RUNS)
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.window.show_place(Place.LIBRARY)
    opened.wait_for(lambda: opened.desktop.library.page.table.shown == len(RUNS))
    yield opened
    opened.end()


@pytest.fixture
def place(opened: OpenDesktop) -> LibraryPlace:
    return opened.desktop.library


def spindle(opened: OpenDesktop, *arguments: str) -> None:
    """The command line, in a process of its own."""
    outcome = in_process("--home", str(opened.desktop.workbench.places.home), *arguments)
    assert outcome.code == 0, outcome.err


def elsewhere_opened(opened: OpenDesktop) -> Library:
    """The library opened once more: its writes come to the window as those of another process do."""
    return Library.open(opened.desktop.workbench.places.library, notify=print)


def rename(opened: OpenDesktop, run_id: str, name: str) -> None:
    """Rename a run elsewhere."""
    with elsewhere_opened(opened) as library:
        library.rename(run_id, name)


def delete(opened: OpenDesktop, run_id: str) -> None:
    """Delete a run elsewhere."""
    with elsewhere_opened(opened) as library:
        library.delete(run_id)


def shown_name(place: LibraryPlace, run_id: str) -> str:
    """The name in the table's row of a run; empty when it is not there."""
    model = place.page.table.model()
    rows = [row for row in range(model.rowCount()) if model.run_at(row).run_id == run_id]
    return str(model.index(rows[0], NAMES.index("name")).data()) if rows else ""


def shown_run(place: LibraryPlace) -> RunData:
    """The run on the open page."""
    data = place.run_page.view.run
    assert data is not None
    return data


def state_of(place: LibraryPlace, run_id: str) -> RunState | None:
    model = place.page.table.model()
    found = [model.run_at(row).state for row in range(model.rowCount()) if model.run_at(row).run_id == run_id]
    return found[0] if found else None


def test_command_line_changes_appear_and_selection_is_kept(opened: OpenDesktop, place: LibraryPlace) -> None:
    table = place.page.table
    place.page.select_runs([IDS[20]])
    table.verticalScrollBar().setValue(10)
    top = table.indexAt(table.viewport().rect().topLeft()).siblingAtColumn(NAMES.index("name")).data()
    table.setFocus()
    spindle(opened, "library", "rename", IDS[30], "renamed elsewhere")
    opened.wait_for(lambda: shown_name(place, IDS[30]) == "renamed elsewhere")
    spindle(opened, "library", "delete", IDS[0])
    opened.wait_for(lambda: table.shown == len(RUNS) - 1)
    keep(opened.desktop.workbench.places.home, a_run(minutes_later=99, name="measured elsewhere"))
    opened.wait_for(lambda: table.shown == len(RUNS))
    assert table.selected_ids() == [IDS[20]]
    assert table.indexAt(table.viewport().rect().topLeft()).siblingAtColumn(NAMES.index("name")).data() == top
    assert table.hasFocus()


def test_search_includes_runs_added_later(opened: OpenDesktop, place: LibraryPlace) -> None:
    search = place.page.filters.search
    search.setFocus()
    opened.qtbot.keyClicks(search, "elsewhere")
    assert place.page.table.shown == 0
    rename(opened, IDS[3], "measured elsewhere")
    opened.wait_for(lambda: place.page.table.shown == 1)
    assert search.text() == "elsewhere"
    assert search.hasFocus()


def test_refresh_does_not_interrupt_name_editing(opened: OpenDesktop, place: LibraryPlace) -> None:
    table = place.page.table
    place.page.select_runs([IDS[39]])
    table.edit_name()
    editor = table.viewport().findChild(QLineEdit)
    opened.qtbot.keyClicks(editor, "half a na")
    delete(opened, IDS[1])
    with opened.qtbot.waitSignal(place.watch.listed, timeout=WHILE_MS):
        pass
    assert table.is_editing
    assert editor.text() == "half a na"
    opened.qtbot.keyClick(editor, Qt.Key.Key_Return)
    opened.wait_for(lambda: table.shown == len(RUNS) - 1)
    opened.wait_for(lambda: shown_name(place, IDS[39]) == "half a na")


def test_library_is_not_polled_while_hidden(opened: OpenDesktop, place: LibraryPlace) -> None:
    window = opened.desktop.window
    assert place.watch.is_watching
    window.show_place(0)
    assert not place.watch.is_watching
    rename(opened, IDS[5], "renamed meanwhile")
    window.show_place(2)
    opened.wait_for(lambda: shown_name(place, IDS[5]) == "renamed meanwhile")
    window.showMinimized()
    opened.wait_for(lambda: not place.watch.is_watching)
    rename(opened, IDS[5], "renamed again")
    window.showNormal()
    opened.wait_for(lambda: shown_name(place, IDS[5]) == "renamed again")


def test_f5_reads_the_library_again(opened: OpenDesktop, place: LibraryPlace) -> None:
    place.page.table.setFocus()
    with opened.qtbot.waitSignal(place.watch.listed, timeout=WHILE_MS):
        opened.qtbot.keyClick(place.page.table, Qt.Key.Key_F5)
    assert place.page.table.shown == len(RUNS)


def test_run_page_updates_name_audit_and_marks(opened: OpenDesktop, place: LibraryPlace) -> None:
    place.page.open_requested.emit(IDS[7])
    opened.wait_for(lambda: place.run_page.run_id == IDS[7])
    chart = place.run_page.view.chart.chart
    chart.show_range(1.0, 7.0)
    with elsewhere_opened(opened) as library:
        library.marks.put(IDS[7], new_mark("switch-over", 4.0))
        library.set_audit(IDS[7], AuditReport(verdict=Verdict.CLEAN, stores=()).to_dict())
    rename(opened, IDS[7], "known by another name")
    opened.wait_for(lambda: shown_run(place).name == "known by another name")
    assert "switch-over" in [mark.label for mark in chart.marks]
    assert (chart.is_live, chart.visible_range) == (False, (1.0, 7.0))
    opened.qtbot.keyClick(place.run_page, Qt.Key.Key_Escape)
    opened.wait_for(lambda: shown_name(place, IDS[7]) == "known by another name")


def test_deletion_of_the_open_run_by_another_process_is_reported(opened: OpenDesktop, place: LibraryPlace) -> None:
    place.page.open_requested.emit(IDS[7])
    opened.wait_for(lambda: place.run_page.run_id == IDS[7])
    delete(opened, IDS[7])
    opened.wait_for(lambda: "run 7 was deleted by another program" in opened.desktop.window.bar.text.lower())
    assert place.widget.currentWidget() is place.run_page


def test_transient_read_error_does_not_close_the_open_run(
    opened: OpenDesktop, place: LibraryPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UserError("the disk is gone; see to it.")

    place.page.open_requested.emit(IDS[7])
    opened.wait_for(lambda: place.run_page.run_id == IDS[7])
    with monkeypatch.context() as patched:
        patched.setattr(run_following, "_find", refuse)
        place.stored_run.follow()
        opened.wait_for(lambda: opened.desktop.window.bar.text == "The disk is gone; see to it.")
    rename(opened, IDS[7], "readable again")
    opened.wait_for(lambda: shown_run(place).name == "readable again")


def test_change_that_comes_while_the_open_run_is_read_is_shown(
    opened: OpenDesktop, place: LibraryPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, has_read, gate = run_following._find, threading.Event(), threading.Event()

    def slow(*arguments: Any) -> object:
        found = find(*arguments)
        has_read.set()
        assert gate.wait(WHILE_MS / 1000)
        return found

    place.page.open_requested.emit(IDS[7])
    opened.wait_for(lambda: place.run_page.run_id == IDS[7])
    monkeypatch.setattr(run_following, "_find", slow)
    place.stored_run.follow()
    assert has_read.wait(WHILE_MS / 1000)
    rename(opened, IDS[7], "renamed meanwhile")
    with opened.qtbot.waitSignal(place.watch.changed, timeout=WHILE_MS):
        pass
    gate.set()
    opened.wait_for(lambda: shown_run(place).name == "renamed meanwhile")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for rescued runs."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv(SPARE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def writing(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that keeps a run of its own until it is killed."""
    command = [sys.executable, "-m", "tests.engine.library.writing_process", str(home / "library.sqlite")]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait(60)
    assert process.stdout is not None
    process.stdout.close()


def test_run_of_another_process_is_followed_until_it_exits(
    opened: OpenDesktop, place: LibraryPlace, writing: subprocess.Popen[str]
) -> None:
    assert writing.stdout is not None
    run_id = writing.stdout.readline().strip()
    opened.wait_for(lambda: state_of(place, run_id) is RunState.MEASURING)
    place.page.select_runs([run_id])
    preview = place.page.preview
    opened.wait_for(lambda: tuple(preview.chart.curves.by_key) == ("total",) and preview.run_id == run_id)

    def previewed_seconds() -> float:
        return float(drawn_points(place.page.preview.chart, "total")[0][-1])

    before = previewed_seconds()
    opened.wait_for(lambda: previewed_seconds() > before + 20)

    place.page.open_requested.emit(run_id)
    opened.wait_for(lambda: place.run_page.run_id == run_id)
    data = shown_run(place)
    opened_with = data.series.seconds
    assert not place.run_page.view.head.buttons.isVisible()
    opened.wait_for(lambda: data.series.seconds > opened_with + 20)
    assert shown_run(place) is data

    writing.kill()
    writing.wait(60)
    opened.wait_for(lambda: shown_run(place).state is RunState.INTERRUPTED)
    with Library.open(opened.desktop.workbench.places.library, notify=print) as library:
        kept = library.series(run_id)
    ended = shown_run(place)
    assert ended.series.seconds == kept.seconds
    assert ended.series.count("order.n") == kept.count("order.n")
    opened.qtbot.keyClick(place.run_page, Qt.Key.Key_Escape)
    opened.wait_for(lambda: state_of(place, run_id) is RunState.INTERRUPTED)
    opened.wait_for(lambda: previewed_seconds() > ended.series.seconds - 2)


def test_import_of_a_rescued_run_is_reported(
    opened: OpenDesktop, place: LibraryPlace, writing: subprocess.Popen[str], home: Path, elsewhere: Path
) -> None:
    assert writing.stdout is not None
    run_id = writing.stdout.readline().strip()
    opened.wait_for(lambda: state_of(place, run_id) is RunState.MEASURING)
    waiting = a_run(minutes_later=99, name="had no room")
    path = elsewhere / spare_name(home, f"{waiting.run_id}.sqlite")
    with Library.open(path, notify=pytest.fail) as rescued:
        rescued.add_imported(waiting, (), ())
    writing.kill()
    writing.wait(60)
    opened.wait_for(lambda: shown_name(place, waiting.run_id) == "had no room")
    opened.wait_for(lambda: opened.desktop.window.bar.text.startswith("Run had no room, which was kept in"))
    assert opened.desktop.window.bar.text.endswith("is in the library now.")
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: place.run_page.run_id == waiting.run_id)
    assert not path.exists()


def test_unreadable_library_is_reported_once(
    opened: OpenDesktop, place: LibraryPlace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def refuse(library: Library) -> None:
        asked.append(library)
        raise UserError("the disk is gone; see to it.")

    bar = opened.desktop.window.bar
    with monkeypatch.context() as patched:
        patched.setattr(library_jobs, "list_library", refuse)
        place.mark_stale()
        place.reload()
        opened.wait_for(lambda: bar.text == "The disk is gone; see to it.")
        close = next(each for each in bar.findChildren(QToolButton) if each.accessibleName() == "Close the message")
        qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
        opened.wait_for(lambda: len(asked) > 2)
        assert bar.text == ""
    rename(opened, IDS[4], "readable again")
    opened.wait_for(lambda: shown_name(place, IDS[4]) == "readable again")


def test_library_on_a_full_disk_is_shown_and_polled_again_later(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        keep(disk.path, *RUNS)
        disk.fill()
        opened = open_desktop(qapp, qtbot, disk.path)
        place = opened.desktop.library
        opened.desktop.window.show_place(Place.LIBRARY)
        opened.wait_for(lambda: place.page.table.shown == len(RUNS))
        opened.wait_for(lambda: "open for reading only" in opened.desktop.window.bar.text)
        disk.make_room()
        with Library.open(disk.path / "library.sqlite", notify=pytest.fail) as other:
            other.rename(IDS[1], "another name")
            opened.wait_for(lambda: shown_name(place, IDS[1]) == "another name")
        opened.end()
