"""A layout that places its widgets in a row, and wraps to the next row."""

from collections.abc import Iterable
from typing import TypeVar

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

Sized = TypeVar("Sized", QLayoutItem, QWidget)


class FlowLayout(QLayout):
    """Its height depends on its width, as that of a text does. The rows' spacing is that of the widgets, or
    ``row_spacing``."""

    def __init__(self, parent: QWidget | None = None, *, row_spacing: int | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}
        self._row_spacing = row_spacing
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)
        self._heights.clear()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        self._heights.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def invalidate(self) -> None:
        """A widget has another size, or was shown or hidden."""
        self._heights.clear()
        super().invalidate()

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Qt asks several times for the same width while it lays a window out."""
        if width not in self._heights:
            self._heights[width] = self._place(QRect(0, 0, width, 0), is_trial=True)
        return self._heights[width]

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._place(rect, is_trial=False)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, is_trial: bool) -> int:
        """Place the items in ``rect`` unless it is a trial; returns their height."""
        y = rect.y()
        rows, gap = self._rows(rect.width())
        for number, row in enumerate(rows):
            x, y = rect.x(), y + (self._row_gap() if number else 0)
            for item in row:
                if not is_trial:
                    item.setGeometry(QRect(QPoint(x, y), item.sizeHint()))
                x += item.sizeHint().width() + gap
            y += max(item.sizeHint().height() for item in row)
        return y - rect.y()

    def _rows(self, width: int) -> tuple[list[list[QLayoutItem]], int]:
        """The items row by row, and the gap between the items of a row."""
        gap = max(0, self.spacing())
        return filled(self._shown(), width, gap), gap

    def _row_gap(self) -> int:
        return max(0, self.spacing()) if self._row_spacing is None else self._row_spacing


class BalancedFlowLayout(FlowLayout):
    """Reduces the gaps down to ``least_spacing`` before it wraps, and fills rows evenly.

    So no widget is alone in the last row.
    """

    def __init__(self, least_spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_spacing = least_spacing

    def _rows(self, width: int) -> tuple[list[list[QLayoutItem]], int]:
        items, gap = self._shown(), max(0, self.spacing())
        needed = sum(item.sizeHint().width() for item in items)
        gaps = max(1, len(items) - 1)
        if needed + gaps * self._least_spacing <= width:
            return ([items] if items else []), min(gap, (width - needed) // gaps)
        rows = filled(items, width, gap)
        low, high = 0, width  # the narrowest width without an additional row has the most even rows
        while low < high:
            middle = (low + high) // 2
            if len(filled(items, middle, gap)) <= len(rows):
                high = middle
            else:
                low = middle + 1
        return filled(items, high, gap), gap

    def _row_gap(self) -> int:
        return self._least_spacing


def filled(items: Iterable[Sized], width: int, gap: int) -> list[list[Sized]]:
    """Widgets, or items of a layout, in rows of a width, each as full as possible."""
    rows: list[list[Sized]] = []
    x = 0
    for item in items:
        wide = item.sizeHint().width()
        if not rows or x + wide > width:
            rows.append([])
            x = 0
        rows[-1].append(item)
        x += wide + gap
    return rows
