"""The blocks of a document as ReportLab flowables. Called by ``pdf``, which then merges the charts into their boxes."""

import io
from collections.abc import Iterator

from PIL import Image as Picture
from PIL import UnidentifiedImageError
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    Image,
    KeepTogether,
    Paragraph,
    Preformatted,
    Spacer,
    Table,
    TableStyle,
)

from engine.errors import BadInput
from engine.report.document import (
    Block,
    ChartFigure,
    DataTable,
    Document,
    Facts,
    KeyFigures,
    Listing,
    Logo,
    Notes,
    Section,
    Text,
    Warn,
)
from engine.report.pdf.notes import note_flowables
from engine.report.pdf.tables import table_flowables, table_min_height_pt
from engine.report.pdf.text import BODY, MUTED, STRONG, WARNING, markup

FRAME_PT = 170 * mm
_NAME_PT = 46 * mm
_LOGO_HEIGHT_PT, _LOGO_WIDTH_PT = 15 * mm, 62 * mm
_LINE_LETTERS = 96
_FEW_KEYS, _MANY_KEYS = 3, 4
_HEADING_ROOM_PT, _LINES_ROOM_PT = 18 * mm, 22 * mm

Styles = dict[str, ParagraphStyle]


class ChartBox(Flowable):
    """The space of a chart of one page of PDF; it records its position: the page from 0, and its lower left corner in
    points."""

    def __init__(self, drawn: bytes, width_pt: float, height_pt: float) -> None:
        super().__init__()
        self.drawn = drawn
        self.width, self.height = width_pt, height_pt
        self.page = -1
        self.corner = (0.0, 0.0)

    def draw(self) -> None:
        self.page = self.canv.getPageNumber() - 1
        self.corner = self.canv.absolutePosition(0, 0)


class Heading(Paragraph):
    """A heading that appears in the document's outline; ``depth`` is 0 for a chapter."""

    def __init__(self, title: str, style: ParagraphStyle, depth: int, anchor: str) -> None:
        super().__init__(markup(title, STRONG), style)
        self.title, self.depth, self.anchor = title, depth, anchor

    def draw(self) -> None:
        self.canv.bookmarkHorizontal(self.anchor, 0, self.height + self.style.spaceBefore)
        self.canv.addOutlineEntry(self.title, self.anchor, level=self.depth, closed=0)
        super().draw()


def head_flowables(document: Document, styles: Styles) -> Iterator[Flowable]:
    """Logo, kind, title and subtitle, and the user's notes. Raises ``BadInput`` for an unsuitable logo."""
    if document.logo is not None:
        yield _logo(document.logo)
        yield Spacer(0, 9 * mm)
    yield Paragraph(markup(document.kind.label), styles["kind"])
    yield Paragraph(markup(document.title, STRONG), styles["title"])
    yield Paragraph(markup(document.subtitle), styles["subtitle"])
    yield Spacer(0, 6 * mm)
    if document.notes:
        yield from note_flowables(document.notes, styles, FRAME_PT)


def section_flowables(
    section: Section, depth: int, anchor: str, charts: list[ChartBox], styles: Styles
) -> Iterator[Flowable]:
    """A heading at a depth of the outline, and its blocks; ``charts`` yields the boxes of their figures."""
    yield CondPageBreak(_HEADING_ROOM_PT + (_min_height_pt(section.blocks[0], charts) if section.blocks else 0))
    yield Heading(section.title, styles["h2" if depth else "h1"], depth, anchor)
    for block in section.blocks:
        yield from _block_flowables(block, charts, styles)


def _min_height_pt(block: Block, charts: list[ChartBox]) -> float:
    """The height that a block needs on the page of its heading, so that the heading does not stand alone."""
    if isinstance(block, ChartFigure):
        return charts[0].height + _LINES_ROOM_PT
    return table_min_height_pt(block) if isinstance(block, DataTable) else _LINES_ROOM_PT


def _block_flowables(block: Block, charts: list[ChartBox], styles: Styles) -> Iterator[Flowable]:
    match block:
        case Text():
            yield Paragraph(markup(block.text), styles["body"])
        case Notes():
            yield from note_flowables(block.markdown, styles, FRAME_PT)
        case Listing():
            yield Preformatted(block.text.rstrip("\n"), styles["listing"], maxLineLength=_LINE_LETTERS)
        case Warn():
            yield from _warning(block, styles)
        case Facts():
            yield from _facts(block, styles)
        case KeyFigures():
            yield from _key_figures(block, styles)
        case DataTable():
            yield from table_flowables(block, styles, FRAME_PT)
        case ChartFigure():
            note = f' <font color="{_hex(MUTED)}">{markup(block.note)}</font>' if block.note else ""
            caption = Paragraph(markup(block.caption) + note, styles["figure_caption"])
            yield KeepTogether([charts.pop(0), caption])


def _warning(block: Warn, styles: Styles) -> Iterator[Flowable]:
    sign = f'<font color="{_hex(WARNING)}">{markup("⚠ ")}<font name="{STRONG}">Warning</font></font>  '
    made = Table([[Paragraph(sign + markup(block.text), styles["warning"])]], colWidths=[FRAME_PT], hAlign="LEFT")
    made.setStyle(
        TableStyle(
            [
                ("LINEBEFORE", (0, 0), (0, 0), 1.6, WARNING),
                ("LEFTPADDING", (0, 0), (0, 0), 9),
                ("TOPPADDING", (0, 0), (0, 0), 1),
                ("BOTTOMPADDING", (0, 0), (0, 0), 2),
            ]
        )
    )
    yield made
    yield Spacer(0, 3 * mm)


def _facts(block: Facts, styles: Styles) -> Iterator[Flowable]:
    if not block.rows:
        return
    rows = [
        [Paragraph(markup(name), styles["name"]), Paragraph(markup(value), styles["cell"])]
        for name, value in block.rows
    ]
    made = Table(rows, colWidths=[_NAME_PT, FRAME_PT - _NAME_PT], hAlign="LEFT", splitInRow=1)
    made.setStyle(_plain_style(right=8, top=1.4, bottom=1.8))
    yield made
    yield Spacer(0, 3 * mm)


def _key_figures(block: KeyFigures, styles: Styles) -> Iterator[Flowable]:
    in_a_row = _FEW_KEYS if len(block.figures) in (5, 6) else _MANY_KEYS
    for first in range(0, len(block.figures), in_a_row):
        row = block.figures[first : first + in_a_row]
        names = [Paragraph(markup(figure.name), styles["key_name"]) for figure in row]
        values = [Paragraph(markup(figure.value, STRONG) + _unit(figure.unit), styles["key_value"]) for figure in row]
        made = Table([names, values], colWidths=[FRAME_PT / _MANY_KEYS] * len(row), hAlign="LEFT")
        made.setStyle(_plain_style(right=6))
        yield made
        yield Spacer(0, 4 * mm)


def _unit(unit: str) -> str:
    return f'<font name="{BODY}" size="8.6" color="{_hex(MUTED)}">\u00a0{markup(unit)}</font>' if unit else ""


def _plain_style(*, right: float, top: float = 0, bottom: float = 0) -> TableStyle:
    """A table style without rules, and with padding in points at three sides of each cell."""
    whole = (0, 0), (-1, -1)
    return TableStyle(
        [
            ("LEFTPADDING", *whole, 0),
            ("RIGHTPADDING", *whole, right),
            ("TOPPADDING", *whole, top),
            ("BOTTOMPADDING", *whole, bottom),
            ("VALIGN", *whole, "TOP"),
        ]
    )


def _logo(logo: Logo) -> Image:
    """The logo, scaled to fit. Raises ``BadInput`` when it is not a picture, or of a format that a PDF can't
    contain."""
    if logo.format != "png":
        raise BadInput("the logo is an SVG picture, which only an HTML report takes; give a PNG picture for a PDF.")
    try:
        Picture.open(io.BytesIO(logo.content), formats=["PNG"]).verify()
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise BadInput("the logo is not a PNG picture; give a PNG file.") from error
    return Image(io.BytesIO(logo.content), _LOGO_WIDTH_PT, _LOGO_HEIGHT_PT, kind="proportional", hAlign="LEFT")


def _hex(colour: object) -> str:
    return f"#{colour.hexval()[2:]}"  # type: ignore[attr-defined]
