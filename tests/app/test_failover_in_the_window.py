"""Faults of the embedded pair, injected from the live page's menu and watched through the real window: one that is only
an interruption, and one after which the standby takes over."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.window.theme import Theme
from engine.analysis.recovery.figures import RecoveryState
from engine.analysis.run_data import RunData
from engine.audit.report import Verdict
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.target.target import EMBEDDED, FAST, Target
from engine.telemetry.event import EventKind, RunEvent
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.window_parts import OpenDesktop, open_desktop

PAIR = Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST)
CLIENTS, THREADS = 2, 4
THINK_TIME_MS = 200  # most of an order's time: what else this machine does changes the OPM little
THRESHOLD_PCT = 25
LONG_ENOUGH_SECONDS = 14

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot) -> Iterator[OpenDesktop]:
    home = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    home.chmod(0o755)  # as root, the servers run under another account
    opened = open_desktop(qapp, qtbot, home)
    yield opened
    opened.end()
    shutil.rmtree(home)


def begin(opened: OpenDesktop) -> RunData:
    """Start a run of the pair, to be audited, and wait until it measures."""
    plan = RunPlan(
        name="failover of the pair",
        targets=(PAIR,),
        clients=CLIENTS,
        threads=THREADS,
        think_time_ms=THINK_TIME_MS,
        ramp_rate=100,
        warmup_minutes=0,
        minutes=10,
        parameters={"db_size": DbSize(1, "MB")},
    )
    desktop = opened.desktop
    desktop.start_run(plan, reset=True, audit=True)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
    data = desktop.live_run.data
    assert data is not None
    return data


def choose(opened: OpenDesktop, *titles: str) -> None:
    """Open the Inject menu with a key and choose an entry by its title, as it stands in its sub-menu."""
    button = opened.desktop.live.widget.markers.inject
    button.fill_menu()
    menu = button.menu()
    for title in titles[:-1]:
        menu = _entry(menu, title).menu()  # type: ignore[assignment]
    _entry(menu, titles[-1]).trigger()


def _entry(menu: QMenu, title: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == title)


def injections(data: RunData) -> list[RunEvent]:
    """What was injected here; what the lab's supervisor did is no fault."""
    return [event for event in data.sorted_events() if event.kind is EventKind.INJECTION and event.is_fault]


def told(opened: OpenDesktop, data: RunData) -> str:
    """What a wait for a recovery saw: the recoveries, the events, and the orders of the last minute's seconds."""
    events = [f"{event.at_seconds:.1f} {event.label} {event.detail}" for event in data.sorted_events()]
    seconds = range(max(0, data.end - 60), data.end)
    orders = [data.series.count("order.n", first=second, end=second + 1) for second in seconds]
    return f"{opened.desktop.live.widget.view.recoveries}; {events}; until second {data.end}: {orders}"


def shoot(opened: OpenDesktop, folder: Path, name: str) -> None:
    """Keep a picture of the window in both looks; each has something on it."""
    for theme in (Theme.LIGHT, Theme.DARK):
        opened.desktop.themer.choose(theme)
        QApplication.processEvents()
        picture = opened.desktop.window.grab().toImage()
        assert len({picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, 700, 7)}) > 20
        picture.save(str(folder / f"{name}-{theme.value}.png"))


def freeze(opened: OpenDesktop, data: RunData, folder: Path) -> None:
    """Freeze the primary for 4 s from the menu: a dip that ends."""
    page = opened.desktop.live.widget
    choose(opened, "Freeze", "Freeze primary")
    opened.qtbot.keyClicks(page.arming.form.form.rows["end_after"].field, "4")
    assert page.arming.sentence.text.endswith("After 4 s: Resume the frozen processes of every node (SIGCONT).")
    opened.qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    seen = (RecoveryState.DOWN, RecoveryState.RECOVERED)  # where the window itself stood still, it shows the end only
    opened.wait_for(lambda: bool(page.view.recoveries) and page.view.recoveries[-1].state in seen)
    shoot(opened, folder, "frozen")
    opened.wait_for(lambda: page.view.recoveries[-1].state is RecoveryState.RECOVERED, lambda: told(opened, data))
    frozen = injections(data)[0]
    ended = next(event for event in data.sorted_events() if event.kind is EventKind.FAULT_END)
    assert (frozen.label, ended.label) == ("Freeze primary", "Thaw")
    assert round(ended.at_seconds - frozen.at_seconds, 3) >= 4
    # Freezing itself takes a moment, in which orders still end: the last whole second of the 4 s has none.
    assert data.series.count("order.n", first=int(frozen.at_seconds) + 3, end=int(frozen.at_seconds) + 4) == 0
    shoot(opened, folder, "thawed")


def kill(opened: OpenDesktop, data: RunData, folder: Path) -> None:
    """Kill the primary from the menu: the standby takes over, and all users come back."""
    page = opened.desktop.live.widget
    opened.wait_for(lambda: bool(data.figures(window_seconds=3).headline_rate_window))
    before, reconnects = data.figures(window_seconds=3).headline_rate_window or 0, data.figures().reconnects
    choose(opened, "Kill and stop", "Kill primary")
    assert page.arming.sentence.text == "Kill all processes of the primary (SIGKILL)."
    assert page.arming.names.names == ()  # it is the lab's own: a key is enough
    assert page.arming.now.hasFocus()
    opened.qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    opened.wait_for(lambda: len(injections(data)) == 2)
    killed = injections(data)[1]
    opened.wait_for(lambda: "done" in data.events[killed.number].detail)
    assert data.events[killed.number].is_fault
    assert not page.arming.isVisible()
    shoot(opened, folder, "during")
    opened.wait_for(lambda: data.figures().users.get("working", 0) + data.figures().users.get("thinking", 0) == 8)
    opened.wait_for(lambda: data.end > killed.at_seconds + 5)
    opened.wait_for(lambda: (data.figures(window_seconds=3).headline_rate_window or 0) > before * THRESHOLD_PCT / 100)
    # On an idle machine the standby takes over within a part of a second, which is no dip.
    opened.wait_for(
        lambda: (
            page.view.recoveries[-1].span.fault.label == "Kill primary"
            and page.view.recoveries[-1].state in (RecoveryState.RECOVERED, RecoveryState.STEADY)
        ),
        lambda: told(opened, data),
    )
    # The users were cut off, and came back.
    opened.wait_for(lambda: data.figures().reconnects >= reconnects + THREADS, lambda: told(opened, data))
    audit_lines = [row for row in range(page.view.log.model.rowCount()) if "Kill" in _text(opened, row)]
    assert any("by " in _text(opened, row) and "SIGKILL" in _text(opened, row) for row in audit_lines)
    shoot(opened, folder, "after")


def test_a_primary_is_frozen_then_killed_from_the_menu_and_nothing_is_lost(
    opened: OpenDesktop, qtbot: QtBot, tmp_path: Path
) -> None:
    desktop, page = opened.desktop, opened.desktop.live.widget
    data = begin(opened)
    opened.judge_leniently(THRESHOLD_PCT)
    opened.wait_for(lambda: data.measured_end >= LONG_ENOUGH_SECONDS)
    shoot(opened, tmp_path, "before")
    freeze(opened, data, tmp_path)
    thawed_at = data.measured_end
    opened.wait_for(lambda: data.measured_end >= thawed_at + LONG_ENOUGH_SECONDS)
    kill(opened, data, tmp_path)
    assert [recovery.span.fault.label for recovery in page.view.recoveries] == ["Freeze primary", "Kill primary"]

    desktop.live_run.stop()
    opened.wait_for(lambda: "No order was lost" in page.ended.audit.text)
    assert not page.ended.audit.is_wrong
    qtbot.mouseClick(page.ended.open_audit, Qt.MouseButton.LeftButton)
    run_page = desktop.library.run_page
    opened.wait_for(lambda: run_page.run_id == data.run_id)
    assert run_page.tabs.currentWidget() is run_page.audit
    assert "No order was lost" in run_page.audit.verdict.text()
    shoot(opened, tmp_path, "audit")
    record = desktop.workbench.library().run(data.run_id)
    assert record.audit is not None
    assert record.audit["verdict"] == Verdict.CLEAN
    assert record.audit["orders"]["lost"] == record.audit["orders"]["replaced"] == 0


def _text(opened: OpenDesktop, row: int) -> str:
    model = opened.desktop.live.widget.view.log.model
    return str(model.index(row, 1).data())
