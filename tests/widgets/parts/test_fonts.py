"""Fonts that are made from a widget's own."""

import pytest
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from widgets.parts.fonts import fixed_width, scaled, tabular, text_width


def test_tabular_figures_are_enabled_and_other_features_kept(qtbot: QtBot) -> None:
    font = QFont("Sans", 11)
    assert tabular(font).featureValue(QFont.Tag("tnum")) == 1
    assert tabular(font).pointSizeF() == 11
    assert not font.isFeatureSet(QFont.Tag("tnum"))


@pytest.mark.parametrize("in_pixels", [False, True])
def test_the_font_of_equal_widths_is_as_large(qtbot: QtBot, in_pixels: bool) -> None:
    font = QFont("Sans")
    font.setPixelSize(20) if in_pixels else font.setPointSizeF(15.5)
    fixed = fixed_width(font)
    assert (fixed.pixelSize(), fixed.pointSizeF()) == (font.pixelSize(), font.pointSizeF())
    assert fixed.family() != font.family()


@pytest.mark.parametrize("in_pixels", [False, True])
def test_a_font_is_scaled_in_its_own_unit(qtbot: QtBot, in_pixels: bool) -> None:
    font = QFont("Sans")
    font.setPixelSize(20) if in_pixels else font.setPointSizeF(10)
    larger = scaled(font, 1.5, bold=True)
    assert larger.bold()
    assert (larger.pixelSize() == 30) if in_pixels else (larger.pointSizeF() == 15)


def test_width_is_that_of_the_widest_text(qtbot: QtBot) -> None:
    font = QFont("Sans", 10)
    assert text_width(font, "8", "8 888") == text_width(font, "8 888") > text_width(font, "8")
