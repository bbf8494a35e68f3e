"""Injections into the running run by the user: checked, counted down with a beep each second, fired or aborted.

Nothing here waits: a fault is checked in the background, and the run injects it on threads of its own.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.live.run import LiveRun
from app.newest_job import NewestJob
from app.remedy_text import window_text
from app.services import Services
from engine.errors import TargetError, UserError
from engine.faults.countdown import Beep, countdown
from engine.faults.fault_schedule import Armed
from engine.faults.planned import PlannedFault
from engine.parameters.typed_text import time_text
from engine.secrets import Secret
from widgets.live.inject_menu import COUNTDOWN_SECONDS, PendingInjection
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import MarkKind
from widgets.parts.message_bar import Severity


@dataclass
class _Countdown:
    """A running countdown: its start on the monotonic clock, the remaining beeps, and what is done at zero."""

    began: float
    beeps: list[Beep]
    at_zero: Callable[[float], None]


class Injecting(QObject):
    """Handles the live page's requests. ``mark_due`` carries the mark's label, ``time.monotonic()`` of zero, and its
    kind."""

    mark_due = Signal(str, float, object)

    def __init__(self, page: LivePage, live_run: LiveRun, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._page = page
        self._live_run = live_run
        self._counting: _Countdown | None = None
        self._check = NewestJob(services.background)
        self._timer = QTimer(self, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beep)
        page.injection_requested.connect(self._on_injection)
        page.countdown_requested.connect(self._on_countdown)
        page.abort_countdown_requested.connect(self.abort)
        page.abort_fault_requested.connect(self._on_abort_fault)
        page.arming.left.connect(self._on_left)
        live_run.ticked.connect(self._show_pending)
        for over in (live_run.ended, live_run.not_stored, live_run.unfinished, live_run.failed, live_run.began):
            over.connect(self._on_over)

    @property
    def is_counting_down(self) -> bool:
        return self._counting is not None

    def abort(self) -> None:
        """Abort the countdown, if one is running; nothing is injected."""
        if self._counting is not None:
            self._services.messages.show("Aborted; nothing was done.")
            self._end_countdown()

    def _on_injection(self, fault: PlannedFault, seconds: int, secrets: Mapping[str, Secret]) -> None:
        """Check everything that can be known to fail, as before a run; then count down, or inject.

        A request that is in progress is replaced.
        """
        self._on_left()
        self._services.workbench.remember(secrets)
        self._page.arming.show_busy(True, "Checking whether it can be done …")
        self._check.start(
            lambda _job: self._live_run.check_fault(fault),
            done=lambda _: self._on_checked(fault, seconds),
            failed=self._on_refused,
        )

    def _on_checked(self, fault: PlannedFault, seconds: int) -> None:
        if seconds:
            self._count_down(f"{fault.label} at zero", seconds, lambda _at: self._fire(fault))
        else:
            self._fire(fault)

    def _on_refused(self, error: BaseException) -> None:
        if isinstance(error, UserError | TargetError):
            self._page.arming.show_wrong(window_text(error))
        else:
            self._page.arming.close_panel()
            self._services.messages.show_error(error)

    def _on_left(self) -> None:
        """The request was dropped, however far it had come."""
        self._check.drop()
        self.abort()

    def _fire(self, fault: PlannedFault) -> None:
        self._page.arming.close_panel()
        try:
            self._live_run.fire(fault)
        except UserError as error:
            self._services.messages.show_error(error)

    def _on_countdown(self, kind: MarkKind) -> None:
        if self._live_run.run is None:
            self._services.messages.show("No run in progress to mark.", Severity.WARNING)
            return
        self._on_left()
        self._count_down(f"Pull at zero: {kind.label}", COUNTDOWN_SECONDS, lambda at: self._pulled(kind, at))

    def _pulled(self, kind: MarkKind, at_monotonic: float) -> None:
        self._page.arming.close_panel()
        self.mark_due.emit(kind.label, at_monotonic, kind)

    def _count_down(self, what: str, seconds: int, at_zero: Callable[[float], None]) -> None:
        """Beep now and each second; at zero, inject."""
        self._counting = _Countdown(time.monotonic(), list(countdown(seconds)), at_zero)
        self._page.arming.count_down(what, seconds)
        self._on_beep()

    def _on_beep(self) -> None:
        counting = self._counting
        if counting is None:
            return
        beep = counting.beeps.pop(0)
        QApplication.beep()
        if beep.pull:
            self._counting = None
            counting.at_zero(counting.began + beep.after_seconds)
            return
        self._page.arming.countdown.show_left(beep.left_seconds)
        left = counting.began + counting.beeps[0].after_seconds - time.monotonic()
        self._timer.start(max(0, round(1000 * left)))

    def _end_countdown(self) -> None:
        self._counting = None
        self._timer.stop()
        self._page.arming.close_panel()

    def _on_over(self, _what: object = None) -> None:
        """The run is over, or another one begins: nothing is injected any more."""
        self._check.drop()
        if self._counting is not None:
            self._services.messages.show("The run is over; the countdown was cancelled.", Severity.WARNING)
        self._end_countdown()
        self._page.markers.inject.show_pending(())

    def _show_pending(self) -> None:
        self._page.markers.inject.show_pending([self._pending(armed) for armed in self._live_run.armed()])

    def _pending(self, armed: Armed) -> PendingInjection:
        data = self._live_run.data
        from_epoch = not armed.is_relative and data is not None
        origin = (data.phases.measuring_from or 0) if from_epoch and data is not None else 0
        rounds = f" ({armed.round} of {armed.fault.repeat})" if armed.fault.repeat > 1 else ""
        when = f"at {time_text(max(0.0, armed.at_seconds - origin))}"
        return PendingInjection(number=armed.number, label=f"{armed.fault.label}{rounds}", when=when)

    def _on_abort_fault(self, number: int) -> None:
        if self._live_run.abort_fault(number):
            self._services.messages.show("Aborted: it will be skipped.")
        else:
            self._services.messages.show("Too late: it has already been done.", Severity.WARNING)
        self._show_pending()
