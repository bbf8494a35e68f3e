"""The recoveries of a run: the newest fault by default, the others with the arrows, and the settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from widgets.live.recovery_card import RecoveryCard
from widgets.live.recovery_settings_popup import RecoverySettingsPopup
from widgets.live.recovery_values import lost_at
from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.icons import icon
from widgets.parts.look import Look

EARLIER_KEY, LATER_KEY = "Alt+PgUp", "Alt+PgDown"


class RecoveryPanel(QWidget):
    """``fault_shown``: another fault is shown. ``settings_changed`` carries the new ``RecoverySettings``."""

    fault_shown = Signal()
    settings_changed = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._recoveries: list[Recovery] = []
        self._chosen: int | None = None
        self._audit: Mapping[str, Any] | None = None
        self._settings = RecoverySettings()
        self._popup: RecoverySettingsPopup | None = None
        self._title, self._count = QLabel(self), QLabel(self)
        self.earlier, self.later, self.adjust = (QToolButton(self) for _ in range(3))
        self.card = RecoveryCard(look, self)
        self.adjust.setIcon(icon("settings", look))
        self._lay_out()
        self._connect()

    @property
    def shown(self) -> Recovery | None:
        """The recovery that is shown: of the newest fault, unless another was chosen."""
        if not self._recoveries:
            return None
        return next((each for each in self._recoveries if each.fault.number == self._chosen), self._recoveries[-1])

    @property
    def title(self) -> str:
        """The fault and its time."""
        return self._title.text()

    def show_recoveries(self, run: RunData, recoveries: Sequence[Recovery]) -> bool:
        """Show a run's recoveries; a new fault is shown at once. Returns whether there was one."""
        numbers = {each.fault.number for each in self._recoveries} if run is self._run else set()
        is_new = any(each.fault.number not in numbers for each in recoveries)
        self._run, self._recoveries = run, list(recoveries)
        if is_new:
            self._chosen = None
        self._show()
        return is_new

    def set_audit(self, audit: Mapping[str, Any] | None) -> None:
        """The result of the run's audit, from its record; ``None`` without one."""
        self._audit = audit
        self._show()

    def set_settings(self, settings: RecoverySettings) -> None:
        """The settings to show; the caller computes the recoveries by them."""
        self._settings = settings

    def choose(self, number: int) -> None:
        """Show the fault of that number instead of the newest."""
        self._chosen = number
        self._show()
        self.fault_shown.emit()

    def _lay_out(self) -> None:
        for button, arrow, name, key in (
            (self.earlier, Qt.ArrowType.LeftArrow, "Earlier fault", EARLIER_KEY),
            (self.later, Qt.ArrowType.RightArrow, "Later fault", LATER_KEY),
        ):
            button.setArrowType(arrow)
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({key})")
        self.adjust.setAccessibleName("How recoveries are judged")
        self.adjust.setToolTip("Threshold, hold time, baseline window")
        for button in (self.earlier, self.later, self.adjust):
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._title.setFont(scaled(self.font(), 1.0, bold=True))
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setMinimumWidth(1)
        self._count.setFont(tabular(self.font()))
        self._count.setMinimumWidth(text_width(self._count.font(), "88 of 88"))
        self._count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        for widget in (self.earlier, self._count, self.later, self.adjust):
            head.addWidget(widget)
        layout = QVBoxLayout(self)
        margin = self.fontMetrics().averageCharWidth()
        layout.setContentsMargins(margin, 0, margin, margin // 2)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.card, 1)

    def _connect(self) -> None:
        self.earlier.clicked.connect(self._on_earlier)
        self.later.clicked.connect(self._on_later)
        self.adjust.clicked.connect(self._on_adjust)
        self._earlier_key = QShortcut(QKeySequence(EARLIER_KEY), self, self._on_earlier)
        self._earlier_key.setWhatsThis("Recovery: show the fault before")
        self._later_key = QShortcut(QKeySequence(LATER_KEY), self, self._on_later)
        self._later_key.setWhatsThis("Recovery: show the next fault")

    def _show(self) -> None:
        run, shown = self._run, self.shown
        if run is None or shown is None:
            return
        place, several = self._recoveries.index(shown), len(self._recoveries) > 1
        at = run.clock.moment(shown.fault.at_seconds)
        self._title.setText(f"{shown.fault.label}  {at}")
        self._title.setToolTip(self._title.text())
        self._count.setText(f"{place + 1} of {len(self._recoveries)}")
        for widget in (self.earlier, self._count, self.later):
            widget.setVisible(several)
        self.earlier.setEnabled(place > 0)
        self.later.setEnabled(place < len(self._recoveries) - 1)
        self.card.show_recovery(shown, lost_at(shown, self._audit, is_over=run.state.is_final))

    def _on_earlier(self) -> None:
        self._step(-1)

    def _on_later(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        shown = self.shown
        if shown is None:
            return
        place = self._recoveries.index(shown) + by
        if 0 <= place < len(self._recoveries):
            self.choose(self._recoveries[place].fault.number)

    def _on_adjust(self) -> None:
        if self._popup is not None:
            self._popup.deleteLater()
        popup = self._popup = RecoverySettingsPopup(self._settings, self)
        popup.settings_changed.connect(self._on_settings)
        popup.adjustSize()
        corner = self.adjust.mapToGlobal(self.adjust.rect().bottomRight())
        popup.move(corner.x() - popup.width(), corner.y())
        popup.show()
        popup.threshold.setFocus()

    def _on_settings(self, settings: RecoverySettings) -> None:
        self._settings = settings
        self.settings_changed.emit(settings)
