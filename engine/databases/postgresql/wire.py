"""Binary parameters and results of PostgreSQL, for the few types that the workload uses."""

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from psycopg import pq

from engine.databases.exchange.calls import Answer

INT4, TEXT, INT4_ARRAY, NUMERIC = 23, 25, 1007, 1700
_BYTEA, _INT2, _INT8, _BPCHAR, _VARCHAR = 17, 21, 20, 1042, 1043
_NUMERIC_HEAD = struct.Struct(">HhHH")

_INTS = {_INT2: struct.Struct(">h"), INT4: struct.Struct(">i"), _INT8: struct.Struct(">q")}
_INT_SIZES = frozenset(each.size for each in _INTS.values())
# The types of parameters that are sent in binary; all others are sent as text.
_IN_BINARY = frozenset({*_INTS, _BYTEA, TEXT, INT4_ARRAY, _BPCHAR, _VARCHAR})


Parameter = int | str | bytes | list[int] | None
"""An integer, a text, a value that is packed already, an int4[], or null; an int for a numeric is cents."""


@cache
def formats_of(types: tuple[int, ...]) -> tuple[pq.Format, ...]:
    """How parameters of these types are sent."""
    return tuple(pq.Format.BINARY if kind in _IN_BINARY else pq.Format.TEXT for kind in types)


def packed(value: Parameter, kind: int) -> bytes | None:
    """A parameter of a type as the server reads it."""
    match value:
        case int() if kind == NUMERIC:
            return money_text(value)
        case int():
            return _INTS[kind].pack(value)
        case str():
            return value.encode()
        case list():
            return pack_int4_array(value)
    return value


def pack_int4_array(values: Sequence[int]) -> bytes:
    """A one-dimensional int4[]: dimensions, no nulls, element type, length, lower bound, then size and value each."""
    count = len(values)
    fields = [4] * (2 * count)
    fields[1::2] = values
    return _array_of(count).pack(1, 0, INT4, count, 1, *fields)


def money_text(cents: int) -> bytes:
    """An amount of 0 or more cents as the text of a numeric."""
    return b"%d.%02d" % divmod(cents, 100)


class ResultRows:
    """Rows of a binary result, decoded on demand; implements ``engine.databases.database.Rows``."""

    __slots__ = ("_answer", "_first_column", "_skipped")

    def __init__(self, answer: Answer, *, first_column: int = 0, skipped: int = 0) -> None:
        self._answer = answer
        self._first_column = first_column
        self._skipped = skipped

    def __len__(self) -> int:
        return self._answer.ntuples - self._skipped

    def decoded(self) -> list[tuple[Any, ...]]:
        return decoded_rows(self._answer, self._first_column, self._skipped)


def decoded_rows(answer: Answer, first_column: int, skipped: int) -> list[tuple[Any, ...]]:
    """Of an answer's rows those after the skipped ones, without the columns before the first; also called in C."""
    columns = [(number, _DECODERS[answer.ftype(number)]) for number in range(first_column, answer.nfields)]
    return [
        tuple(_value(answer.get_value(row, number), decode) for number, decode in columns)
        for row in range(skipped, answer.ntuples)
    ]


def _value(raw: bytes | None, decode: Callable[[bytes], Any]) -> Any:
    return None if raw is None else decode(raw)


@cache
def _array_of(count: int) -> struct.Struct:
    return struct.Struct(f">{5 + 2 * count}i")


def unpack_int(raw: bytes) -> int:
    if len(raw) not in _INT_SIZES:
        raise ValueError(f"a value of {len(raw)} bytes is not an integer")
    return int.from_bytes(raw, "big", signed=True)


def _decode_text(raw: bytes) -> str:
    return raw.decode()


def _decode_cents(raw: bytes) -> int:
    """A numeric with two decimals, in cents: base-10,000 digits, the first of weight 10,000^weight."""
    count, weight, sign, _ = _NUMERIC_HEAD.unpack_from(raw)
    digits = struct.unpack_from(f">{count}H", raw, _NUMERIC_HEAD.size)
    ten_thousandths: int = sum(digit * 10_000 ** (weight + 1 - place) for place, digit in enumerate(digits))
    cents = ten_thousandths // 100
    return -cents if sign else cents


_DECODERS: dict[int, Callable[[bytes], Any]] = {
    _INT2: unpack_int,
    INT4: unpack_int,
    _INT8: unpack_int,
    TEXT: _decode_text,
    _VARCHAR: _decode_text,
    _BPCHAR: _decode_text,
    NUMERIC: _decode_cents,
}
