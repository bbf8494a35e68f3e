"""A complete window on its own home, for the tests of the pages and of the code that connects them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import keyring
import pytest
from keyring.backends.null import Keyring as NullKeyring
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.exceptions import TimeoutError  # noqa: A004 - the name is pytest-qt's
from pytestqt.qtbot import QtBot

from app.desktop import Desktop
from app.library.jobs import Listed
from app.preferences import with_library_folder
from app.window.main_window import Place
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.telemetry.event import RunEvent
from tests.app.runs import EVENTS, keep_only

WHILE_MS = 180_000
_MOST_AT_ONCE = 6  # threads of the background


@dataclass
class OpenDesktop:
    """A desktop that is shown; ``end`` closes it as a user would, with all questions answered."""

    desktop: Desktop
    qtbot: QtBot

    def wait_for(self, what: Callable[[], bool], shown: Callable[[], object] = lambda: "") -> None:
        """Wait until it is so; a failure tells the window's message and what is ``shown``."""
        try:
            self.qtbot.waitUntil(what, timeout=WHILE_MS)
        except TimeoutError as error:
            message = self.desktop.window.bar.text
            raise AssertionError(f"waited in vain; the window's message is {message!r}; {shown()}") from error

    def measure(self, store: str, **changed: object) -> RunData:
        """Start a run of one user for an hour, and wait until it measures; ``changed`` is another value of its plan."""
        load = {"threads": 1, "think_time_ms": 100, "ramp_rate": 100}
        plan = {"targets": [store], **load, "warmup_minutes": 0.0, "minutes": 60}
        live_run = self.desktop.live_run
        self.desktop.start_run(RunPlan.from_dict(plan | changed), reset=False)
        self.wait_for(lambda: live_run.data is not None and live_run.data.state is RunState.MEASURING)
        assert live_run.data is not None
        return live_run.data

    def judge_leniently(self, threshold_pct: float) -> None:
        """Judge recoveries by a part of any baseline: what else this machine does changes the orders."""
        settings = RecoverySettings(threshold_pct=threshold_pct, most_spread_pct=100, most_drift_pct=100)
        self.desktop.live.widget.view.recovery.settings_changed.emit(settings)

    def activate(self) -> None:
        """Bring the window to the front: the keys of a window that is not active do nothing."""
        with self.qtbot.waitActive(self.desktop.window):
            self.desktop.window.activateWindow()

    def close_messages(self) -> list[str]:
        """Close all messages and return them, so that the next test does not see those of earlier ones."""
        self.wait_for(lambda: self.desktop.background.is_idle)
        bar = self.desktop.window.bar
        close = next(each for each in bar.findChildren(QToolButton) if each.accessibleName() == "Close the message")
        closed = []
        while bar.text:
            closed.append(bar.text)
            close.click()
        return closed

    def show_library(self, *records: RunRecord, events: Sequence[RunEvent] = EVENTS) -> None:
        """Go to the library, which holds these runs and nothing else, and has no edit of them to undo."""
        desktop, library = self.desktop, self.desktop.library
        self.close_dialogs()
        self.wait_for(lambda: desktop.background.is_idle)
        keep_only(desktop.workbench.places.home, *records, events=events)
        library.show_table()
        library.edits.forget()
        desktop.window.show_place(Place.LIBRARY)
        self.reload_library(len(records))
        self.close_messages()
        self.activate()

    def reload_library(self, runs: int) -> None:
        """Read the library again, and wait until so many runs and no deleted one are listed."""
        listed: list[Listed] = []
        watch = self.desktop.library.watch
        watch.listed.connect(listed.append)
        self.desktop.library.reload()
        self.wait_for(lambda: bool(listed) and len(listed[-1].runs) == runs and not listed[-1].deleted)
        watch.listed.disconnect(listed.append)

    def close_dialogs(self) -> None:
        """Close every window beside this one, and wait until those that are deleted then are gone."""
        for each in QApplication.topLevelWidgets():
            if each is not self.desktop.window and each.isVisible():
                each.close()
        self.qtbot.wait(1)

    def end(self) -> None:
        self.desktop.live_run.cancel()
        self.desktop.live_run.stop(now=True)
        self.wait_for(lambda: not self.desktop.live_run.is_busy)
        self.wait_for(lambda: self.desktop.background.is_idle)
        self.desktop.window.close()
        self.desktop.close()
        self.desktop.deleteLater()
        # Between two tests nobody returns to an event loop, and beside this window's widgets the next one is slower.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def open_desktop(qapp: QApplication, qtbot: QtBot, home: Path) -> OpenDesktop:
    """Open the window of a home, and wait until it has looked for interrupted runs."""
    desktop = Desktop(qapp, with_library_folder(find_places(home)))
    with qtbot.waitExposed(desktop.window):
        desktop.show()
    opened = OpenDesktop(desktop, qtbot)
    opened.wait_for(lambda: desktop.has_settled)
    return opened


@contextmanager
def shared_desktop(qapp: QApplication, request: pytest.FixtureRequest, home: Path) -> Iterator[OpenDesktop]:
    """The window of a home for several tests of a file, which leave it as it was; for a fixture of the module.

    Opening one takes more than most tests of a window. The threads of its background are begun now: a test may leave no
    thread behind.
    """
    keyring.set_keyring(NullKeyring())  # each test does so, and later than this
    opened = open_desktop(qapp, QtBot(request), home)
    all_run = threading.Barrier(_MOST_AT_ONCE)
    for _ in range(_MOST_AT_ONCE):
        opened.desktop.background.start(lambda _job: all_run.wait(WHILE_MS / 1000))
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    yield opened
    opened.end()
