"""Small tables that a user typed or exported from a spreadsheet: rows by column name, and whole numbers.

Called by ``engine.analysis.comparing.configuration`` and ``engine.analysis.comparing.references``. Errors name the
line.
"""

import csv
import io
import math
import re
from dataclasses import dataclass

from engine.errors import BadInput

_DELIMITERS = ",;\t"
_WHOLE = re.compile(r"\d{1,3}(,\d{3})+|\d{1,15}")


@dataclass(frozen=True, kw_only=True)
class Row:
    """The texts of a row by column, without surrounding space, and the line number from 1."""

    line: int
    cells: dict[str, str]


def read_rows(text: str, source: str, *, required: tuple[str, ...]) -> list[Row]:
    """The rows below the heading line; columns are separated by commas, semicolons or tabs, and headings match in any
    case.

    Empty rows are left out. Raises ``BadInput`` that names ``source`` and the line.
    """
    lines = io.StringIO(text.lstrip("\ufeff"), newline="")
    heading = next((line for line in lines if line.strip()), "")
    lines.seek(0)
    reader = csv.reader(lines, delimiter=max(_DELIMITERS, key=heading.count), strict=True)
    try:
        found = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise BadInput(f"{source} is not a table in CSV: {error}; fix it.") from error
    if len(found) < 2:
        raise BadInput(f"{source} holds no rows; give a line with the columns' names and a row below it.")
    names = _headings(found[0][1], source, required)
    return [_row(number, cells, names, source) for number, cells in found[1:]]


def whole_of(text: str, field: str) -> int:
    """A whole number from 0, with or without commas as thousands separators. Raises ``BadInput`` that names
    ``field``."""
    plain = text.strip()
    if not _WHOLE.fullmatch(plain):
        raise BadInput(f"{field} is '{text}'; give a whole number from 0.")
    return int(plain.replace(",", ""))


def seconds_of(text: str, field: str) -> float:
    """Seconds from 0. Raises ``BadInput`` that names ``field``."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise BadInput(f"{field} is '{text}'; give seconds such as 12 or 0.5.")
    return seconds


def _headings(cells: list[str], source: str, required: tuple[str, ...]) -> list[str]:
    names = [cell.strip() for cell in cells]
    folded = [name.casefold() for name in names]
    for name in required:
        if name not in folded:
            raise BadInput(f"{source} has no column '{name}'; it needs {', '.join(required)}.")
    for name in names:
        if folded.count(name.casefold()) > 1:
            raise BadInput(f"{source} has the column '{name}' more than once; name each column once.")
    return names


def _row(line: int, cells: list[str], names: list[str], source: str) -> Row:
    if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
        raise BadInput(
            f"{source}, line {line} has {len(cells)} cells for {len(names)} columns; put a text with a comma in quotes."
        )
    named = dict(zip(names, (cell.strip() for cell in cells), strict=False))
    return Row(line=line, cells={name: named.get(name, "") for name in names})
