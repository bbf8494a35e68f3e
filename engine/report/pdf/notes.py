"""The user's notes in Markdown as paragraphs of a PDF. Called by ``pdf.blocks``."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import CondPageBreak, Flowable, Paragraph, Preformatted

from engine.report.document import Column, DataTable
from engine.report.notes import note_tokens
from engine.report.pdf.tables import table_flowables
from engine.report.pdf.text import BODY, FAINT, MONO, markup

_INDENT_PT = 12.0
_LINE_LETTERS = 96
_HEADING_ROOM_PT = 60.0
_TAGS = {"em_open": "<i>", "em_close": "</i>", "strong_open": "<b>", "strong_close": "</b>", "link_close": "</u>"}
_LISTS = ("bullet_list_open", "ordered_list_open")


def note_flowables(markdown: str, styles: dict[str, ParagraphStyle], frame_pt: float) -> Iterator[Flowable]:
    """Headings, paragraphs, lists, quotations, listings and tables, in order."""
    tokens = iter(note_tokens(markdown))
    lists: list[int | None] = []
    bullet, quoted = "", 0
    for token in tokens:
        if token.type in _LISTS:
            lists.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            bullet = "•" if lists[-1] is None else f"{lists[-1]}."
            lists[-1] = None if lists[-1] is None else lists[-1] + 1
        elif token.type in ("blockquote_open", "blockquote_close"):
            quoted += 1 if token.type == "blockquote_open" else -1
        elif token.type == "heading_open":
            yield CondPageBreak(_HEADING_ROOM_PT)
            yield Paragraph(_inline(next(tokens)), styles["h2" if token.tag == "h1" else "h3"])
        elif token.type == "table_open":
            yield from table_flowables(_table(tokens), styles, frame_pt)
        elif token.type in ("fence", "code_block"):
            yield Preformatted(token.content.rstrip("\n"), styles["listing"], maxLineLength=_LINE_LETTERS)
        elif token.type == "inline":
            yield _paragraph(token, styles, len(lists), bullet, quoted)
            bullet = ""


def _paragraph(token: Token, styles: dict[str, ParagraphStyle], depth: int, bullet: str, quoted: int) -> Paragraph:
    style = styles["item" if depth else "quote" if quoted else "body"]
    if depth > 1:
        inner = (depth - 1) * _INDENT_PT
        style = ParagraphStyle(
            "inner", parent=style, leftIndent=style.leftIndent + inner, bulletIndent=style.bulletIndent + inner
        )
    return Paragraph(_inline(token), style, bulletText=bullet or None)


def _inline(token: Token) -> str:
    return "".join(_piece(child) for child in token.children or [])


def _piece(child: Token) -> str:
    if child.type == "code_inline":
        return f'<font name="{MONO}" size="8">{markup(child.content, MONO)}</font>'
    if child.type == "hardbreak":
        return "<br/>"
    if child.type == "softbreak":
        return " "
    if child.type == "link_open":
        return f'<u color="{FAINT.hexval().replace("0x", "#")}">'
    return _TAGS.get(child.type) or markup(child.content, BODY)


def _table(tokens: Iterator[Token]) -> DataTable:
    """A table of the notes; consumes its tokens."""
    rows: list[list[str]] = []
    is_number: list[bool] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            is_number.append("right" in str(token.attrGet("style")))
        elif token.type == "inline":
            rows[-1].append(_plain(token.children or []))
    columns = tuple(Column(title=title, is_number=right) for title, right in zip(rows[0], is_number, strict=True))
    return DataTable(caption="", columns=columns, rows=tuple(map(tuple, rows[1:])))


def _plain(children: Sequence[Token]) -> str:
    return "".join(child.content for child in children)
