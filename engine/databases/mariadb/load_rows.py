"""Blocks of generated rows on their way into MariaDB: as tab-separated lines for LOAD DATA LOCAL INFILE, assembled in
numpy without a loop over rows, or, where the server takes no files, as INSERT statements of many rows.

Used by the build. The format is described in MariaDB's documentation of LOAD DATA INFILE; our texts have nothing in
them that it would need to escape.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column, Kind

_NULL = b"\\N"
_TAB, _NEWLINE, _MINUS, _POINT, _ZERO = b"\t\n-.0"
_INSERT_BYTES = 1_000_000

Values = npt.NDArray[Any]
Cells = npt.NDArray[np.uint8]


def column_names(columns: Sequence[Column]) -> str:
    """Columns in their order, as a statement lists them."""
    return ", ".join(column.name for column in columns)


def lines_of(block: Block, columns: Sequence[Column]) -> bytes:
    """The rows of a block as lines: tabs between the values, ``\\N`` for a missing one, a newline behind each row.

    Each column is a matrix of characters, padded with NUL, which no value contains: they are dropped at the end.
    """
    pieces: list[Cells] = []
    for number, column in enumerate(columns, start=1):
        pieces.append(_characters(block.columns[column.name], column))
        pieces.append(np.full((block.rows, 1), _NEWLINE if number == len(columns) else _TAB, np.uint8))
    padded: Cells = np.concatenate(pieces, axis=1).ravel()
    lines: bytes = padded[padded != 0].tobytes()
    return lines


def inserts_of(table: str, columns: Sequence[Column], lines: bytes) -> Iterator[str]:
    """The same rows as INSERT statements, each far shorter than the packet that any server takes."""
    head = f"INSERT INTO {table} ({column_names(columns)}) VALUES "  # noqa: S608 - our own names
    text = lines.decode("ascii")
    begin = 0
    while begin < len(text):
        end = text.rfind("\n", begin, begin + _INSERT_BYTES)
        values = text[begin:end].replace("\t", "','").replace("\n", "'),('")
        yield f"{head}('{values}')".replace("'\\N'", "NULL")
        begin = end + 1


def _characters(values: Values, column: Column) -> Cells:
    match column.kind:
        case Kind.TEXT:
            return _matrix(np.where(values == b"", _NULL, values))
        case Kind.DATE:
            days, places = np.unique(values, return_inverse=True)
            return _matrix(days.astype("datetime64[D]").astype("S10"))[places]
        case Kind.TIMESTAMP:
            moments = np.datetime_as_string(values.astype("datetime64[s]")).astype("S19")
            return _matrix(np.where(np.isnat(values), _NULL, moments))
        case Kind.MONEY:
            return _decimals(values, places=2)
        case Kind.RATE:
            return _decimals(values, places=4)
        case _:
            digits = _digits(values, least=1)
            return _without(digits, values == 0) if column.is_zero_missing else digits


def _without(cells: Cells, missing: npt.NDArray[np.bool_]) -> Cells:
    """The cells of a column, some of which are missing values."""
    null = np.zeros(max(cells.shape[1], len(_NULL)), np.uint8)
    null[: len(_NULL)] = np.frombuffer(_NULL, np.uint8)
    padded = np.pad(cells, ((0, 0), (0, len(null) - cells.shape[1])))
    return np.where(missing[:, np.newaxis], null, padded)


def _matrix(texts: Values) -> Cells:
    """Texts of fixed width, one row each."""
    return np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), texts.dtype.itemsize)


def _decimals(values: Values, places: int) -> Cells:
    """Whole numbers of the last of so many decimal places, such as cents, as decimal numbers."""
    digits = _digits(values, least=places + 1)
    point = np.full((len(digits), 1), _POINT, np.uint8)
    return np.concatenate([digits[:, :-places], point, digits[:, -places:]], axis=1)


def _digits(values: Values, least: int) -> Cells:
    """Whole numbers in decimal, right-aligned, with at least so many digits, and a minus before the negative ones."""
    rest = np.abs(values.astype(np.int64))
    width = max(least, len(str(int(rest.max(initial=0)))))
    digits = np.empty((len(rest), width + 1), np.uint8)
    for place in range(width, 0, -1):
        is_padding = (rest == 0) & (width - place >= least)
        rest, digit = np.divmod(rest, 10)
        digits[:, place] = np.where(is_padding, 0, digit + _ZERO)
    digits[:, 0] = np.where(values < 0, _MINUS, 0)
    return digits
