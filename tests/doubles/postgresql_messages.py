"""What a PostgreSQL server sends, message by message ("Message Formats" in its manual), and calls for it to answer."""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.exchange.calls import Answer, PreparedCall


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack(">i", 4 + len(body)) + body


READY = message(b"Z", b"I")
SYNC = message(b"S")


def columns(named: Sequence[tuple[str, int]]) -> bytes:
    """The description of rows: each column's name and type."""
    fields = [name.encode() + b"\0" + struct.pack(">ihIhih", 0, 0, kind, -1, -1, 1) for name, kind in named]
    return message(b"T", struct.pack(">h", len(named)) + b"".join(fields))


def row(values: Sequence[bytes | None]) -> bytes:
    parts = [struct.pack(">i", -1) if each is None else struct.pack(">i", len(each)) + each for each in values]
    return message(b"D", struct.pack(">h", len(values)) + b"".join(parts))


def told(kind: bytes, fields: dict[str, str]) -> bytes:
    """An error (``E``) or a notice (``N``) with the texts of its fields."""
    texts = [code.encode() + text.encode() + b"\0" for code, text in fields.items()]
    return message(kind, b"".join(texts) + b"\0")


def int4(value: int) -> bytes:
    return struct.pack(">i", value)


def prepared(
    name: Any = b"name", types: Any = (), read: Callable[[Answer], Any] | None = lambda answer: answer
) -> PreparedCall:
    """A call whose arguments are its parameters, and whose answer is read by ``read``."""
    return PreparedCall(name, "", types, None, read)
