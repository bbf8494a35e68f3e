"""A list of machines to tick, with a warning at those that can't be."""

from collections.abc import Container, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from engine.figure_text import capitalised
from widgets.parts.icons import icon
from widgets.parts.look import Look


class MachineList(QListWidget):
    """``problems`` has every machine, and why it can't be ticked, empty where it can; ``ticked`` are so at first."""

    def __init__(
        self, look: Look, problems: Mapping[str, str], ticked: Container[str], lines: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        height = self.fontMetrics().height()
        self.setIconSize(QSize(height, height))
        self.setFixedHeight(round(lines * 1.6 * height))
        for name, problem in problems.items():
            item = QListWidgetItem(icon("warning", look) if problem else QIcon(), name, self)
            if problem:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setToolTip(capitalised(problem))
            else:
                item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled)
                item.setCheckState(Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """The rows get the style sheet's height, where they were laid out before it applied."""
        super().showEvent(event)
        self.scheduleDelayedItemsLayout()

    @property
    def ticked(self) -> list[str]:
        items = (self.item(row) for row in range(self.count()))
        return [item.text() for item in items if item.checkState() is Qt.CheckState.Checked]
