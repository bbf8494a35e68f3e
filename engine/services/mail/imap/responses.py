"""Reads IMAP's responses: lines with literals in them, as atoms, strings, numbers, lists and NIL (RFC 3501, 9)."""

import re
from dataclasses import dataclass

Value = bytes | None | list["Value"]
"""An atom, a number or a string as bytes; ``None`` for NIL; a parenthesised list."""

_LITERAL = re.compile(rb"\{(\d+)\}\Z")
# An atom ends at a space or a parenthesis, but BODY[HEADER.FIELDS (MESSAGE-ID)] is one.
_ATOM = re.compile(rb"(?:[^\s()\[\]\"]*\[[^\]]*\](?:<\d+>)?|[^\s()\"]+)")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(rb"\\(.)")
_CODE = re.compile(rb"\[([^\]]*)\] ?")


class BadResponse(ValueError):  # noqa: N818 - it reads as what it is
    """The server sent something that is not an IMAP response."""


def literal_size(line: bytes) -> int | None:
    """How many bytes follow a line, without its line end, as a literal; ``None`` for none."""
    match = _LITERAL.search(line)
    return None if match is None else int(match[1])


@dataclass(frozen=True)
class Response:
    """One response: the lines of its text, and the literals between them.

    ``parts`` are text, literal, text, … and end with a text; a text before a literal ends with the literal's size.
    """

    parts: tuple[bytes, ...]

    @property
    def tag(self) -> bytes:
        """``*`` of an untagged response, ``+`` of a continuation, otherwise the tag of the command."""
        return self.parts[0].split(b" ", 1)[0]

    @property
    def words(self) -> list[bytes]:
        """The words after the tag, of the first line."""
        return self.parts[0].split()[1:]

    @property
    def name(self) -> bytes:
        """The kind of response, in capitals: ``OK``, ``CAPABILITY``, or ``EXISTS`` of ``* 3 EXISTS``."""
        words = self.words
        if not words:
            return b""
        return (words[1] if words[0].isdigit() and len(words) > 1 else words[0]).upper()

    @property
    def number(self) -> int:
        """The number in a response such as ``* 3 EXISTS``; 0 in others."""
        words = self.words
        return int(words[0]) if words and words[0].isdigit() else 0

    @property
    def text(self) -> str:
        """The human-readable text of a status response, without its code."""
        words = self.parts[0].split(b" ", 2)
        return _CODE.sub(b"", words[2], count=1).decode(errors="replace").strip() if len(words) > 2 else ""

    @property
    def code(self) -> str:
        """The code of a status response, such as ``OVERQUOTA``, without brackets; empty without one."""
        words = self.parts[0].split(b" ", 2)
        match = _CODE.match(words[2]) if len(words) > 2 else None
        return "" if match is None else match[1].decode(errors="replace")

    def values(self) -> list[Value]:
        """Everything after the tag. Raises ``BadResponse``."""
        values: list[Value] = []
        stack: list[list[Value]] = []
        current = values
        for number, part in enumerate(self.parts):
            if number % 2:
                current.append(part)
                continue
            text = part if number + 1 == len(self.parts) else _LITERAL.sub(b"", part)
            place = len(self.tag) if number == 0 else 0
            while place < len(text):
                sign = text[place : place + 1]
                if sign.isspace():
                    place += 1
                elif sign == b"(":
                    inner: list[Value] = []
                    current.append(inner)
                    stack.append(current)
                    current = inner
                    place += 1
                elif sign == b")":
                    if not stack:
                        raise BadResponse("a parenthesis is closed that was not opened")
                    current = stack.pop()
                    place += 1
                else:
                    value, place = _string_or_atom(text, place)
                    current.append(value)
        if stack:
            raise BadResponse("a parenthesis is not closed")
        return values

    def fetched(self) -> dict[bytes, Value]:
        """The items of a FETCH response by their names in capitals. Raises ``BadResponse``."""
        values = self.values()
        items = values[2] if len(values) > 2 else None
        if not isinstance(items, list) or len(items) % 2:
            raise BadResponse("a FETCH response has no list of items")
        return {
            name.upper(): value for name, value in zip(items[::2], items[1::2], strict=True) if isinstance(name, bytes)
        }


def _string_or_atom(text: bytes, place: int) -> tuple[bytes | None, int]:
    if text[place : place + 1] == b'"':
        match = _QUOTED.match(text, place)
        if match is None:
            raise BadResponse("a quoted string is not closed")
        return _ESCAPED.sub(rb"\1", match[1]), match.end()
    match = _ATOM.match(text, place)
    if match is None:
        raise BadResponse(f"{text[place : place + 20]!r} can't be read")
    atom = match[0]
    return (None if atom.upper() == b"NIL" else atom), match.end()


def quoted(text: str) -> bytes:
    """A string argument of a command, which has no line end in it."""
    return b'"' + text.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
