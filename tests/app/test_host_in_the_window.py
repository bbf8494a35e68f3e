"""Host figures in the whole window: dropped, imported beside the run they overlap, shifted, removed and put back."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library.host_matching import likeliest_run
from engine.analysis.host.measurement import HostMeasurement
from engine.errors import BadInput
from engine.library.library import Library
from tests.app.runs import STARTED_AT, a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.library.host_import_dialog import HostImportDialog

RUNS = [a_run(minutes_later=60 * number, name=f"run {number}") for number in range(3)]


def meter_csv(path: Path, *, minutes_later: float = 60, behind_seconds: float = 0) -> Path:
    """A meter's file of the first nine seconds of the run that began so much later, by a clock that was behind."""
    start = STARTED_AT + timedelta(minutes=minutes_later, seconds=-behind_seconds)
    rows = [f"{start + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ},{300 + second}" for second in range(1, 10)]
    path.write_text("\n".join(["time,watts", *rows]), encoding="utf-8")
    return path


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    keep(tmp_path / "home", *RUNS)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def kept(opened: OpenDesktop, number: int = 1) -> list[HostMeasurement]:
    return opened.desktop.workbench.library().host.of_run(RUNS[number].run_id)


def import_dialog(opened: OpenDesktop) -> HostImportDialog:
    window = opened.desktop.window
    opened.wait_for(lambda: any(each.import_button.isEnabled() for each in window.findChildren(HostImportDialog)))
    return window.findChildren(HostImportDialog)[-1]


def test_a_dropped_meter_file_is_kept_with_the_run_it_overlaps(opened: OpenDesktop, tmp_path: Path) -> None:
    opened.desktop.window.files_dropped.emit([meter_csv(tmp_path / "meter.csv")])
    dialog = import_dialog(opened)
    assert dialog.run_id == RUNS[1].run_id
    dialog.accept()
    page = opened.desktop.library.run_page
    opened.wait_for(lambda: page.run_id == RUNS[1].run_id and page.host.files.count() == 1)
    assert page.tabs.currentWidget() is page.host
    assert [each.file_name for each in kept(opened)] == ["meter.csv"]


def test_clock_shift_on_the_page_is_stored(opened: OpenDesktop, tmp_path: Path) -> None:
    opened.desktop.open_run(RUNS[1].run_id)
    page = opened.desktop.library.run_page
    opened.wait_for(lambda: page.run_id == RUNS[1].run_id)
    opened.desktop.library.import_host(meter_csv(tmp_path / "late.csv", behind_seconds=90))
    import_dialog(opened).accept()
    opened.wait_for(lambda: page.host.files.count() == 1)
    assert "no value lies in the span" in page.host.missing
    page.host.shift.setValue(90)
    assert page.host.missing == ""
    opened.wait_for(lambda: [each.shift_seconds for each in kept(opened)] == [90.0])


def test_undo_restores_a_removed_file_with_its_shift(opened: OpenDesktop, tmp_path: Path) -> None:
    opened.desktop.library.import_host(meter_csv(tmp_path / "meter.csv"))
    dialog = import_dialog(opened)
    dialog.shift.setValue(2)
    dialog.accept()
    page = opened.desktop.library.run_page
    opened.wait_for(lambda: page.host.files.count() == 1)
    page.host.remove_button.click()
    opened.wait_for(lambda: page.host.files.count() == 0)
    assert kept(opened) == []
    opened.desktop.window.bar.action_button.click()
    opened.wait_for(lambda: page.host.files.count() == 1)
    assert kept(opened)[0].shift_seconds == 2


def test_meter_file_is_refused_without_runs(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    opened.desktop.library.import_host(meter_csv(tmp_path / "meter.csv"))
    opened.wait_for(lambda: "no run yet" in opened.desktop.window.bar.text)
    opened.end()


def test_file_without_overlap_is_offered_for_the_newest_run(tmp_path: Path) -> None:
    keep(tmp_path, *RUNS)
    (tmp_path / "note.txt").write_text("nothing")
    with Library.open(tmp_path / "library.sqlite", notify=print) as library:
        assert likeliest_run(library, meter_csv(tmp_path / "early.csv", minutes_later=-600)) == RUNS[2].run_id
        assert likeliest_run(library, meter_csv(tmp_path / "meter.csv", minutes_later=0)) == RUNS[0].run_id
        with pytest.raises(BadInput, match=r"note\.txt"):
            likeliest_run(library, tmp_path / "note.txt")
