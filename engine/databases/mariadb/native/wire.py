"""The types of MySQL's protocol, and values as they come in binary, for those that anybody looks at.

The numbers are those of MySQL's source documentation, "Column Types"; ``_mysql.h`` has those that the exchange knows.
"""

import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from engine.databases.exchange.calls import Answer

LONG, LONGLONG, VAR_STRING = 3, 8, 253
_TINY, _SHORT, _FLOAT, _DOUBLE, _TIMESTAMP, _INT24, _DATE, _TIME, _DATETIME = 1, 2, 4, 5, 7, 9, 10, 11, 12
_YEAR, _DECIMAL, _NEWDECIMAL = 13, 0, 246
# What ``Answer.ftype`` adds to the number of a type.
UNSIGNED, BINARY, _TYPE_BITS = 0x100, 0x200, 0xFF


def decoded_rows(answer: Answer, first_column: int, skipped: int) -> list[tuple[Any, ...]]:
    """Of an answer's rows those after the skipped ones, without the columns before the first; also called in C."""
    columns = [(number, _decoder(answer.ftype(number))) for number in range(first_column, answer.nfields)]
    return [
        tuple(_value(answer.get_value(row, number), decode) for number, decode in columns)
        for row in range(skipped, answer.ntuples)
    ]


def _value(raw: bytes | None, decode: Callable[[bytes], Any]) -> Any:
    return None if raw is None else decode(raw)


def _decoder(kind: int) -> Callable[[bytes], Any]:
    """Integers, floats and decimals are numbers; dates and times are texts as the server writes them, for not all that
    it knows are Python's as well; other texts are ``bytes`` where the server knows no character set of theirs."""
    found = _DECODERS.get(kind & _TYPE_BITS)
    if found is not None:
        return _unsigned if found is _signed and kind & UNSIGNED else found
    return bytes if kind & BINARY else bytes.decode


def _signed(raw: bytes) -> int:
    return int.from_bytes(raw, "little", signed=True)


def _unsigned(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


def _float(raw: bytes) -> float:
    value: float = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
    return value


def _decimal(raw: bytes) -> Decimal:
    return Decimal(raw.decode())


def _date_and_time(raw: bytes) -> str:
    year, month, day, hour, minute, second, micro = struct.unpack("<HBBBBBI", raw.ljust(11, b"\0"))
    moment = f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
    return f"{moment}.{micro:06}" if micro else moment


def _date(raw: bytes) -> str:
    return _date_and_time(raw)[:10]


def _time(raw: bytes) -> str:
    is_negative, days, hours, minutes, seconds, micro = struct.unpack("<BIBBBI", raw.ljust(12, b"\0"))
    time = f"{'-' if is_negative else ''}{24 * days + hours:02}:{minutes:02}:{seconds:02}"
    return f"{time}.{micro:06}" if micro else time


_DECODERS: dict[int, Callable[[bytes], Any]] = {
    **dict.fromkeys((_TINY, _SHORT, LONG, _INT24, LONGLONG, _YEAR), _signed),
    **dict.fromkeys((_FLOAT, _DOUBLE), _float),
    **dict.fromkeys((_DECIMAL, _NEWDECIMAL), _decimal),
    **dict.fromkeys((_TIMESTAMP, _DATETIME), _date_and_time),
    _DATE: _date,
    _TIME: _time,
}
