"""Splits the text form of a fault into words, at blanks that are not within quotation marks.

There are no escapes: a text in one kind of quotation marks may contain the other kind, and adjacent pieces form one
word, as in a shell.
"""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass

from engine.errors import BadInput

_WORD = re.compile(r"""(?:[^\s"']|'[^']*'|"[^"]*")+""")
_PIECE = re.compile(r"""'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<plain>[^"']+)""")


@dataclass(frozen=True)
class Word:
    """One word: ``value`` without its quotation marks, ``raw`` as it was typed."""

    value: str
    raw: str
    begin: int
    end: int

    @property
    def is_quoted(self) -> bool:
        return self.value != self.raw

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these keywords; keywords are never in quotation marks."""
        return not self.is_quoted and self.value.lower() in words


def split_words(text: str) -> list[Word]:
    """The words of a text; raises ``BadInput`` if a quotation mark is not closed."""
    words = []
    at = 0
    while (begin := _past_blanks(text, at)) < len(text):
        match = _WORD.match(text, begin)
        if match is None or (match.end() < len(text) and not text[match.end()].isspace()):
            raise BadInput(f"a quotation mark is not closed in: {text[begin:].strip()} (close it).")
        words.append(Word(_unquoted(match[0]), match[0], begin, match.end()))
        at = match.end()
    return words


def quoted(text: str, language: Collection[str] = ()) -> str:
    """The text as one word that ``split_words`` reads back, and that is none of the keywords in ``language``."""
    return f"'{text}'" if text.lower() in language else shlex.quote(text)


def whole_text(text: str, words: list[Word]) -> str:
    """The text of several words: the value of a single word, else what was typed from the first to the last."""
    return words[0].value if len(words) == 1 else text[words[0].begin : words[-1].end]


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _unquoted(raw: str) -> str:
    return "".join(match["single"] or match["double"] or match["plain"] or "" for match in _PIECE.finditer(raw))
