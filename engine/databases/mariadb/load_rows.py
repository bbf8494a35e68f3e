"""Blocks of generated rows on their way into MariaDB: as tab-separated lines for LOAD DATA LOCAL INFILE, assembled in
numpy without a loop over rows, or, where the server takes no files, as INSERT statements of many rows.

Used by the build. The format is described in MariaDB's documentation of LOAD DATA INFILE; our texts have nothing in
them that it would need to escape.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.workload.rows.block import Block
from engine.workload.rows.columns import Kind
from engine.workloads.dvdstore.schema import TABLES

_NULL = b"\\N"
_TAB, _NEWLINE, _MINUS, _POINT, _ZERO = b"\t\n-.0"
_INSERT_BYTES = 1_000_000

Values = npt.NDArray[Any]
Cells = npt.NDArray[np.uint8]


def column_names(table: str) -> str:
    """The columns of a table's blocks in their order, as a statement lists them."""
    return ", ".join(column.name for column in TABLES[table])


def lines_of(block: Block) -> bytes:
    """The rows of a block as lines: tabs between the values, ``\\N`` for a missing one, a newline behind each row.

    Each column is a matrix of characters, padded with NUL, which no value contains: they are dropped at the end.
    """
    columns = TABLES[block.table]
    pieces: list[Cells] = []
    for number, column in enumerate(columns, start=1):
        pieces.append(_characters(block.columns[column.name], column.kind))
        pieces.append(np.full((block.rows, 1), _NEWLINE if number == len(columns) else _TAB, np.uint8))
    padded: Cells = np.concatenate(pieces, axis=1).ravel()
    lines: bytes = padded[padded != 0].tobytes()
    return lines


def inserts_of(table: str, lines: bytes) -> Iterator[str]:
    """The same rows as INSERT statements, each far shorter than the packet that any server takes."""
    head = f"INSERT INTO {table} ({column_names(table)}) VALUES "  # noqa: S608 - our own names
    text = lines.decode("ascii")
    begin = 0
    while begin < len(text):
        end = text.rfind("\n", begin, begin + _INSERT_BYTES)
        values = text[begin:end].replace("\t", "','").replace("\n", "'),('")
        yield f"{head}('{values}')".replace("'\\N'", "NULL")
        begin = end + 1


def _characters(values: Values, kind: Kind) -> Cells:
    match kind:
        case Kind.TEXT:
            return _matrix(np.where(values == b"", _NULL, values))
        case Kind.DATE:
            days, places = np.unique(values, return_inverse=True)
            return _matrix(days.astype("datetime64[D]").astype("S10"))[places]
        case Kind.MONEY:
            return _amounts(values)
        case _:
            return _digits(values, least=1)


def _matrix(texts: Values) -> Cells:
    """Texts of fixed width, one row each."""
    return np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), texts.dtype.itemsize)


def _amounts(cents: Values) -> Cells:
    digits = _digits(cents, least=3)
    point = np.full((len(digits), 1), _POINT, np.uint8)
    return np.concatenate([digits[:, :-2], point, digits[:, -2:]], axis=1)


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
