"""Reads the packets of a MySQL answer in plain Python: the reference for the compiled reader."""

from collections.abc import Iterator
from dataclasses import dataclass, field

_LONGEST = 0xFFFFFF
_FIXED_SIZES = {1: 1, 2: 2, 13: 2, 3: 4, 9: 4, 4: 4, 8: 8, 5: 8}
_TEXT = 253
_MOST_COLUMNS = 4096
_UNSIGNED, _BINARY = 0x100, 0x200
_MORE_RESULTS = 0x0008


class OutOfProtocol(Exception):  # noqa: N818 - it says what the packets are
    """No server that speaks the protocol sends this."""


@dataclass
class PlainAnswer:
    """Types and rows are those of the first result with columns; what can't be read is an ``IndexError``."""

    error: bytes | None = None
    columns: int = 0
    types: list[int | IndexError] = field(default_factory=list)
    rows: list[list[bytes | IndexError | None]] = field(default_factory=list)


class _Short(Exception):  # noqa: N818
    """A packet ends before what is to be read."""


class _Content:
    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def take(self, size: int) -> bytes:
        if size > len(self._content) - self._at:
            raise _Short
        self._at += size
        return self._content[self._at - size : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def length(self) -> int | None:
        """``None`` is null."""
        first = self.number(1)
        if first == 0xFF:
            raise _Short
        if first == 0xFB:
            return None
        return self.number({0xFC: 2, 0xFD: 3, 0xFE: 8}[first]) if first > 0xFB else first

    def length_of_something(self) -> int:
        size = self.length()
        if size is None:
            raise _Short
        return size

    def text(self) -> bytes:
        return self.take(self.length_of_something())

    @property
    def is_over(self) -> bool:
        return self._at == len(self._content)


def read_answer(stream: bytes, *, is_text: bool = False) -> PlainAnswer | None:
    """The answer that a stream begins with, ``None`` if it is not whole; raises ``OutOfProtocol``."""
    answer = PlainAnswer()
    try:
        _read(_contents(stream), answer, is_text=is_text)
    except StopIteration:
        return None
    except _Short as short:
        raise OutOfProtocol from short
    return answer


def _contents(stream: bytes) -> Iterator[bytes]:
    number = 0
    while len(stream) >= 4:
        size = int.from_bytes(stream[:3], "little")
        if size in (0, _LONGEST):
            raise OutOfProtocol
        if len(stream) == 4:
            return
        content, number = stream[4 : 4 + size], (number + 1) % 256
        if stream[3] != number and content[:1] != b"\xff":
            raise OutOfProtocol
        if len(content) < size:
            return
        yield content
        stream = stream[4 + size :]


def _read(contents: Iterator[bytes], answer: PlainAnswer, *, is_text: bool) -> None:
    results = 0
    while True:
        first = _next(contents, answer)
        if first is None:
            return
        if first[0] == 0:
            if not _more(first, is_ok=True):
                return
            continue
        head = _Content(first)
        columns = head.length()
        if columns is None or not 0 < columns <= _MOST_COLUMNS or first[0] > 0xFC or not head.is_over:
            raise OutOfProtocol
        results += 1
        if not _read_result(contents, answer if results == 1 else PlainAnswer(), answer, columns, is_text=is_text):
            return


def _read_result(
    contents: Iterator[bytes], into: PlainAnswer, answer: PlainAnswer, columns: int, *, is_text: bool
) -> bool:
    """Whether another result follows."""
    into.columns = columns
    definitions = []
    for _ in range(columns):
        definition = _next(contents, answer)
        if definition is None:
            return False
        definitions.append(definition)
    ended = _next(contents, answer)
    if ended is None:
        return False
    if not _is_end(ended):
        raise OutOfProtocol
    into.types = _types(definitions, is_text=is_text)
    while True:
        content = _next(contents, answer)
        if content is None:
            return False
        if _is_end(content):
            return _more(content, is_ok=False)
        into.rows.append(_values(content, into.types, is_text=is_text))


def _next(contents: Iterator[bytes], answer: PlainAnswer) -> bytes | None:
    """The next packet's content; ``None`` if it is an error, which ends the answer."""
    content = next(contents)
    if content[0] != 0xFF:
        return content
    if len(content) < 3:
        raise OutOfProtocol
    answer.error = content
    return None


def _is_end(content: bytes) -> bool:
    return content[0] == 0xFE and len(content) < 9


def _more(content: bytes, *, is_ok: bool) -> bool:
    fields = _Content(content)
    fields.take(1)
    if is_ok:
        for _ in ("affected rows", "last inserted id"):
            fields.length_of_something()
    else:
        fields.take(2)  # warnings
    return bool(fields.number(2) & _MORE_RESULTS)


def _types(definitions: list[bytes], *, is_text: bool) -> list[int | IndexError]:
    """Definitions behind one that can't be read are not read either."""
    types: list[int | IndexError] = []
    for definition in definitions:
        fields = _Content(definition)
        try:
            if types and isinstance(types[-1], IndexError):
                raise _Short
            for _ in range(6):
                fields.text()
            fields.take(1)
            characters = fields.number(2)
            fields.take(4)
            kind, flags = fields.number(1), fields.number(2)
        except _Short:
            types.append(IndexError())
        else:
            unsigned = _UNSIGNED if flags & 0x20 else 0
            types.append((_TEXT if is_text else kind | unsigned) | (_BINARY if characters == 63 else 0))
    return types


def _values(content: bytes, types: list[int | IndexError], *, is_text: bool) -> list[bytes | IndexError | None]:
    """Values behind one that can't be read are not read either."""
    fields, columns = _Content(content), len(types)
    values: list[bytes | IndexError | None] = []
    nulls = 0
    try:
        if not is_text:
            if fields.number(1) != 0:
                raise _Short
            nulls = fields.number((columns + 9) // 8) >> 2
        for place, kind in enumerate(types):
            if isinstance(kind, IndexError):
                raise _Short
            if is_text:
                size = fields.length()
            elif nulls >> place & 1:
                size = None
            elif kind & 0xFF in _FIXED_SIZES:
                size = _FIXED_SIZES[kind & 0xFF]
            else:
                values.append(fields.text())
                continue
            values.append(None if size is None else fields.take(size))
    except _Short:
        values += [IndexError()] * (columns - len(values))
    return values
