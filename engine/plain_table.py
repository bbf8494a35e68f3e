"""Tables of figures for other programs: plain numbers with a decimal point, and separate units.

``engine.figure_text`` formats figures for people: ``186 604``, ``29.1 %``, ``12:41``, which a spreadsheet would read as
texts. Called when a displayed table is copied or written to a file.
"""

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.figure_text import UNKNOWN, ungrouped

_SPACES = "\u202f\u2009\u00a0"
_FIGURE = re.compile(rf"(?:≈[ {_SPACES}]?)?([−+-]?)(\d[\d{_SPACES}]*(?:\.\d+)?)[ {_SPACES}]?([^\d\s.:]*)")
_CLOCK = re.compile(rf"([−-]?)(?:(\d+):)?(\d+):(\d\d(?:\.\d+)?)(?:[ {_SPACES}](?:min|h))?")
_BETWEEN_DIGITS = re.compile(rf"(?<=\d)[{_SPACES}](?=\d)")
_UNIT = "Unit"
_GLUED = "%"  # a spreadsheet takes 29.1% for a number


@dataclass(frozen=True)
class Figure:
    """A number as plain text, and its unit; a clock time is in seconds."""

    number: str
    unit: str = ""


def figure_of(text: str) -> Figure | None:
    """The figure in a text, ``None`` if it is not one."""
    text = ungrouped(text.strip())
    if clock := _CLOCK.fullmatch(text):
        sign, hours, minutes, seconds = clock.groups()
        whole, point, fraction = seconds.partition(".")
        total = 3600 * int(hours or 0) + 60 * int(minutes) + int(whole)
        return Figure(f"{'-' if sign else ''}{total}{point}{fraction}", "s")
    if found := _FIGURE.fullmatch(text):
        sign, digits, unit = found.groups()
        number = re.sub(f"[{_SPACES}]", "", digits)
        return Figure(f"-{number}" if sign in ("−", "-") else number, unit)
    return None


def plain_text(text: str) -> str:
    """A text with its numbers in plain form, such as ``-2.5 % (186604 OPM)``; unknown is empty."""
    if text == UNKNOWN:
        return ""
    joined = _BETWEEN_DIGITS.sub("", ungrouped(text))
    return re.sub(f"[{_SPACES}]", " ", joined).replace("−", "-")


@dataclass(frozen=True)
class PlainTable:
    """The titles and rows of a table for another program."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, titles: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int]) -> "PlainTable":
        """The table from one that is displayed, whose columns ``numbers`` contain figures.

        A unit that all figures of a column share is added to its title. If each row has its own unit, a column of units
        follows the first one. Other texts are not changed, and unknown figures are empty.
        """
        figures = {column: [figure_of(row[column]) for row in rows] for column in numbers}
        units = {column: {each.unit for each in found if each is not None} for column, found in figures.items()}
        shared = {column: next(iter(found)) for column, found in units.items() if len(found) == 1}
        mixed = [column for column, found in units.items() if len(found) > 1]
        row_units = [_shared_unit([figures[column][place] for column in mixed]) for place in range(len(rows))]
        of_figures = [unit for unit in row_units if unit is not None]
        has_units = 2 * sum(map(bool, of_figures)) >= len(of_figures) > 0

        def cell(place: int, column: int) -> str:
            text = rows[place][column]
            if column not in figures:
                return "" if text == UNKNOWN else text
            figure = figures[column][place]
            if figure is None:
                return plain_text(text)
            if column in shared or not figure.unit or (has_units and figure.unit == row_units[place]):
                return figure.number
            return f"{figure.number}{'' if figure.unit == _GLUED else ' '}{figure.unit}"

        table = cls(
            tuple(_titled(title, shared.get(column, "")) for column, title in enumerate(titles)),
            tuple(tuple(cell(place, column) for column in range(len(titles))) for place in range(len(rows))),
        )
        return table._with_units([unit or "" for unit in row_units]) if has_units else table

    def as_tabs(self) -> str:
        """Rows with tabs, which spreadsheets accept from the clipboard."""
        return "\n".join("\t".join(map(_one_line, row)) for row in (self.titles, *self.rows))

    def as_csv(self) -> str:
        """Comma-separated values according to RFC 4180."""
        text = io.StringIO(newline="")
        csv.writer(text).writerows((self.titles, *self.rows))
        return text.getvalue()

    def as_markdown(self, numbers: Collection[int] = ()) -> str:
        """A table in Markdown; the columns ``numbers`` are aligned to the right."""
        rule = ("--:" if column in numbers else "---" for column in range(len(self.titles)))
        lines = [self.titles, tuple(rule), *self.rows]
        return "\n".join(
            f"| {' | '.join(_one_line(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in lines
        )

    def _with_units(self, units: Sequence[str]) -> "PlainTable":
        first, *others = self.titles
        return PlainTable(
            (first, _UNIT, *others),
            tuple((row[0], unit, *row[1:]) for row, unit in zip(self.rows, units, strict=True)),
        )


def _shared_unit(figures: Sequence[Figure | None]) -> str | None:
    """The unit of a row's figures; ``None`` when it has none, or several."""
    units = {figure.unit for figure in figures if figure is not None}
    return next(iter(units)) if len(units) == 1 else None


def _titled(title: str, unit: str) -> str:
    """A title with the unit of its figures appended, unless it contains it already."""
    return title if not unit or unit in re.split(r"[\s,()]+", title) else f"{title} ({unit})".strip()


def _one_line(text: str) -> str:
    return " ".join(text.replace("\t", " ").splitlines())
