"""The button with the formats that a stored run can be exported to."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from engine.report.export_kind import ExportKind


class ExportButton(QPushButton):
    """Emits ``export_requested`` with the ``ExportKind`` chosen in its menu."""

    export_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, charts_only: bool = False) -> None:
        super().__init__(parent)
        self._menu = QMenu("Export", self)
        for kind in ExportKind:
            if kind.is_chart or not charts_only:
                action = QAction(kind.label, self._menu)
                action.setData(kind)
                self._menu.addAction(action)
        self._menu.triggered.connect(self._on_triggered)
        self.setText("Export chart" if charts_only else "Export")
        self.setMenu(self._menu)

    @property
    def choices(self) -> QMenu:
        """The menu, also for context menus."""
        return self._menu

    def _on_triggered(self, action: QAction) -> None:
        self.export_requested.emit(ExportKind(action.data()))
