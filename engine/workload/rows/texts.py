"""Columns of text as fixed-width ASCII bytes, padded with NUL: how the row generator spells its random numbers."""

import itertools
import string
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.workload.rows.randomness import Whole, Words, split

Text = npt.NDArray[np.bytes_]
Bytes = npt.NDArray[np.uint8]

_LETTER_PAIRS = np.array(list(map("".join, itertools.product(string.ascii_uppercase, repeat=2))), dtype="S2")
_DIGIT_GROUPS = np.array([f"{number:04}" for number in range(10_000)], dtype="S4")


def table_of(texts: Sequence[str]) -> Text:
    """A table of texts to be indexed by arrays of whole numbers; as wide as the longest."""
    return np.array(texts, dtype=np.bytes_)


def capitals(words: Words, length: int) -> Text:
    """``length`` (at most 12) random capital letters from each random 64-bit number."""
    indices = split(words, len(_LETTER_PAIRS), (length + 1) // 2)
    return _cut(_LETTER_PAIRS.view(np.uint16), indices, length)


def digits(words: Words, length: int) -> Text:
    """``length`` (at most 16) random decimal digits from each random 64-bit number."""
    indices = split(words, len(_DIGIT_GROUPS), (length + 3) // 4)
    return _cut(_DIGIT_GROUPS.view(np.uint32), indices, length)


def four_digits(numbers: Whole) -> Text:
    """Whole numbers from 0 to 9,999 as four digits."""
    return _DIGIT_GROUPS[numbers]


def joined_columns(*parts: Text | bytes, rows: int) -> Text:
    """Columns of text (and texts that are the same in every row) put together row by row; all but the last part must
    fill their whole width in every row.
    """
    columns = [np.frombuffer(part, dtype=f"S{len(part)}") if isinstance(part, bytes) else part for part in parts]
    joined = np.empty((rows, sum(column.itemsize for column in columns)), dtype=np.uint8)
    at = 0
    for column in columns:
        joined[:, at : at + column.itemsize] = as_bytes(column)
        at += column.itemsize
    return as_text(joined)


def as_bytes(column: Text) -> Bytes:
    """A column of text as a matrix of bytes, rows × width; a view."""
    return column.view(np.uint8).reshape(len(column), column.itemsize)


def as_text(matrix: Bytes) -> Text:
    """A contiguous matrix of bytes, rows × width, as a column of text; a view."""
    return matrix.view(f"S{matrix.shape[1]}")[:, 0]


def _cut(table: npt.NDArray[np.unsignedinteger], indices: Sequence[Whole], length: int) -> Text:
    """The table's entries at the indices side by side, cut to ``length`` bytes."""
    groups = np.empty((len(indices[0]), len(indices)), dtype=table.dtype)
    for at, index in enumerate(indices):
        groups[:, at] = table[index]
    return as_text(np.ascontiguousarray(groups.view(np.uint8)[:, :length]))
