"""Blocks of generated rows as PostgreSQL's binary COPY format, assembled in numpy without a loop over rows.

Every row is first laid out as a record of its greatest width; where texts are shorter, the bytes behind them are then
left out. Used by the build. The format is described in PostgreSQL's documentation of COPY, "Binary Format".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column, Kind

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
# Pieces that stay in a processor's cache, in memory that is used again for the next: larger ones take twice as long.
_PIECE_BYTES = 2**19
_EPOCH = np.datetime64("2000-01-01", "D")
_SMALL_CENTS, _LARGEST_CENTS = 999_999, 999_999_999_999
_NULL, _NEGATIVE = -1, 0x4000
_MICROSECONDS = 1_000_000
_HEAD = ("digits", "weight", "sign", "scale")
_NUMERIC = np.dtype([(part, ">i2") for part in (*_HEAD, "units", "hundredths")])
_LARGE_NUMERIC = np.dtype([(part, ">i2") for part in (*_HEAD, "millions", "ten_thousands", "units", "hundredths")])
_RATE = np.dtype([(part, ">i2") for part in (*_HEAD, "ten_thousandths")])

Values = npt.NDArray[Any]
Whole = npt.NDArray[np.int64]


def encoded(block: Block, columns: Sequence[Column]) -> Iterator[memoryview]:
    """The rows of a block as tuples of binary COPY, without the stream's header and trailer: their bytes in pieces.

    Raises ``OverflowError`` for a number that its column can't hold.
    """
    filled = [(column, block.columns[column.name]) for column in columns]
    cells = [(column.name, [("size", ">i4"), ("value", _type_of(column, values))]) for column, values in filled]
    record = np.dtype([("fields", ">i2"), *cells])
    rows = _PIECE_BYTES // record.itemsize
    for first in range(0, block.rows, rows):
        yield _tuples(record, [(column, values[first : first + rows]) for column, values in filled])


def _tuples(record: np.dtype[Any], columns: Sequence[tuple[Column, Values]]) -> memoryview:
    rows = np.empty(len(columns[0][1]), record)
    rows["fields"] = len(columns)
    lengths = {column.name: _filled(rows[column.name], column, values) for column, values in columns}
    return _closed_up(rows, {name: found for name, found in lengths.items() if found is not None})


def _type_of(column: Column, values: Values) -> np.dtype[Any]:
    match column.kind:
        case Kind.TEXT:
            return values.dtype
        case Kind.MONEY:
            is_small = not len(values) or 0 <= values.min() <= values.max() <= _SMALL_CENTS
            return _NUMERIC if is_small else _LARGE_NUMERIC
        case Kind.RATE:
            return _RATE
        case Kind.DATE:
            return np.dtype(">i4")
        case Kind.TIMESTAMP:
            return np.dtype(">i8")
        case _:
            return np.dtype(f">i{column.width}")


def _filled(cells: Values, column: Column, values: Values) -> Whole | None:
    """Fill a column's cells, each a value behind its size in bytes; the sizes, where not all are the cell's width."""
    width = cells.dtype["value"].itemsize
    cells["size"] = width
    match column.kind:
        case Kind.TEXT:
            return _fill_texts(cells, values, width)
        case Kind.MONEY:
            _fill_amounts(cells["value"], column, values)
        case Kind.RATE:
            _fill_rates(cells["value"], column, values)
        case Kind.DATE:
            cells["value"] = (values.astype("datetime64[D]") - _EPOCH).astype(np.int64)
        case Kind.TIMESTAMP:
            cells["value"] = (values.astype("datetime64[s]") - _EPOCH).astype(np.int64) * _MICROSECONDS
            return _without(cells, np.isnat(values))
        case _:
            _require(column, values, -(2 ** (8 * width - 1)), 2 ** (8 * width - 1) - 1)
            cells["value"] = values
            if column.is_zero_missing:
                return _without(cells, values == 0)
    return None


def _without(cells: Values, missing: npt.NDArray[np.bool_]) -> Whole | None:
    """The sizes of a column's cells, some of which are missing values; ``None`` if none is."""
    if not missing.any():
        return None
    cells["size"][missing] = _NULL
    sizes: Whole = np.where(missing, 0, cells.dtype["value"].itemsize)
    return sizes


def _fill_texts(cells: Values, values: Values, width: int) -> Whole | None:
    cells["value"] = values
    if _characters(values)[:, -1].all():
        return None
    lengths: Whole = np.strings.str_len(values)
    cells["size"] = np.where(lengths == 0, _NULL, lengths)  # an empty text of the generator's is a missing value
    return lengths


def _fill_amounts(numerics: Values, column: Column, cents: Values) -> None:
    """A numeric of base-10,000 digits, with two decimals shown; the server drops digits of 0 in front."""
    _require(column, cents, -_LARGEST_CENTS, _LARGEST_CENTS)
    amounts = np.abs(cents)
    units = amounts // 100
    numerics["scale"] = 2
    numerics["hundredths"] = (amounts - 100 * units) * 100
    if numerics.dtype == _NUMERIC:
        numerics["digits"], numerics["weight"], numerics["sign"] = 2, 0, 0
        numerics["units"] = units
        return
    numerics["digits"], numerics["weight"] = 4, 2
    numerics["sign"] = np.where(cents < 0, _NEGATIVE, 0)
    numerics["millions"] = units // 10**8
    numerics["ten_thousands"] = units // 10**4 % 10**4
    numerics["units"] = units % 10**4


def _fill_rates(numerics: Values, column: Column, ten_thousandths: Values) -> None:
    """A numeric of one base-10,000 digit behind the point, with four decimals shown."""
    _require(column, ten_thousandths, 0, 9_999)
    numerics["digits"], numerics["weight"], numerics["sign"], numerics["scale"] = 1, -1, 0, 4
    numerics["ten_thousandths"] = ten_thousandths


def _require(column: Column, values: Values, least: int, most: int) -> None:
    if len(values) and not least <= values.min() <= values.max() <= most:
        raise OverflowError(
            f"column {column.name} holds numbers outside of {least} to {most}, which is all it can hold"
        )


def _closed_up(rows: Values, lengths: Mapping[str, Whole]) -> memoryview:
    """The records one behind the other, of the named columns' values only so many bytes."""
    every_byte = _characters(rows)
    if not lengths:
        return every_byte.ravel().data
    fields = rows.dtype.fields
    assert fields is not None
    counts = np.ones(every_byte.shape, dtype=np.bool_)
    for name, length in lengths.items():
        cell, offset = fields[name][:2]
        width = cell["value"].itemsize
        end = offset + cell.itemsize
        counts[:, end - width : end] = np.arange(width) < length[:, np.newaxis]
    return every_byte[counts].data


def _characters(values: Values) -> npt.NDArray[np.uint8]:
    """The bytes of each value, or record, as a row of a matrix."""
    return np.ascontiguousarray(values).view(np.uint8).reshape(len(values), values.dtype.itemsize)
