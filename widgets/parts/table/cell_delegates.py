"""Delegates for colours and for texts beside numbers, and the header of all tables."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QMouseEvent, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QWidget,
)

_EN_SPACE = "\u2002"


class SwatchDelegate(QStyledItemDelegate):
    """Draws a cell's colour, such as that of a curve, the same in selected rows, where it has a frame."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._swatches: dict[tuple[int, int, int], QIcon] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(colour, QColor):
            frame = option.palette.color(QPalette.ColorRole.HighlightedText)
            key = colour.rgb(), frame.rgb(), option.decorationSize.width()
            if key not in self._swatches:
                self._swatches[key] = _swatch(colour, frame, option.decorationSize)
            option.icon = self._swatches[key]


def _swatch(colour: QColor, frame: QColor, size: QSize) -> QIcon:
    """A colour as an icon that the style does not tint: it has a pixmap for the selected state, too.

    There it has a frame, as the first colours are hardly told from that of the selection.
    """
    pixmap = QPixmap(size)
    pixmap.fill(colour)
    icon = QIcon(pixmap)
    painter = QPainter(pixmap)
    painter.setPen(frame)
    painter.drawRect(pixmap.rect().adjusted(0, 0, -1, -1))
    painter.end()
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


class SpacedHeader(QHeaderView):
    """A table header that insets a title after that of a number column, wherever that was moved to."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.is_held = False  # while the mouse button is pressed: this resize is the user's
        self.setSectionsClickable(True)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.is_held = True
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.is_held = True
        super().mouseDoubleClickEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        self.is_held = False

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:  # noqa: N802, N803
        super().initStyleOptionForIndex(option, logicalIndex)
        option.text = self.inset(logicalIndex, option.text)

    def inset(self, column: int, text: str) -> str:
        """A text of this column, or its title, as it is drawn."""
        return f"{_EN_SPACE}{text}" if self.is_after_number(column) else text

    def is_after_number(self, column: int) -> bool:
        """Whether the texts of a column would touch the numbers of the one that is displayed before it."""
        place = self.visualIndex(column) - 1
        while place >= 0 and self.isSectionHidden(self.logicalIndex(place)):
            place -= 1
        return place >= 0 and self._ends_right(self.logicalIndex(place)) and not self._ends_right(column)

    def _ends_right(self, column: int) -> bool:
        alignment = self.model().headerData(column, self.orientation(), Qt.ItemDataRole.TextAlignmentRole)
        return alignment is not None and bool(Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight)


class SpacedCells(QStyledItemDelegate):
    """Draws a text after a number column as far in as its title; the text that is copied is unchanged."""

    def __init__(self, header: SpacedHeader, parent: QWidget) -> None:
        super().__init__(parent)
        self._header = header

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        if option.icon.isNull():  # an icon has space around it
            option.text = self._header.inset(index.column(), option.text)
