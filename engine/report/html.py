"""A document as one self-contained HTML file: no script, and no font or picture from elsewhere.

It adapts to the reader's width, to light and dark, and prints on A4.
"""

import base64
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import count

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from engine.figure_text import moment
from engine.report.charts import drawing
from engine.report.charts.palette import DARK, NAMED, PAPER, Palette, style_names, with_style_names
from engine.report.document import Block, Chart, ChartFigure, Column, Document, Logo, Notes
from engine.report.notes import note_html
from resources import read_text

_MEDIA_TYPES = {"png": "image/png", "svg": "image/svg+xml"}


@dataclass(kw_only=True)
class _Shown:
    """A block with what its template needs."""

    of: Block
    template: str
    anchor: str
    html: str = ""
    wide: str = ""
    narrow: str = ""


@dataclass(kw_only=True)
class _Part:
    title: str
    blocks: list[_Shown]


@dataclass(kw_only=True)
class _Chapter:
    title: str
    anchor: str
    parts: list[_Part] = field(default_factory=list)


def html_of(document: Document) -> str:
    """The content of the file. The same document gives the same text."""
    environment = Environment(
        loader=FunctionLoader(partial(read_text, "report")), autoescape=True, undefined=StrictUndefined
    )
    environment.globals["cells"] = _cells
    template = environment.get_template("document.html.jinja")
    return template.render(
        document=document,
        chapters=_chapters(document),
        style=Markup(_style(document)),  # noqa: S704 - our own, with the footer escaped for it
        notes=Markup(note_html(document.notes, 2)),  # noqa: S704 - markdown-it escapes what it was given
        logo=None if document.logo is None else _data_url(document.logo),
        made_at=moment(document.made_at),
    )


def _chapters(document: Document) -> list[_Chapter]:
    """The sections by chapter; those before the first chapter's heading become a chapter."""
    numbers = count(1)
    chapters: list[_Chapter] = []
    for section in document.sections:
        blocks = [_shown(block, next(numbers)) for block in section.blocks]
        if section.level == 1 or not chapters:
            chapters.append(_Chapter(title=section.title, anchor=f"section-{len(chapters) + 1}"))
            chapters[-1].parts.append(_Part(title="", blocks=blocks))
        else:
            chapters[-1].parts.append(_Part(title=section.title, blocks=blocks))
    return chapters


def _shown(block: Block, number: int) -> _Shown:
    shown = _Shown(of=block, template=f"{type(block).__name__.lower()}.html.jinja", anchor=f"block-{number}")
    if isinstance(block, Notes):
        shown.html = Markup(note_html(block.markdown, 3))  # noqa: S704 - markdown-it escapes what it was given
    elif isinstance(block, ChartFigure):
        shown.wide = _svg(block.chart, drawing.WIDE_MM, f"wide-{number}")
        shown.narrow = _svg(block.chart, drawing.NARROW_MM, f"narrow-{number}")
    return shown


def _svg(chart: Chart, width_mm: float, ids: str) -> Markup:
    drawn = with_style_names(drawing.svg(chart, palette=NAMED, width_mm=width_mm, ids=ids))
    alt = escape(chart.alt, quote=True)
    return Markup(drawn.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1))  # noqa: S704 - matplotlib escapes


def _cells(columns: tuple[Column, ...], row: tuple[str, ...]) -> Markup:
    """A row's cells; the first is the row's heading unless it is a number."""
    cells = []
    for place, (column, text) in enumerate(zip(columns, row, strict=True)):
        if column.is_number:
            cells.append(Markup('<td class="number">{}</td>').format(text))
        elif place == 0:
            cells.append(Markup('<th scope="row">{}</th>').format(text))
        else:
            cells.append(Markup("<td>{}</td>").format(text))
    return Markup().join(cells)


def _style(document: Document) -> str:
    style = read_text("report", "document.css")
    for name, text in (("light", _colours(PAPER)), ("dark", _colours(DARK)), ("page_foot", _quoted(document.footer))):
        style = style.replace(f"{{{{ {name} }}}}", text)
    return style


def _colours(palette: Palette) -> str:
    return "\n".join(f"  {name}: {colour};" for name, colour in style_names(palette).items())


def _quoted(text: str) -> str:
    """A text as a CSS string, which can't end the string, the style sheet or the element around it."""
    letters = (letter if letter.isalnum() or letter in " .,:-_" else f"\\{ord(letter):06x}" for letter in text)
    return f'"{"".join(letters)}"'


def _data_url(logo: Logo) -> str:
    encoded = base64.b64encode(logo.content).decode("ascii")
    return f"data:{_MEDIA_TYPES[logo.format]};base64,{encoded}"
