"""Inserts tables of a document into a ``QTextDocument``: data, facts, key figures, warnings. Called by
``DocumentWriter``."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextTable

from engine.report.document import DataTable, Facts, KeyFigures
from widgets.parts.look import LIGHT
from widgets.parts.shapes import Shape, paint_shape
from widgets.report.paper import Paper, marked, ruled

_VALUE_FACTOR = 1.6
_SIGN_SCALE = 4
_FACTS_SHARES = (30, 70)
_BAR_SHARE = 0.2
_RIGHT = Qt.AlignmentFlag.AlignRight


def insert_data(cursor: QTextCursor, paper: Paper, data: DataTable) -> None:
    """A table of figures: bold headers and total, numbers right-aligned."""
    rows = [tuple(column.title for column in data.columns), *data.rows, *(() if data.total is None else (data.total,))]
    table = cursor.insertTable(len(rows), len(data.columns), paper.table(header_rows=1))
    strong = (0, len(rows) - 2) if data.total is not None else (0,)
    for row, texts in enumerate(rows):
        bold = row == 0 or (data.total is not None and row == len(rows) - 1)
        form = paper.text(bold=bold)
        for place, text in enumerate(texts):
            ruled(table.cellAt(row, place), LIGHT.muted if row in strong else LIGHT.faint)
            column = data.columns[place]
            gap = paper.line if place and data.columns[place - 1].is_number and not column.is_number else 0.0
            _fill(table, row, place, text, form, right=column.is_number, gap=gap)
    _leave(cursor)


def insert_facts(cursor: QTextCursor, paper: Paper, facts: Facts) -> None:
    """Names in a muted colour, with their values beside them."""
    table = cursor.insertTable(max(1, len(facts.rows)), 2, paper.table(*_FACTS_SHARES))
    for row, (name, value) in enumerate(facts.rows):
        _fill(table, row, 0, name, paper.text(colour=LIGHT.muted))
        _fill(table, row, 1, value, paper.text())
    _leave(cursor)


def insert_key_figures(cursor: QTextCursor, paper: Paper, key: KeyFigures) -> None:
    """The figures side by side, each large below its name."""
    table = cursor.insertTable(2, max(1, len(key.figures)), paper.table())
    for place, figure in enumerate(key.figures):
        _fill(table, 0, place, figure.name, paper.muted())
        _fill(table, 1, place, figure.value, paper.text(factor=_VALUE_FACTOR, bold=True))
        if figure.unit:
            table.cellAt(1, place).lastCursorPosition().insertText(f"\u202f{figure.unit}", paper.text())
    _leave(cursor)


def insert_warning(cursor: QTextCursor, paper: Paper, text: str) -> None:
    """A sign and the word before the text, in a frame."""
    cell = cursor.insertTable(1, 1, paper.table()).cellAt(0, 0)
    marked(cell, LIGHT.warning, _BAR_SHARE * paper.line)
    within = cell.firstCursorPosition()
    within.insertImage(_sign(round(0.6 * paper.line)))
    within.insertText("\u2002Warning: ", paper.text(bold=True, colour=LIGHT.warning))
    within.insertText(text, paper.text())
    _leave(cursor)


def _fill(
    table: QTextTable, row: int, place: int, text: str, form: QTextCharFormat, *, right: bool = False, gap: float = 0.0
) -> None:
    """Write into a cell; ``gap`` separates a text from a figure that ends directly before it."""
    cursor = table.cellAt(row, place).firstCursorPosition()
    block = QTextBlockFormat()
    block.setLeftMargin(gap)
    if right:
        block.setAlignment(_RIGHT)
    cursor.setBlockFormat(block)
    cursor.insertText(text, form)


def _leave(cursor: QTextCursor) -> None:
    """Continue below the table."""
    cursor.movePosition(QTextCursor.MoveOperation.End)


def _sign(side: int) -> QImage:
    """The warning triangle, in a higher resolution than the screen's."""
    image = QImage(_SIGN_SCALE * side, _SIGN_SCALE * side, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SIGN_SCALE)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_shape(painter, QRectF(0, 0, side, side), Shape.TRIANGLE, QColor(LIGHT.warning))
    painter.end()
    return image
