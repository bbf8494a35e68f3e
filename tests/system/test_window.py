"""The window on a real server: a whole run by key presses, and what is left of one whose window was killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.places import HOME_VARIABLE
from engine.record.record import RunState
from engine.telemetry.event import EventKind
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.system.conftest import ROOT, Spindle
from tests.totals import plain_totals
from tests.waiting import wait_until
from tests.widgets.accessibility import name_of
from tests.widgets.parts.charts import drawn_points
from tests.widgets.wizard.keys import press, type_over

_SECONDS = 240.0
_LOADED_LATER = {
    "sqlalchemy", "psycopg", "alembic", "keyring", "matplotlib", "reportlab", "jinja2", "pyodbc", "PIL",
    "ssl", "distributed",
}  # fmt: skip


def control(within: QWidget, name: str) -> QWidget:
    """The visible control that a screen reader finds under a name."""
    return next(each for each in within.findChildren(QWidget) if each.isVisible() and name_of(each) == name)


def fill_wizard(opened: OpenDesktop) -> None:
    """Two clients on the embedded server's 1MB store, until stopped; keys only."""
    wizard = opened.desktop.new_run.widget
    with opened.qtbot.waitActive(opened.desktop.window):
        opened.desktop.window.activateWindow()
    wizard.focus_first()
    press(Qt.Key.Key_Return)
    type_over(wizard.database.size_field, "1MB")
    press(Qt.Key.Key_Return)
    type_over(wizard.load.form.rows["threads"].field, "3")
    type_over(wizard.load.form.rows["think_time_ms"].field, "50")
    type_over(wizard.load.form.rows["warmup_minutes"].field, "0.05")
    type_over(wizard.load.form.rows["minutes"].field, "10")
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Return)
    type_over(wizard.review.form.rows["name"].field, "typed run")


def test_a_run_is_typed_started_marked_stopped_found_and_opened_again(
    spindle: Spindle, qapp: QApplication, qtbot: QtBot
) -> None:
    opened = open_desktop(qapp, qtbot, spindle.places.home)
    desktop, window = opened.desktop, opened.desktop.window
    fill_wizard(opened)
    press(Qt.Key.Key_Return)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
    live = desktop.live_run.data
    assert live is not None
    assert window.place == 1
    opened.wait_for(lambda: live.measured_end - (live.phases.measuring_from or 0) >= 3)
    qtbot.keyClick(window, Qt.Key.Key_F9)
    opened.wait_for(lambda: any(event.kind is EventKind.MARK for event in live.events.values()))
    marked_at = live.end
    opened.wait_for(lambda: live.end >= marked_at + 2)
    for name in ("Stop…", "Stop"):
        qtbot.mouseClick(control(desktop.live.widget, name), Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    assert live.state is RunState.STOPPED
    assert live.full_end >= marked_at + 2
    window.activateWindow()  # offscreen, a popover that has closed stays the active window
    opened.wait_for(lambda: window.isActiveWindow() and QApplication.focusWidget() is not None)

    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    library = desktop.library
    table = library.page.table

    def is_selected() -> bool:
        table.select_runs([live.run_id])  # without effect before the list has it
        return table.selected_ids() == [live.run_id]

    opened.wait_for(is_selected)
    table.setFocus()
    press(Qt.Key.Key_Return)
    opened.wait_for(lambda: library.run_page.run_id == live.run_id)
    _check_chart(opened, live)
    opened.end()


def _check_chart(opened: OpenDesktop, live: RunData) -> None:
    """What the stored run's page draws against what the library holds; a second cut short by the stop is a gap."""
    library = opened.desktop.workbench.library()
    chart = opened.desktop.library.run_page.view.chart
    opened.qtbot.mouseClick(control(chart, "OPM reading: Second"), Qt.MouseButton.LeftButton)
    samples = list(library.samples(live.run_id))
    first = min(sample.second for sample in samples if sample.of("order").n)  # before it users only connect
    for client in (1, 2):
        stored = sorted((sample.second, 60 * sample.of("order").n) for sample in samples if sample.client == client)
        seconds, opm = drawn_points(chart.chart, client)
        drawn = zip(np.floor(seconds).tolist(), opm.tolist(), strict=True)
        assert [each for each in drawn if not np.isnan(each[1])] == [
            each for each in stored if first <= each[0] < live.full_end
        ]
    marks = [event for event in library.events(live.run_id) if event.kind is EventKind.MARK]
    assert [mark.label for mark in marks] == ["Enclosure pulled"]
    assert [mark.at_seconds for mark in chart.chart.marks] == [mark.at_seconds for mark in marks]


DEMO = ("-m", "app", "demo", "--minutes", "5")
"""The program as `make demo` starts it where there is a display; it builds a store of 100MB."""
SMALL = ("-c", """
from app.start import run_window
from engine.places import find_places
from engine.plan.presets import DEMONSTRATION
plan = DEMONSTRATION.changed({"db_size": "1MB", "warmup_minutes": 0.0, "minutes": 5.0})
raise SystemExit(run_window(find_places(), demonstration=plan))
""")  # fmt: skip
"""The same window with a load on the store that is there."""


@contextmanager
def window_with_a_run(spindle: Spindle, program: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a window whose run is measuring."""
    known = spindle.run_count()
    process = subprocess.Popen(
        [sys.executable, *program],
        cwd=ROOT,
        env=os.environ | {HOME_VARIABLE: str(spindle.places.home), "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.DEVNULL,
    )
    try:
        spindle.wait_until_measuring(known)
        yield process
    finally:
        process.kill()
        process.wait(_SECONDS)


def test_run_of_a_killed_window_is_offered_with_all_samples(
    bare_spindle: Spindle, qapp: QApplication, qtbot: QtBot
) -> None:
    with window_with_a_run(bare_spindle, DEMO) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(_SECONDS)
    stored = bare_spindle.samples()
    opened = open_desktop(qapp, qtbot, bare_spindle.places.home)
    bar = opened.desktop.window.bar
    opened.wait_for(lambda: bar.text == "Run Demonstration was interrupted; what was measured is in the library.")
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    page = opened.desktop.library.run_page
    opened.wait_for(lambda: page.run_id != "")
    library = opened.desktop.workbench.library()
    record = library.run("last")
    assert (record.run_id, record.state) == (page.run_id, RunState.INTERRUPTED)
    assert record.totals is not None
    assert plain_totals(record.totals)["since_start"]["orders"] == sum(sample.of("order").n for sample in stored)
    assert record.ended_at is not None
    assert (record.ended_at - record.started_at).total_seconds() == 1 + max(sample.second for sample in stored)
    opened.end()


def test_sigterm_ends_the_window_in_order(spindle: Spindle) -> None:
    with window_with_a_run(spindle, SMALL) as process:
        process.terminate()
        assert process.wait(_SECONDS) == 0
    assert spindle.result()["state"] == "stopped"


@pytest.mark.parametrize("arguments", [(), ("demo",)])
def test_no_window_is_opened_without_a_display(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """``spindle`` says so; ``spindle demo`` stays in the terminal (only its help is called here)."""
    bare = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-m", "app", *arguments, *(["--help"] if arguments else [])],
        cwd=ROOT,
        env=bare | {HOME_VARIABLE: str(tmp_path), "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if arguments:
        assert "--headless" in done.stdout
    else:
        assert (done.returncode, done.stdout) == (1, "")
        assert "spindle run" in done.stderr


def test_window_opens_before_library_and_server_are_ready(spindle: Spindle) -> None:
    """The lean start: no database, driver or document library is loaded before the window is shown."""
    code = f"import sys, app.desktop; print(*({_LOADED_LATER} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=True
    )
    assert done.stdout.split() == []
    wait_until(lambda: spindle.run_count() >= 0, "the library can be read")
