"""Copies rows of a table to the clipboard: plain numbers and texts, for spreadsheets, documents and scripts.

Called by every table.
"""

from collections.abc import Container, Sequence
from enum import StrEnum

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTableView

from engine.plain_table import PlainTable
from widgets.parts.table.columns import column_title, shown_columns


class CopyAs(StrEnum):
    """The format of copied rows; the value is the menu's text."""

    TABS = "Copy"
    CSV = "Copy as CSV"
    MARKDOWN = "Copy as Markdown"


def copy_rows(view: QTableView, rows: Sequence[int], copy_as: CopyAs = CopyAs.TABS, left: Container[int] = ()) -> None:
    """Copy rows of a view with the titles of its visible columns, and of those that ``left`` for want of room.

    Without rows the clipboard is unchanged.
    """
    if rows:
        QGuiApplication.clipboard().setText(rows_text(view, rows, copy_as, left))


def rows_text(view: QTableView, rows: Sequence[int], copy_as: CopyAs = CopyAs.TABS, left: Container[int] = ()) -> str:
    """The text that ``copy_rows`` copies; right-aligned cells are numbers."""
    columns = shown_columns(view, left)
    numbers = [place for place, column in enumerate(columns) if _is_number(view.model(), column)]
    titles = [column_title(view, column) for column in columns]
    cells = [[_text(view.model(), row, column) for column in columns] for row in rows]
    table = PlainTable.of(titles, cells, numbers)
    match copy_as:
        case CopyAs.TABS:
            return table.as_tabs()
        case CopyAs.CSV:
            return table.as_csv()
        case CopyAs.MARKDOWN:
            return table.as_markdown()


def _is_number(model: QAbstractItemModel, column: int) -> bool:
    alignment = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
    return alignment is not None and bool(Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight)


def _text(model: QAbstractItemModel, row: int, column: int) -> str:
    index = model.index(row, column)
    shown = model.data(index, Qt.ItemDataRole.DisplayRole)
    if shown is None:
        shown = model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    return "" if shown is None else str(shown)
