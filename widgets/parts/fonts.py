"""Fonts derived from a widget's: tabular figures for numbers that change, other sizes, and letters of equal width."""

import math

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF


def tabular(font: QFont) -> QFont:
    """The same font with figures of equal width, so that a changing number does not move."""
    figures = QFont(font)
    figures.setFeature(QFont.Tag("tnum"), 1)
    return figures


def scaled(font: QFont, factor: float, *, bold: bool = False) -> QFont:
    """The font ``factor`` times as large, whether it is given in points or in pixels."""
    larger = QFont(font)
    if font.pointSizeF() > 0:
        larger.setPointSizeF(font.pointSizeF() * factor)
    else:
        larger.setPixelSize(round(font.pixelSize() * factor))
    larger.setBold(bold)
    return larger


def fixed_width(font: QFont) -> QFont:
    """The system's font with letters of equal width, as large as ``font``."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if font.pointSizeF() > 0:
        fixed.setPointSizeF(font.pointSizeF())
    else:
        fixed.setPixelSize(font.pixelSize())
    return fixed


def text_width(font: QFont, *texts: str) -> int:
    """The width of the widest of some texts, rounded up."""
    metrics = QFontMetricsF(font)
    return math.ceil(max(metrics.horizontalAdvance(text) for text in texts)) + 1
