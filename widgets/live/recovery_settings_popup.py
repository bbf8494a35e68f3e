"""The window with the settings of recoveries; opened by the recovery panel."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QFrame, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from engine.analysis.recovery.settings import RecoverySettings

_THRESHOLDS = (50.0, 100.0)
_LONGEST_HOLD, _LONGEST_WINDOW = 60, 3_600


class RecoverySettingsPopup(QFrame):
    """``settings_changed`` is emitted with every change; Escape or a click elsewhere closes the window."""

    settings_changed = Signal(object)

    def __init__(self, settings: RecoverySettings, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._settings = settings
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName("How recoveries are judged")
        self.threshold = QDoubleSpinBox(self, suffix=" %", decimals=1)
        self.hold = QSpinBox(self, suffix=" s")
        self.window_seconds = QSpinBox(self, suffix=" s")
        self.defaults = QPushButton("Defaults", self)
        self._lay_out()
        self._put(settings)
        self.threshold.valueChanged.connect(self._on_change)
        self.hold.valueChanged.connect(self._on_change)
        self.window_seconds.valueChanged.connect(self._on_change)
        self.defaults.clicked.connect(self._on_defaults)

    def _lay_out(self) -> None:
        kept = self._settings
        holds = (1, min(_LONGEST_HOLD, kept.onset_seconds, kept.after_seconds))
        windows = (kept.least_baseline_seconds, _LONGEST_WINDOW)
        form = QFormLayout()
        for name, box, limits, tool_tip in (
            ("&Threshold", self.threshold, _THRESHOLDS, "Of the baseline: less is a brown-out"),
            ("&Hold time", self.hold, holds, "A level counts once it has been held for this long"),
            ("&Baseline window", self.window_seconds, windows, "The time before the fault that serves as the baseline"),
        ):
            box.setRange(*limits)
            box.setKeyboardTracking(False)
            box.setAlignment(Qt.AlignmentFlag.AlignRight)
            box.setToolTip(tool_tip)
            label = QLabel(name, self)
            label.setBuddy(box)
            label.setToolTip(tool_tip)
            label.setMinimumHeight(box.sizeHint().height())  # in the middle of its row
            form.addRow(label, box)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.defaults, 0, Qt.AlignmentFlag.AlignRight)

    def _put(self, settings: RecoverySettings) -> None:
        self.threshold.setValue(settings.threshold_pct)
        self.hold.setValue(settings.hold_seconds)
        self.window_seconds.setValue(settings.baseline_seconds)

    def _on_change(self) -> None:
        changed = replace(
            self._settings,
            threshold_pct=self.threshold.value(),
            hold_seconds=self.hold.value(),
            baseline_seconds=self.window_seconds.value(),
        )
        if changed != self._settings:
            self._settings = changed
            self.settings_changed.emit(changed)

    def _on_defaults(self) -> None:
        self._put(RecoverySettings())
