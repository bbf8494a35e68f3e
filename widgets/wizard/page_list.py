"""The list of the wizard's pages: each with a tick, a dot or a warning, chosen by a click or by the arrow keys."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from widgets.parts.fonts import text_width
from widgets.parts.icons import icon
from widgets.parts.look import Look

_ROW_FACTOR = 2.2


class PageState(Enum):
    """The state of a page: its icon, and the word for it."""

    OPEN = ("dot", "not visited yet")
    INCOMPLETE = ("edit", "to be filled in")
    READY = ("tick", "ready")
    WRONG = ("warning", "has errors")


class PageList(QListWidget):
    """``page_chosen`` carries the index of the page from 0."""

    page_chosen = Signal(int)

    def __init__(self, look: Look, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = {state: icon(state.value[0], look) for state in PageState}
        self._titles = list(titles)
        self.setAccessibleName("Pages of the new run")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        height = self.fontMetrics().height()
        self.setIconSize(QSize(height, height))
        for number, title in enumerate(titles, start=1):
            item = QListWidgetItem(f"{number}  {title}", self)
            item.setSizeHint(QSize(0, round(height * _ROW_FACTOR)))
        for number in range(len(titles)):
            self.show_state(number, PageState.OPEN)
        self.currentRowChanged.connect(self.page_chosen)
        look.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:  # noqa: N802
        width = text_width(self.font(), *(f"00  {title}  " for title in self._titles)) + 3 * self.iconSize().width()
        return QSize(width, super().sizeHint().height())

    def show_title(self, number: int, title: str) -> None:
        """Another title of a page, such as what the stores of the chosen workload are."""
        if title != self._titles[number]:
            self._titles[number] = title
            self.item(number).setText(f"{number + 1}  {title}")
            self.show_state(number, self.page_state(number))
            self.updateGeometry()

    def show_state(self, number: int, state: PageState) -> None:
        item = self.item(number)
        item.setIcon(self._icons[state])
        item.setToolTip(f"{self._titles[number]}: {state.value[1]}")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{self._titles[number]}, {state.value[1]}")
        item.setData(Qt.ItemDataRole.UserRole, state.name)

    def page_state(self, number: int) -> PageState:
        return PageState[self.item(number).data(Qt.ItemDataRole.UserRole)]
