"""The window's metrics for Prometheus and annotations for Grafana: set in a dialog, kept in the settings.

The token is kept in the system's keyring, or until the window is closed where there is none.
"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.services import Services
from app.settings import Settings
from engine.errors import UserError
from engine.figure_text import capitalised
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from widgets.parts.look import Look
from widgets.parts.monitoring_dialog import MonitoringDialog, TypedMonitoring

if TYPE_CHECKING:
    from engine.driver.sinks import Sink
    from engine.notify.monitoring import Monitoring

_TOPIC = "monitoring"


class WindowMonitoring(QObject):
    """What is set is opened in the background, as a keyring or a name server may wait."""

    changed = Signal()

    def __init__(self, services: Services, settings: Settings, look: Look, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._settings, self._look, self._window = services, settings, look, window
        self._lock = threading.Lock()  # of what runs take their sinks from, on other threads
        self._monitoring: Monitoring | None = None
        self._token: Secret | None = None
        self._dialog: MonitoringDialog | None = None

    def begin(self) -> None:
        """Open what the settings say."""
        metrics, grafana = self._settings.metrics, self._settings.grafana
        if metrics or grafana:
            self._services.background.start(
                lambda _job: self._apply(TypedMonitoring(metrics, grafana, "")), failed=self._on_trouble
            )

    def ask(self) -> None:
        """Open the dialog."""
        if self._dialog is not None:
            return
        self._dialog = MonitoringDialog(self._look, self._settings.metrics, self._settings.grafana, self._window)
        self._dialog.save_requested.connect(self._on_save)
        self._dialog.finished.connect(self._on_dialog_closed)
        self._dialog.open()

    def sinks(self, plan: RunPlan, name: str) -> "Sequence[Sink]":
        """The sinks of a run that begins; from any thread."""
        with self._lock:
            return () if self._monitoring is None else self._monitoring.sinks(plan, name)

    def close(self) -> None:
        """Serve nothing any more."""
        self._replace(None)

    def _on_save(self, typed: TypedMonitoring) -> None:
        assert self._dialog is not None
        self._dialog.show_busy("Applying …")
        self._services.background.start(
            lambda _job: self._apply(typed),
            done=lambda sentence: self._on_applied(typed, sentence),
            failed=self._on_refused,
        )

    def _apply(self, typed: TypedMonitoring) -> str:
        """Open what is typed in place of what is open, and say so. Raises ``UserError``; nothing is open then."""
        from engine.notify.grafana import Grafana, find_token, keep_token
        from engine.notify.metrics import MetricsAddress
        from engine.notify.monitoring import Monitoring

        kept = ""
        if typed.token:
            self._token = Secret(typed.token)
            try:
                keep_token(self._token)
            except UserError:
                kept = " This system has no keyring; the token is used until the window is closed."
        metrics = MetricsAddress.parse(typed.metrics) if typed.metrics else None
        grafana = Grafana.parse(typed.grafana, self._token or find_token()) if typed.grafana else None
        self._replace(None)  # the same port may be asked for again
        if metrics is None and grafana is None:
            return f"Monitoring is off.{kept}"
        self._replace(Monitoring(metrics, grafana, warn=self._warn))
        served = f" Metrics are at http://{metrics}/metrics." if metrics is not None else ""
        return f"Saved; it holds from the next run on.{served}{kept}"

    def _replace(self, monitoring: "Monitoring | None") -> None:
        with self._lock:
            before, self._monitoring = self._monitoring, monitoring
        if before is not None:
            before.close()

    def _warn(self, sentence: str) -> None:
        self._services.background.post(lambda: self._services.messages.show_warning(sentence))

    def _on_applied(self, typed: TypedMonitoring, sentence: str) -> None:
        self._settings.metrics, self._settings.grafana = typed.metrics, typed.grafana
        self.changed.emit()
        if self._dialog is not None:
            self._dialog.show_result(sentence, ok=True)

    def _on_refused(self, error: BaseException) -> None:
        if isinstance(error, UserError) and self._dialog is not None:
            self._dialog.show_result(capitalised(str(error)), ok=False)
        else:
            self._on_trouble(error)

    def _on_trouble(self, error: BaseException) -> None:
        self._services.messages.show_error(error, topic=_TOPIC)

    def _on_dialog_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = None
