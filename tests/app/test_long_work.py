"""Exports and imports that take long, in the whole window: shown with their progress, cancelled, asked about."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library import jobs as library_jobs
from engine.report.export_kind import ExportKind
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import driver_files_of
from tests.app.runs import a_run, keep
from tests.app.window_parts import WHILE_MS, OpenDesktop, open_desktop
from tests.engine.workloads.dvdstore import ds2_logs
from widgets.parts.closing_question import ClosingAnswer, ClosingQuestion
from widgets.parts.message_bar import Severity
from widgets.parts.work_strip import WorkLine

RUN = a_run(name="evening load")
OTHER = a_run(name="night load", minutes_later=30)


@pytest.fixture
def gate() -> threading.Event:
    """Where exports wait, if they are made slow; open at the end, when the window waits for all work."""
    return threading.Event()


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path, gate: threading.Event) -> Iterator[OpenDesktop]:
    keep(tmp_path / "home", RUN, OTHER)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    gate.set()
    opened.end()


@pytest.fixture
def slow_exports(monkeypatch: pytest.MonkeyPatch, gate: threading.Event) -> None:
    """Every export waits, as one of a long run would, before it does what it does."""
    export_run = library_jobs.export_run

    def slow(*arguments: object, **more: object) -> None:
        assert gate.wait(WHILE_MS / 1000)
        export_run(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(library_jobs, "export_run", slow)


@pytest.fixture
def folder(opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the user answers when asked for a folder, or for a file in it."""
    folder = tmp_path / "exports"
    folder.mkdir()
    files = opened.desktop.library._exporting._services.files

    def save(_title: str, name: str, _pattern: str, take: Callable[[Path], None], **_: object) -> None:
        take(folder / name)

    monkeypatch.setattr(files, "ask_save", save)
    monkeypatch.setattr(files, "ask_folder", lambda _title, take, **_: take(folder))
    return folder


def export(opened: OpenDesktop, *run_ids: str) -> None:
    opened.desktop.library.page.export_requested.emit(list(run_ids), ExportKind.CSV)


def lines(opened: OpenDesktop) -> list[WorkLine]:
    return [each for each in opened.desktop.window.status.work_strip.findChildren(WorkLine) if each.isVisible()]


def bar_shows(opened: OpenDesktop, text: str) -> Callable[[], bool]:
    return lambda: text in opened.desktop.window.bar.text


@pytest.mark.usefixtures("slow_exports")
def test_work_is_shown_until_it_ends(opened: OpenDesktop, gate: threading.Event, folder: Path) -> None:
    export(opened, RUN.run_id)
    opened.wait_for(lambda: len(lines(opened)) == 1)
    assert lines(opened)[0].text.startswith(f"Exporting {RUN.run_id}.csv")
    gate.set()
    opened.wait_for(bar_shows(opened, "Exported to"))
    assert lines(opened) == []
    assert (folder / f"{RUN.run_id}.csv").is_file()


def test_short_work_is_not_shown(opened: OpenDesktop, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[WorkLine] = []
    monkeypatch.setattr(WorkLine, "showEvent", lambda self, _event: shown.append(self))
    monkeypatch.setattr("app.long_work._SHOWN_AFTER_MS", WHILE_MS)
    export(opened, RUN.run_id)
    opened.wait_for((folder / f"{RUN.run_id}.csv").is_file)
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    assert shown == []


@pytest.mark.usefixtures("slow_exports")
def test_export_cancelled_in_the_first_run_leaves_no_file(
    opened: OpenDesktop, qtbot: QtBot, gate: threading.Event, folder: Path
) -> None:
    export(opened, RUN.run_id, OTHER.run_id)
    opened.wait_for(lambda: len(lines(opened)) == 1)
    assert lines(opened)[0].text.startswith("Exporting 2 runs")
    qtbot.mouseClick(lines(opened)[0].cancel_button, Qt.MouseButton.LeftButton)
    gate.set()
    opened.wait_for(bar_shows(opened, "Cancelled; the runs that were exported before are in"))
    assert lines(opened) == []
    assert list(folder.iterdir()) == []


def test_error_of_long_work_is_reported(opened: OpenDesktop, folder: Path) -> None:
    (folder / f"{OTHER.run_id}.csv").write_text("before", encoding="utf-8")
    export(opened, RUN.run_id, OTHER.run_id)
    opened.wait_for(bar_shows(opened, "already exists"))
    assert opened.desktop.window.bar.severity is Severity.ERROR
    assert opened.desktop.background.named_work == []


def test_cancelled_import_keeps_imported_runs(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [tmp_path / name for name in ("first.txt", "second.txt")]
    for each in logs:
        lines_of_one = (ds2_logs.report(10.0, 100), ds2_logs.report(20.0, 220), ds2_logs.final(20.0, 220))
        each.write_text(ds2_logs.log(*lines_of_one), encoding="utf-8")

    def slow(text: str, **more: object) -> object:
        if more["source"] == "second.txt":
            assert gate.wait(WHILE_MS / 1000)
        return files.read_log(text, **more)  # type: ignore[arg-type]

    files = driver_files_of(DVD_STORE)
    slow_files = replace(files, read_log=slow)  # type: ignore[arg-type]
    monkeypatch.setattr(library_jobs, "driver_files_of", lambda _workload: slow_files)
    opened.desktop.library.import_ds2([*logs, tmp_path / "third.txt"])
    opened.wait_for(lambda: bool(lines(opened)) and "second.txt" in lines(opened)[0].text)
    assert lines(opened)[0].text.startswith("Importing 3 files")
    qtbot.mouseClick(lines(opened)[0].cancel_button, Qt.MouseButton.LeftButton)
    gate.set()
    opened.wait_for(bar_shows(opened, "Cancelled; what was imported before is in the library."))
    assert len(opened.desktop.workbench.library().runs()) == 4


def ask(opened: OpenDesktop) -> ClosingQuestion:
    assert not opened.desktop.window.close()
    (question,) = (each for each in opened.desktop.window.findChildren(ClosingQuestion) if each.isVisible())
    return question


def answer(opened: OpenDesktop, question: ClosingQuestion, what: ClosingAnswer) -> None:
    opened.qtbot.mouseClick(question.answer_button(what), Qt.MouseButton.LeftButton)


@pytest.mark.usefixtures("slow_exports")
def test_closing_question_names_the_work(opened: OpenDesktop, gate: threading.Event, folder: Path) -> None:
    export(opened, RUN.run_id)
    question = ask(opened)
    assert f"Exporting {RUN.run_id}.csv." in question.informativeText()
    answer(opened, question, ClosingAnswer.CANCEL)
    gate.set()
    opened.wait_for(bar_shows(opened, "Exported to"))
    assert opened.desktop.window.isVisible()
    assert (folder / f"{RUN.run_id}.csv").is_file()


@pytest.mark.usefixtures("slow_exports")
def test_closing_can_wait_for_work(opened: OpenDesktop, gate: threading.Event, folder: Path) -> None:
    export(opened, RUN.run_id)
    answer(opened, ask(opened), ClosingAnswer.CLOSE_WHEN_DONE)
    opened.wait_for(bar_shows(opened, f"The window will close after: exporting {RUN.run_id}.csv"))
    gate.set()
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    assert (folder / f"{RUN.run_id}.csv").is_file()


@pytest.mark.usefixtures("slow_exports", "folder")
def test_closing_does_not_wait_for_abandoned_work(opened: OpenDesktop) -> None:
    export(opened, RUN.run_id, OTHER.run_id)
    answer(opened, ask(opened), ClosingAnswer.GIVE_UP)
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    assert opened.desktop.background.named_work == ["exporting 2 runs"]


@pytest.mark.usefixtures("slow_exports")
def test_closing_question_disappears_when_work_ends(opened: OpenDesktop, gate: threading.Event, folder: Path) -> None:
    export(opened, RUN.run_id)
    assert ask(opened)
    gate.set()
    opened.wait_for((folder / f"{RUN.run_id}.csv").is_file)
    opened.wait_for(lambda: not opened.desktop.window.findChildren(ClosingQuestion))
    assert opened.desktop.window.isVisible()


@pytest.mark.usefixtures("slow_exports", "folder")
def test_signal_closes_without_a_question(opened: OpenDesktop) -> None:
    export(opened, RUN.run_id, OTHER.run_id)
    opened.desktop.closing.stop_and_leave()
    opened.wait_for(lambda: not opened.desktop.window.isVisible())
    assert opened.desktop.window.findChildren(ClosingQuestion) == []
    assert opened.desktop.background.named_work == ["exporting 2 runs"]
