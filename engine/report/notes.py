"""The user's notes in Markdown, parsed in the same way for all formats.

CommonMark with tables. HTML is shown as text, and a picture is replaced by its alternative text, so that a document
needs no other files.
"""

from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

_DEEPEST = 6


def note_tokens(markdown: str, first_level: int = 1) -> list[Token]:
    """The notes as markdown-it's tokens; the levels of their headings continue from ``first_level`` without a gap."""
    tokens = _reader().parse(markdown)
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    used = sorted({token.tag for token in headings})
    for token in headings:
        token.tag = f"h{min(_DEEPEST, first_level + used.index(token.tag))}"
    return tokens


def note_html(markdown: str, first_level: int) -> str:
    """The notes as HTML without scripts, pictures or anything else that is fetched."""
    reader = _reader()
    return str(reader.renderer.render(note_tokens(markdown, first_level), reader.options, {}))


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("image", _words_of_image)
    return reader


def _words_of_image(_renderer: object, tokens: Sequence[Token], at: int, *_rest: object) -> str:
    return escape(tokens[at].content)
