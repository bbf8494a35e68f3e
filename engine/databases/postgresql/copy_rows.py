"""Blocks of generated rows as PostgreSQL's binary COPY format, assembled in numpy without a loop over rows.

Every row is laid out at its greatest width in one byte matrix; where text is shorter, a mask takes the padding out.
Used by the build. The format is described in PostgreSQL's documentation of COPY, "Binary Format".
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.dvdstore.rows import Block
from engine.dvdstore.schema import TABLES, Column, Kind

ByteMatrix = npt.NDArray[np.uint8]
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
_EPOCH = np.datetime64("2000-01-01", "D")
_LARGEST_CENTS = 999_999


def encoded(block: Block) -> bytes:
    """The rows of a block as tuples of binary COPY, without the stream's header and trailer."""
    columns = {column.name: column for column in TABLES[block.table]}
    count = np.full((block.rows, 1), len(block.columns), dtype=">i2").view(np.uint8)
    cells = [count]
    masks: list[npt.NDArray[np.bool_] | None] = [None]
    for name, values in block.columns.items():
        column = columns[name]
        if column.kind is Kind.TEXT:
            cell, mask = _text(values)
        else:
            cell, mask = _FIXED[column.kind](column, values), None
        cells.append(cell)
        masks.append(mask)
    matrix = np.concatenate(cells, axis=1)
    if all(mask is None for mask in masks):
        return bytes(matrix)
    present = [np.ones(c.shape, dtype=np.bool_) if m is None else m for c, m in zip(cells, masks, strict=True)]
    packed: ByteMatrix = matrix[np.concatenate(present, axis=1)]
    return packed.tobytes()


def _sized(values: npt.NDArray[np.generic], width: int) -> ByteMatrix:
    """Each value behind its length in bytes."""
    rows = len(values)
    cell = np.empty((rows, 4 + width), dtype=np.uint8)
    cell[:, :4] = (0, 0, 0, width)
    cell[:, 4:] = np.ascontiguousarray(values).view(np.uint8).reshape(rows, width)
    return cell


def _whole(column: Column, values: npt.NDArray[np.generic]) -> ByteMatrix:
    narrow = values.astype(f">i{column.width}")
    if not np.array_equal(narrow, values):
        raise OverflowError(f"column {column.name} holds numbers that a {column.width}-byte integer can't")
    return _sized(narrow, column.width)


def _date(_column: Column, values: npt.NDArray[np.generic]) -> ByteMatrix:
    days = (values.astype("datetime64[D]") - _EPOCH).astype(np.int64)
    return _sized(days.astype(">i4"), 4)


def _money(column: Column, values: npt.NDArray[np.generic]) -> ByteMatrix:
    """A numeric of two base-10,000 digits (units, hundredths), weight 0, positive, two decimals shown."""
    cents = values.astype(np.int64)
    if len(cents) and not 0 <= cents.min() <= cents.max() <= _LARGEST_CENTS:
        raise OverflowError(f"column {column.name} holds amounts outside of 0.00 to 9999.99")
    numeric = np.zeros((len(cents), 6), dtype=">i2")
    numeric[:, 0] = 2
    numeric[:, 3] = 2
    numeric[:, 4] = cents // 100
    numeric[:, 5] = cents % 100 * 100
    return _sized(numeric, 12)


def _text(values: npt.NDArray[np.generic]) -> tuple[ByteMatrix, npt.NDArray[np.bool_] | None]:
    width = values.dtype.itemsize
    rows = len(values)
    letters = np.ascontiguousarray(values).view(np.uint8).reshape(rows, width)
    present = letters != 0
    lengths = present.sum(axis=1, dtype=np.int32)
    lengths[lengths == 0] = -1  # an empty text of the generator's is a missing value
    cell = np.empty((rows, 4 + width), dtype=np.uint8)
    cell[:, :4] = lengths.astype(">i4").view(np.uint8).reshape(rows, 4)
    cell[:, 4:] = letters
    if lengths.min(initial=width) == width:
        return cell, None
    return cell, np.concatenate([np.ones((rows, 4), dtype=np.bool_), present], axis=1)


_FIXED: dict[Kind, Callable[[Column, npt.NDArray[np.generic]], ByteMatrix]] = {
    Kind.INTEGER: _whole,
    Kind.MONEY: _money,
    Kind.DATE: _date,
}
