"""The paper of a report: its colours, which are those of print in any look, and its text formats."""

from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextLength,
    QTextTableCell,
    QTextTableCellFormat,
    QTextTableFormat,
)

from widgets.parts.fonts import scaled
from widgets.parts.look import LIGHT

_HEADINGS = {0: 1.7, 1: 1.3, 2: 1.1}
_BELOW_TABLE = 0.35
_CELL_SHARE = 0.22
_TABLE_SHARE = 98.5  # of the width; because of rounding in each cell, 100 % would be wider than the page


def paper_palette() -> QPalette:
    """Dark text on white."""
    palette = QPalette(QColor(LIGHT.window))
    for role, colour in (
        (QPalette.ColorRole.Base, LIGHT.surface),
        (QPalette.ColorRole.Text, LIGHT.text),
        (QPalette.ColorRole.Link, LIGHT.accent),
        (QPalette.ColorRole.Highlight, LIGHT.accent),
        (QPalette.ColorRole.HighlightedText, LIGHT.surface),
    ):
        palette.setColor(role, QColor(colour))
    return palette


class Paper:
    """Formats for text in ``font``, whose lines are ``line`` pixels high."""

    def __init__(self, font: QFont, line: float) -> None:
        self._font, self.line = font, line

    def text(self, *, factor: float = 1.0, bold: bool = False, colour: str = LIGHT.text) -> QTextCharFormat:
        """The font, ``factor`` times as large."""
        form = QTextCharFormat()
        form.setFont(scaled(self._font, factor, bold=bold))
        form.setForeground(QBrush(QColor(colour)))
        return form

    def muted(self) -> QTextCharFormat:
        return self.text(factor=0.9, colour=LIGHT.muted)

    def letters_of_one_width(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        form.setForeground(QBrush(QColor(LIGHT.text)))
        return form

    def heading(self, level: int) -> QTextCharFormat:
        """A heading; level 0 is the title."""
        return self.text(factor=_HEADINGS.get(level, 1.0), bold=True)

    def paragraph(self, *, above: float, below: float, level: int | None = None) -> QTextBlockFormat:
        """A paragraph with space above and below in lines; ``level`` is that of a heading, from 0."""
        form = QTextBlockFormat()
        form.setTopMargin(above * self.line)
        form.setBottomMargin(below * self.line)
        if level is not None:
            form.setHeadingLevel(level + 1)
        return form

    def table(self, *shares: float, header_rows: int = 0) -> QTextTableFormat:
        """A table as wide as the page; ``shares`` are its columns' widths in per cent, ``header_rows`` the number of
        header rows."""
        form = QTextTableFormat()
        form.setWidth(_percent(_TABLE_SHARE))
        form.setColumnWidthConstraints([_percent(share) for share in shares])
        form.setCellPadding(_CELL_SHARE * self.line)
        form.setCellSpacing(0)
        form.setBorderCollapse(True)
        form.setBorder(0)
        form.setHeaderRowCount(header_rows)
        form.setBottomMargin(_BELOW_TABLE * self.line)
        return form


def ruled(cell: QTextTableCell, colour: str = LIGHT.faint) -> None:
    """Draw a line below a cell."""
    form = QTextTableCellFormat()
    form.setBottomBorder(1)
    form.setBottomBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
    form.setBottomBorderBrush(QBrush(QColor(colour)))
    cell.setFormat(form)


def marked(cell: QTextTableCell, colour: str, width: float) -> None:
    """Draw a bar at the left of a cell, and tint it."""
    form = QTextTableCellFormat()
    form.setLeftBorder(width)
    form.setLeftBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
    form.setLeftBorderBrush(QBrush(QColor(colour)))
    form.setBackground(QBrush(QColor(LIGHT.band_warmup)))
    cell.setFormat(form)


def _percent(share: float) -> QTextLength:
    return QTextLength(QTextLength.Type.PercentageLength, share)
