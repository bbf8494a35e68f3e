"""Notifies a user who works in another window of the end of a run or a long work: system, taskbar and sound."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.live.run import LiveRun
from app.long_work import EndedWork, LongWork
from app.settings import Settings
from app.window.main_window import MainWindow
from app.window.messages import WindowMessages
from app.window.system_notifications import SystemNotifications
from engine.analysis.headline import headline_of
from engine.figure_text import capitalised, duration
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS
from widgets.parts.icons import icon
from widgets.parts.look import Look

if TYPE_CHECKING:
    from engine.library.rescue import Rescue


class Notifying(QObject):
    """For work that took long or failed, while no window of Spindle's is active.

    ``settings`` say whether to notify, from which length on, and whether with a sound; they are read when work ends.
    """

    def __init__(
        self,
        window: MainWindow,
        live_run: LiveRun,
        long_work: LongWork,
        settings: Settings,
        look: Look,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._live_run = live_run
        self._settings = settings
        self._run_began: float | None = None
        self.system = SystemNotifications(icon("live", look), self)
        self.system.clicked.connect(self._on_clicked)
        live_run.preparing.connect(self._on_preparing)
        live_run.ended.connect(self._on_run_ended)
        live_run.not_stored.connect(self._on_run_not_stored)
        live_run.failed.connect(self._on_run_failed)
        live_run.unfinished.connect(self._on_run_unfinished)
        live_run.cancelled.connect(self._on_run_cancelled)
        long_work.ended.connect(self._on_work_ended)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._on_application_state)

    def _on_preparing(self, _doing: str, _share: float) -> None:
        if self._run_began is None:
            self._run_began = time.monotonic()

    def _on_run_ended(self, record: RunRecord) -> None:
        if self._live_run.is_followed:
            return  # the campaign goes on, and its end is shown
        headline = headline_of(record.plan.workload)
        value = (record.totals or NO_TOTALS).headline_rate
        reached = "" if value is None else f", {headline.labelled(value)}"
        text = record.failure or f"{record.name}{reached}"
        is_failure = record.state not in (RunState.COMPLETED, RunState.STOPPED)
        self._notify(f"Run {record.state}", text, self._take_run_seconds(), is_failure=is_failure)

    def _on_run_not_stored(self, record: RunRecord, rescue: "Rescue") -> None:
        title, text = f"Run {record.state}, not in the library", capitalised(rescue.sentence())
        self._notify(title, text, self._take_run_seconds(), is_failure=True)

    def _on_run_failed(self, error: BaseException) -> None:
        text = WindowMessages.sentence_of(error)
        self._notify("Run failed", text, self._take_run_seconds(), is_failure=True)

    def _on_run_unfinished(self, error: BaseException) -> None:
        text = WindowMessages.sentence_of(error)
        self._notify("Run ended, not saved", text, self._take_run_seconds(), is_failure=True)

    def _on_run_cancelled(self) -> None:
        self._run_began = None

    def _take_run_seconds(self) -> float:
        began, self._run_began = self._run_began, None
        return 0.0 if began is None else time.monotonic() - began

    def _on_work_ended(self, work: EndedWork) -> None:
        title = f"{capitalised(work.name)}: {'failed' if work.is_failure else 'done'} after {duration(work.seconds)}"
        self._notify(title, work.sentence, work.seconds, is_failure=work.is_failure)

    def _notify(self, title: str, text: str, seconds: float, *, is_failure: bool) -> None:
        is_worth_it = is_failure or seconds >= self._settings.notification_seconds
        if not self._settings.notifications or not is_worth_it or QApplication.activeWindow() is not None:
            return
        self.system.show(title, text)
        QApplication.alert(self._window)
        if self._settings.notification_sound:
            QApplication.beep()

    def _on_clicked(self) -> None:
        """Raise the window, as far as the system allows."""
        if self._window.isMinimized():
            self._window.showNormal()
        self._window.raise_()
        self._window.activateWindow()

    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.system.clear()
