"""What a MySQL or MariaDB server sends, packet by packet ("Client/Server Protocol" in MySQL's source documentation)."""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from engine.databases.exchange.calls import Answer, PreparedCall

LONG, LONGLONG, DOUBLE, VAR_STRING = 3, 8, 5, 253
UNSIGNED = 0x0020
UTF8, BINARY = 45, 63
MORE_RESULTS = 0x0008
_SIZES = {LONG: 4, LONGLONG: 8, DOUBLE: 8}


def packet(content: bytes, number: int = 0) -> bytes:
    return len(content).to_bytes(3, "little") + bytes([number % 256]) + content


def packets(*contents: bytes, first: int = 1) -> bytes:
    """One answer, numbered as the answer to a command is."""
    return b"".join(packet(content, first + place) for place, content in enumerate(contents))


def with_length(text: bytes) -> bytes:
    """A text behind its length, in as few bytes as this takes."""
    size = len(text)
    if size < 251:
        return bytes([size]) + text
    wide, first = next((wide, first) for wide, first in ((2, 0xFC), (3, 0xFD), (8, 0xFE)) if size < 256**wide)
    return bytes([first]) + size.to_bytes(wide, "little") + text


def column(kind: int, *, flags: int = 0, characters: int = UTF8, name: str = "c") -> bytes:
    names = [b"def", b"ds2", b"t", b"t", name.encode(), name.encode()]
    return b"".join(map(with_length, names)) + b"\x0c" + struct.pack("<HIBHB2x", characters, 255, kind, flags, 0)


def end(status: int = 0) -> bytes:
    return b"\xfe" + struct.pack("<HH", 0, status)


def ok(status: int = 0) -> bytes:
    return b"\x00\x00\x00" + struct.pack("<HH", status, 0)


def error(number: int, message: str, state: str | None = "HY000") -> bytes:
    return b"\xff" + struct.pack("<H", number) + (f"#{state}" if state else "").encode() + message.encode()


def row(kinds: Sequence[int], values: Sequence[bytes | None]) -> bytes:
    """A row in binary: numbers as their bytes, all else behind its length."""
    bits = bytearray((len(values) + 2 + 7) // 8)
    content = b""
    for place, (kind, value) in enumerate(zip(kinds, values, strict=True), start=2):
        if value is None:
            bits[place // 8] |= 1 << place % 8
        else:
            content += value if kind in _SIZES else with_length(value)
    return b"\x00" + bytes(bits) + content


def text_row(values: Sequence[bytes | None]) -> bytes:
    return b"".join(b"\xfb" if value is None else with_length(value) for value in values)


def long(value: int) -> bytes:
    return struct.pack("<i", value)


def longlong(value: int) -> bytes:
    return struct.pack("<q", value)


def result(kinds: Sequence[int], rows: Sequence[Sequence[bytes | None]]) -> list[bytes]:
    """What a CALL answers that selects these rows: the result, and how the call ended."""
    return [
        bytes([len(kinds)]),
        *map(column, kinds),
        end(),
        *(row(kinds, each) for each in rows),
        end(MORE_RESULTS),
        ok(),
    ]


def prepared(
    number: Any = 1, types: Any = (), read: Callable[[Answer], Any] | None = lambda answer: answer, statement: str = ""
) -> PreparedCall:
    """A call whose arguments are its parameters; without a number, of a statement that is not prepared."""
    return PreparedCall(number, statement, types, None, read)
