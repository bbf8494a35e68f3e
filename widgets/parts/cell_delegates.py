"""How texts beside a number are drawn. Called by the tables that have such; ``PartedHeader`` is every table's."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QTableView,
    QWidget,
)

_EN_SPACE = "\u2002"


class _AfterNumber(QStyledItemDelegate):
    """Draws a text a little further to the right; what is copied is the text alone."""

    def displayText(self, value: Any, locale: QLocale | QLocale.Language) -> str:  # noqa: N802
        return f"{_EN_SPACE}{super().displayText(value, locale)}"


class PartedHeader(QHeaderView):
    """A table's header, whose titles stand back from a number's title before them, wherever that was moved to."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:  # noqa: N802, N803
        super().initStyleOptionForIndex(option, logicalIndex)
        place = self.visualIndex(logicalIndex)
        if place > 0 and self._ends_right(self.logicalIndex(place - 1)) and not self._ends_right(logicalIndex):
            option.text = f"{_EN_SPACE}{option.text}"

    def _ends_right(self, column: int) -> bool:
        alignment = self.model().headerData(column, self.orientation(), Qt.ItemDataRole.TextAlignmentRole)
        return alignment is not None and bool(Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight)


def part_from_numbers(table: QTableView, are_numbers: Sequence[bool]) -> None:
    """Give room between a number, which ends at the right, and a text that begins in the next of the columns."""
    delegate = _AfterNumber(table)
    for column, (number_before, is_number) in enumerate(pairwise(are_numbers), start=1):
        if number_before and not is_number:
            table.setItemDelegateForColumn(column, delegate)
