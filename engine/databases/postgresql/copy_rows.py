"""Blocks of generated rows as PostgreSQL's binary COPY format, assembled in numpy without a loop over rows.

Every row is first laid out as a record of its greatest width; where texts are shorter, the pieces between them are
then moved together. Used by the build. The format is described in PostgreSQL's documentation of COPY, "Binary Format".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.dvdstore.rows import Block
from engine.dvdstore.schema import TABLES, Column, Kind

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
_EPOCH = np.datetime64("2000-01-01", "D")
_LARGEST_CENTS = 999_999
_NULL = -1
_NUMERIC = np.dtype([(part, ">i2") for part in ("digits", "weight", "sign", "scale", "units", "hundredths")])

Values = npt.NDArray[Any]
Whole = npt.NDArray[np.int64]


def encoded(block: Block) -> bytes:
    """The rows of a block as tuples of binary COPY, without the stream's header and trailer.

    Raises ``OverflowError`` for a number that its column can't hold.
    """
    columns = [(column, block.columns[column.name]) for column in TABLES[block.table]]
    cells = [(column.name, [("size", ">i4"), ("value", _type_of(column, values))]) for column, values in columns]
    rows = np.empty(block.rows, dtype=[("fields", ">i2"), *cells])
    rows["fields"] = len(columns)
    paddings = [(column.name, _filled(rows[column.name], column, values)) for column, values in columns]
    return _closed_up(rows, [(name, padding) for name, padding in paddings if padding is not None])


def _type_of(column: Column, values: Values) -> np.dtype[Any]:
    match column.kind:
        case Kind.TEXT:
            return values.dtype
        case Kind.MONEY:
            return _NUMERIC
        case Kind.DATE:
            return np.dtype(">i4")
        case _:
            return np.dtype(f">i{column.width}")


def _filled(cells: Values, column: Column, values: Values) -> Whole | None:
    """Fill a column's cells, each a value behind its size in bytes; what is too wide in each row, if anything is."""
    width = cells.dtype["value"].itemsize
    cells["size"] = width
    match column.kind:
        case Kind.TEXT:
            return _fill_texts(cells, values, width)
        case Kind.MONEY:
            _fill_amounts(cells["value"], column, values)
        case Kind.DATE:
            cells["value"] = (values.astype("datetime64[D]") - _EPOCH).astype(np.int64)
        case _:
            _require(column, values, -(2 ** (8 * width - 1)), 2 ** (8 * width - 1) - 1)
            cells["value"] = values
    return None


def _fill_texts(cells: Values, values: Values, width: int) -> Whole | None:
    cells["value"] = values
    lengths = np.strings.str_len(values)
    if lengths.min(initial=width) == width:
        return None
    cells["size"] = np.where(lengths == 0, _NULL, lengths)  # an empty text of the generator's is a missing value
    return width - lengths


def _fill_amounts(numerics: Values, column: Column, cents: Values) -> None:
    """A numeric of two base-10,000 digits (units, hundredths), weight 0, positive, two decimals shown."""
    _require(column, cents, 0, _LARGEST_CENTS)
    units = cents // 100
    numerics["digits"] = 2
    numerics["weight"] = 0
    numerics["sign"] = 0
    numerics["scale"] = 2
    numerics["units"] = units
    numerics["hundredths"] = (cents - 100 * units) * 100


def _require(column: Column, values: Values, least: int, most: int) -> None:
    if len(values) and not least <= values.min() <= values.max() <= most:
        raise OverflowError(
            f"column {column.name} holds numbers outside of {least} to {most}, which is all it can hold"
        )


def _closed_up(rows: Values, paddings: Sequence[tuple[str, Whole]]) -> bytes:
    """The records one behind the other, without the padding at the end of the named cells."""
    if not paddings:
        return rows.tobytes()
    fields = rows.dtype.fields
    assert fields is not None
    pieces, begin = [], 0
    for name, padding in paddings:
        cell, offset = fields[name][:2]
        end = offset + cell.itemsize
        pieces.append((begin, end - begin - padding))
        begin = end
    pieces.append((begin, np.full(len(rows), rows.itemsize - begin)))
    sizes = np.sum([size for _, size in pieces], axis=0)
    ends = np.cumsum(sizes)
    packed = np.empty(ends[-1], dtype=np.uint8)
    at = ends - sizes
    for begin, size in pieces:
        _move(rows, begin, size, packed, at)
        at = at + size
    return packed.tobytes()


def _move(rows: Values, begin: int, sizes: Whole, packed: npt.NDArray[np.uint8], at: Whole) -> None:
    """Copy from every record its ``sizes`` bytes from byte ``begin`` on to places ``at``: all those of a size at once,
    as opaque items of that size, which numpy copies whole.
    """
    for size in np.flatnonzero(np.bincount(sizes)):
        chosen = np.flatnonzero(sizes == size)
        if size:
            item = np.dtype((np.void, int(size)))
            pieces = np.ndarray(len(rows), item, rows, begin, (rows.itemsize,))
            places = np.ndarray(len(packed) - size + 1, item, packed, 0, (1,))
            places[at[chosen]] = pieces[chosen]
