"""A disk that fills up during a run of the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.errors import UserError
from engine.files import disk_space
from engine.files.disk_space import SPARE_VARIABLE
from engine.library.library import Library
from engine.library.rescue import import_rescue_file
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.app.window_parts import WHILE_MS, OpenDesktop, open_desktop
from tests.small_disk import SmallDisk, small_disk
from widgets.parts.message_bar import Severity


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, disk: SmallDisk) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, disk.path)
    yield opened
    opened.end()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv(SPARE_VARIABLE, str(folder))
    return folder


def run_until_not_stored(opened: OpenDesktop, disk: SmallDisk, store: str) -> None:
    load = {"threads": 2, "think_time_ms": 20, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 0.15}
    desktop = opened.desktop
    desktop.start_run(RunPlan.from_dict({"targets": [store], **load}), reset=False, audit=True)
    data = desktop.live_run
    opened.wait_for(lambda: data.data is not None and data.data.state is RunState.MEASURING and data.data.end > 2)

    def is_over() -> bool:
        disk.fill()  # space that is freed, such as the unused end of a ledger, is taken by others at once
        return not desktop.live_run.is_busy

    opened.qtbot.waitUntil(is_over, timeout=WHILE_MS)


def test_rescued_run_is_shown_and_imported_on_request(
    opened: OpenDesktop, disk: SmallDisk, store: str, elsewhere: Path
) -> None:
    run_until_not_stored(opened, disk, store)
    desktop = opened.desktop
    bar, live = desktop.window.bar, desktop.live.widget
    opened.wait_for(lambda: "is kept in" in bar.text)
    assert bar.severity is Severity.WARNING, "it stays"
    assert live.run is not None
    assert live.run.totals is not None
    assert live.run.figures().orders == live.run.totals.count > 0
    assert live.ended.text == "The run is completed, but it is not in the library."
    assert live.ended.open.isHidden()

    disk.fill()
    opened.qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: "could not be imported: the library" in bar.text)
    disk.make_room()
    with opened.qtbot.waitSignal(desktop.live.kept, timeout=WHILE_MS):
        opened.qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert live.ended.text == "The run completed and is in the library."
    assert not live.ended.open.isHidden()
    assert list(elsewhere.glob("*.sqlite")) == []  # orders that did not fit into the ledger are kept for the audit
    opened.wait_for(lambda: "server holds all of" in live.ended.audit.text)
    record = desktop.workbench.library().run(live.run.run_id)
    assert (record.state, record.totals) == (RunState.COMPLETED, live.run.totals)


def test_a_run_that_is_in_memory_only_can_be_saved_to_a_file(
    opened: OpenDesktop,
    disk: SmallDisk,
    store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(disk_space, "spare_folders", list)
    run_until_not_stored(opened, disk, store)
    desktop = opened.desktop
    bar = desktop.window.bar
    opened.wait_for(lambda: "nowhere else is room for it" in bar.text)
    path = tmp_path / "saved.sqlite"
    monkeypatch.setattr(desktop.live._services.files, "ask_save", lambda *arguments, purpose: arguments[-1](path))
    opened.qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: f"is kept in {path}" in bar.text)
    run = desktop.live.widget.run
    assert run is not None
    with Library.open(tmp_path / "other.sqlite", notify=pytest.fail) as other:
        (record,) = import_rescue_file(other, path)
        assert record.totals == run.totals
    with pytest.raises(UserError):
        desktop.workbench.library().set_note(record.run_id, "long" * 100_000)


def test_rescued_run_is_imported_when_the_window_opens_again(
    qapp: QApplication, qtbot: QtBot, disk: SmallDisk, store: str, elsewhere: Path
) -> None:
    first = open_desktop(qapp, qtbot, disk.path)
    run_until_not_stored(first, disk, store)
    run = first.desktop.live.widget.run
    first.end()
    assert run is not None
    disk.fill()  # what the library let go of
    while_full = open_desktop(qapp, qtbot, disk.path)
    expected = ("open for reading only: its disk is full", "until the library has room for it")
    while_full.wait_for(lambda: any(each in while_full.desktop.window.bar.text for each in expected))
    assert while_full.desktop.workbench.library().runs()
    while_full.end()

    disk.make_room()
    again = open_desktop(qapp, qtbot, disk.path)
    bar = again.desktop.window.bar
    again.wait_for(lambda: "when the library had no room, is in the library now." in bar.text)
    assert again.desktop.workbench.library().run("last").totals == run.totals
    again.end()
