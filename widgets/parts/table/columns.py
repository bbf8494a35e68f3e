"""The columns of a table: sharing out free room, and storing their state.

Called by ``TableView``.
"""

import json
from collections.abc import Container, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHeaderView, QTableView

from widgets.parts.fonts import text_width
from widgets.parts.table.cell_delegates import SpacedHeader

_CELL_PADDING = "00"
_LONGEST = "0" * 30
_ROWS_MEASURED = 200


def column_title(view: QTableView, column: int) -> str:
    """A column's title, in one line; a column of icons has an accessible name only."""
    model = view.model()
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
        if title := model.headerData(column, Qt.Orientation.Horizontal, role):
            return str(title).replace("-\n", "-").replace("\n", " ")
    return ""


def shown_columns(view: QTableView, left: Container[int] = ()) -> list[int]:
    """The visible columns, and those that ``left`` for want of room, in displayed order."""
    header = view.horizontalHeader()
    columns = [header.logicalIndex(place) for place in range(header.count())]
    return [column for column in columns if column in left or not header.isSectionHidden(column)]


class TableColumns(QObject):
    """The columns of one view. A column that the user resized keeps its width."""

    def __init__(self, view: QTableView, header: SpacedHeader) -> None:
        super().__init__(view)
        self._view = view
        self._header = header
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        self._by_user: set[int] = set()
        self._chosen: set[int] = set()
        self._own: dict[int, int] = {}  # the width without the share of the free room
        self._yielding: Sequence[tuple[int, str]] = ()
        self._leaving: Sequence[int] = ()
        self._left: dict[int, int] = {}  # hidden for want of room, with their widths
        self._is_giving = False
        self._header.sectionResized.connect(self._on_resized)

    def fit(self, widest: Sequence[str]) -> None:
        """Give each column room for its header, its content and the widest text to expect.

        So nothing moves later; a long text gets some thirty characters at most, unless there is room.
        """
        for column in self._left:
            self._view.setColumnHidden(column, False)
        self._left.clear()
        font = self._view.font()
        padding, longest = text_width(font, _CELL_PADDING), text_width(font, _LONGEST)
        for column, text in enumerate(widest):
            content = min(longest, self._view.sizeHintForColumn(column) + padding // 2)
            needed = max(content, text_width(font, text) + padding, self._header.sectionSizeHint(column))
            self._header.resizeSection(column, needed)
        self.give_room()

    def let_yield(self, steps: Sequence[tuple[int, str]]) -> None:
        """Narrow columns one after the other, each to its title and a text, where the table is too narrow for all."""
        self._yielding = steps

    def let_leave(self, columns: Sequence[int]) -> None:
        """Hide columns one after the other where the table is too narrow for all, also after those that may yield did.

        A column that the user has chosen, or sorts by, stays.
        """
        self._leaving = columns

    @property
    def left(self) -> Container[int]:
        """The columns that are hidden because they have no room."""
        return self._left

    def give_room(self) -> None:
        """Share out the free room among the columns whose texts are elided, the least elided first; without any, narrow
        those that may yield, and hide those that may leave where that is not enough."""
        self._is_giving = True
        for column, width in self._own.items():
            self._header.resizeSection(column, width)
        self._own.clear()
        if (stretched := self._stretched()) is not None:  # the header gives it what remains, beyond this width
            self._header.resizeSection(stretched, self._header.sectionSizeHint(stretched))
        if self._leaving:
            self._hide_leaving()
        columns = self._growing()
        free = self._free_room() if columns else 0
        if free < 0:
            self._narrow(columns, -free)
        if free > 0:
            needed = {column: self._needed(column) for column in columns}
            for column in sorted(columns, key=lambda each: needed[each] - self._header.sectionSize(each)):
                free -= self._resize_by(column, min(free, max(0, needed[column] - self._header.sectionSize(column))))
        self._is_giving = False

    def show_whole(self, column: int) -> None:
        """Widen a column so that none of its texts in sight is elided."""
        self._header.resizeSection(column, max(self._header.sectionSize(column), self._needed(column)))

    def choose(self, column: int, *, is_shown: bool) -> None:
        """Show or hide a column on the user's request."""
        self._chosen.add(column)
        self._left.pop(column, None)
        self._view.setColumnHidden(column, not is_shown)
        self.give_room()

    def propose(self, column: int, *, is_shown: bool) -> None:
        """Show or hide a column, unless the user has chosen."""
        is_hidden = self._header.isSectionHidden(column) and column not in self._left
        if column not in self._chosen and is_hidden == is_shown:
            self._left.pop(column, None)
            self._view.setColumnHidden(column, not is_shown)
            self.give_room()

    def save(self) -> bytes:
        """Widths, order, hidden columns and sorting by the columns' titles, for ``restore``."""
        header, count = self._header, self._header.count()
        titles = [column_title(self._view, column) for column in range(count)]
        shown = [column for column in range(count) if column in self._left or not header.isSectionHidden(column)]
        own = {**self._left, **self._own}
        state = {
            "order": [titles[header.logicalIndex(place)] for place in range(count)],
            "widths": {titles[column]: own.get(column, header.sectionSize(column)) for column in shown},
            "by_user": [titles[column] for column in sorted(self._by_user)],
            "hidden": [titles[column] for column in range(count) if column not in shown],
            "chosen": [titles[column] for column in sorted(self._chosen)],
            "sorted_by": titles[header.sortIndicatorSection()] if header.sortIndicatorSection() < count else "",
            "descending": header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder,
        }
        return json.dumps(state).encode()

    def restore(self, saved: bytes) -> bool:
        """Returns whether the columns could be restored; a column that is not in the state keeps its place and
        width."""
        try:
            state = json.loads(saved)
            self._restore({str(key): value for key, value in state.items()})
        except (ValueError, TypeError, AttributeError):
            return False
        self.give_room()
        return True

    def _restore(self, state: dict[str, Any]) -> None:
        places = {column_title(self._view, column): column for column in range(self._header.count())}
        order = [places[title] for title in state["order"] if title in places] if "order" in state else []
        if not order:
            raise ValueError("the state is of another table")
        self._own.clear()
        self._left.clear()
        self._by_user = {places[title] for title in state.get("by_user", ()) if title in places}
        self._chosen = {places[title] for title in state.get("chosen", ()) if title in places}
        for column in range(self._header.count()):
            if column not in order:
                order.insert(order.index(column - 1) + 1 if column else 0, column)
        for place, column in enumerate(order):
            self._header.moveSection(self._header.visualIndex(column), place)
        for title, width in state.get("widths", {}).items():
            if title in places:
                self._header.resizeSection(places[title], int(width))
        for title, column in places.items():
            self._view.setColumnHidden(column, title in state.get("hidden", ()))
        if state.get("sorted_by") in places:
            is_descending = bool(state.get("descending"))
            order_by = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
            self._header.setSortIndicator(places[state["sorted_by"]], order_by)

    def _hide_leaving(self) -> None:
        """Hide as many of the leaving columns as lack room, and show the others of them again."""
        lacking = sum(self._left.values()) - self._free_room() - self._yieldable()
        for column in self._leaving:
            if column in self._chosen or (self._header.isSectionHidden(column) and column not in self._left):
                continue
            width = self._left.get(column, self._header.sectionSize(column))
            if lacking > 0 and column != self._header.sortIndicatorSection():
                lacking -= width
                if column not in self._left:
                    self._left[column] = width
                    self._view.setColumnHidden(column, True)
            elif self._left.pop(column, None):
                self._view.setColumnHidden(column, False)

    def _growing(self) -> list[int]:
        """The columns that may grow: those sized neither by the header nor by the user."""
        interactive, stretched = QHeaderView.ResizeMode.Interactive, self._stretched()
        return [
            column
            for column in shown_columns(self._view)
            if column not in self._by_user
            and column != stretched
            and self._header.sectionResizeMode(column) is interactive
        ]

    def _narrow(self, columns: Sequence[int], lacking: int) -> None:
        """Take the lacking pixels from those of these columns that may yield, and from a stretched last one."""
        stretched = self._stretched()
        wanted = 0 if stretched is None else self._needed(stretched)
        for column, text in self._yielding:
            least = self._least(column, text)
            width = wanted if column == stretched else self._header.sectionSize(column)
            excess = min(lacking, max(0, width - least))
            if column == stretched:
                wanted -= excess
                lacking -= excess
            elif column in columns:
                lacking += self._resize_by(column, -excess)

    def _yieldable(self) -> int:
        """The pixels that the columns that may yield can give up."""
        stretched = self._stretched()
        widths = {column: self._header.sectionSize(column) for column in self._growing()}
        if stretched is not None:
            widths[stretched] = self._needed(stretched)
        narrowed = dict(widths)
        for column, text in self._yielding:
            if column in widths:
                narrowed[column] = min(narrowed[column], self._least(column, text))
        return sum(widths.values()) - sum(narrowed.values())

    def _least(self, column: int, text: str) -> int:
        """The width for a column's title and a text."""
        text_room = text_width(self._view.font(), self._header.inset(column, text) + _CELL_PADDING)
        return max(text_room, self._header.sectionSizeHint(column))

    def _resize_by(self, column: int, pixels: int) -> int:
        """Widen or narrow a column by this much until room is given anew; returns the pixels."""
        if not pixels:
            return 0
        width = self._header.sectionSize(column)
        self._own.setdefault(column, width)
        self._header.resizeSection(column, width + pixels)
        return pixels

    def _needed(self, column: int) -> int:
        padding = text_width(self._view.font(), _CELL_PADDING) // 2
        return max(self._view.sizeHintForColumn(column) + padding, self._header.sectionSizeHint(column))

    def _free_room(self) -> int:
        """The free pixels beside the columns, or in a stretched last one; negative where the columns don't fit."""
        free = self._view.viewport().width() - self._header.length()
        stretched = self._stretched()
        return free if stretched is None else free + self._header.sectionSize(stretched) - self._needed(stretched)

    def _stretched(self) -> int | None:
        """The last column where the header gives it the remaining width."""
        columns = shown_columns(self._view)
        return columns[-1] if columns and self._header.stretchLastSection() else None

    def _on_resized(self, column: int, _before: int, _after: int) -> None:
        if self._is_giving:
            return
        self._own.pop(column, None)
        if self._header.is_held:
            self._by_user.add(column)
