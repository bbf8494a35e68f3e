"""The words of a fault as it is typed: split at blanks, with quotation marks around what belongs together.

Called by the text form of faults. There are no escapes: a text in one kind of quotation marks may hold the other, and
pieces that touch are one word, as in a shell.
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

    def says(self, *words: str) -> bool:
        """Whether it is one of these words of the language, which never stand in quotation marks."""
        return not self.is_quoted and self.value.lower() in words


def split_words(text: str) -> list[Word]:
    """The words of a text; raises ``BadInput`` when a quotation mark is not closed."""
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
    """The text as one word that ``split_words`` reads back, and that says none of the words of ``language``."""
    return f"'{text}'" if text.lower() in language else shlex.quote(text)


def whole_text(text: str, words: list[Word]) -> str:
    """What the words are together: the value of a single one, else what was typed from the first to the last."""
    return words[0].value if len(words) == 1 else text[words[0].begin : words[-1].end]


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _unquoted(raw: str) -> str:
    return "".join(match["single"] or match["double"] or match["plain"] or "" for match in _PIECE.finditer(raw))
