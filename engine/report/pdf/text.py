"""The text of PDF documents: fonts, styles, and markup for ReportLab. Called by the ``pdf`` modules.

DejaVu Sans, which comes with matplotlib, is embedded; its letters are large for their size, so the sizes are small.
Chinese, Japanese and Korean use fonts of the viewer, which the PDF only names: embedding one would be larger than all
of Spindle.
"""

import re
from functools import cache
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib as mpl
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

from engine.report.charts.palette import PAPER

BODY, STRONG, SLANTED, MONO = "Spindle-Body", "Spindle-Strong", "Spindle-Slanted", "Spindle-Mono"
TEXT, MUTED, FAINT = HexColor(PAPER.text), HexColor(PAPER.muted), HexColor(PAPER.faint)
WARNING = HexColor("#8f5300")
_FILES = {BODY: "DejaVuSans", STRONG: "DejaVuSans-Bold", SLANTED: "DejaVuSans-Oblique", MONO: "DejaVuSansMono"}
_JAPANESE, _KOREAN, _CHINESE = "HeiseiKakuGo-W5", "HYSMyeongJo-Medium", "STSong-Light"
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\u1100-\u11ff\uac00-\ud7af]")
_EAST_ASIAN = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_MEASURE_PT = 372.0  # 131 mm: some 85 letters, beyond which the eye loses the line
_FRAME_PT = 482.0


@cache
def register_fonts() -> None:
    """Register the fonts with ReportLab, which has one registry for the process."""
    folder = Path(mpl.get_data_path(), "fonts", "ttf")
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{file}.ttf")))
    for name in (_JAPANESE, _KOREAN, _CHINESE):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    pdfmetrics.registerFontFamily(BODY, normal=BODY, bold=STRONG, italic=SLANTED, boldItalic=STRONG)


def markup(text: str, font: str = BODY) -> str:
    """Plain text as a paragraph's markup, with each letter in a font that has it."""
    register_fonts()  # which asks them
    text = unbroken(text)
    east = _JAPANESE if _KANA.search(text) else _KOREAN if _HANGUL.search(text) else _CHINESE
    runs = [("".join(run), name) for name, run in groupby(text, lambda letter: _font_of(letter, font, east))]
    return "".join(escape(run) if name == font else f'<font name="{name}">{escape(run)}</font>' for run, name in runs)


def unbroken(text: str) -> str:
    """A text whose thin spaces ReportLab does not break: it does break lines at other narrow spaces."""
    return text.replace("\u202f", "\u00a0")


def width_pt(text: str, style: ParagraphStyle) -> float:
    """The width of a text on one line in that style, in points."""
    return float(pdfmetrics.stringWidth(unbroken(text), style.fontName, style.fontSize))


def styles() -> dict[str, ParagraphStyle]:
    """The styles by name; the leading is some 140 % of the font size, as in books."""
    register_fonts()
    body = ParagraphStyle(
        "body",
        fontName=BODY,
        fontSize=8.3,
        leading=12.8,
        bulletFontName=BODY,
        textColor=TEXT,
        rightIndent=_FRAME_PT - _MEASURE_PT,
        spaceAfter=5,
        allowWidows=0,
        allowOrphans=0,
        splitLongWords=1,
    )
    small = ParagraphStyle("small", parent=body, fontSize=7.5, leading=11, spaceAfter=0)
    cell = ParagraphStyle("cell", parent=small, rightIndent=0)
    head = ParagraphStyle("head", parent=cell, textColor=MUTED, fontSize=7, leading=10)
    heading = ParagraphStyle("heading", parent=body, fontName=STRONG, rightIndent=0)
    every = [
        body,
        cell,
        head,
        ParagraphStyle("cell_right", parent=cell, alignment=TA_RIGHT),
        ParagraphStyle("head_right", parent=head, alignment=TA_RIGHT),
        ParagraphStyle("name", parent=cell, textColor=MUTED),
        ParagraphStyle("note", parent=small, textColor=MUTED, spaceBefore=3, spaceAfter=9),
        ParagraphStyle("figure_caption", parent=small, spaceBefore=2, spaceAfter=14),
        ParagraphStyle("table_caption", parent=heading, fontSize=7.8, leading=11.5, spaceBefore=6, spaceAfter=4),
        ParagraphStyle("kind", parent=body, textColor=MUTED, spaceAfter=1),
        ParagraphStyle("title", parent=body, fontName=STRONG, fontSize=17, leading=23, rightIndent=0, spaceAfter=3),
        ParagraphStyle("subtitle", parent=body, textColor=MUTED, fontSize=9, leading=13, rightIndent=0),
        ParagraphStyle("h1", parent=heading, fontSize=11.5, leading=16, spaceBefore=16, spaceAfter=7),
        ParagraphStyle("h2", parent=heading, fontSize=9.4, leading=13.5, spaceBefore=11, spaceAfter=4),
        ParagraphStyle("h3", parent=heading, spaceBefore=8, spaceAfter=3),
        ParagraphStyle("key_name", parent=cell, textColor=MUTED),
        ParagraphStyle("key_value", parent=cell, fontName=STRONG, fontSize=14, leading=19),
        ParagraphStyle("warning", parent=body, spaceAfter=0),
        ParagraphStyle("item", parent=body, leftIndent=12, bulletIndent=2, spaceAfter=2),
        ParagraphStyle("quote", parent=body, leftIndent=12, textColor=MUTED),
        ParagraphStyle("listing", parent=body, fontName=MONO, fontSize=7.5, leading=11, leftIndent=12, spaceAfter=9),
    ]
    return {style.name: style for style in every}


def _font_of(letter: str, font: str, east: str) -> str:
    if letter.isspace() or _has(font, letter):
        return font
    if _EAST_ASIAN.match(letter):
        return east
    return BODY if _has(BODY, letter) else font


def _has(font: str, letter: str) -> bool:
    return ord(letter) in pdfmetrics.getFont(font).face.charToGlyph  # type: ignore[attr-defined]
