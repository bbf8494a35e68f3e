"""The CSV of a power meter: a time and watts, of one device or of several in separate columns.

Meters differ: the delimiter is a comma, semicolon or tab, the decimal sign a point or a comma; other lines may precede
the columns' names; the time is one column or a date and a time, ISO 8601 or local, seconds since 1970 or since the
file's begin. Since nearly any table of numbers could be read in this way, a file counts as a meter's only when one
column is a time, and the name or unit of another is watts. Called by ``engine.analysis.host.files``.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from engine.analysis.host.samples import Counter, Samples, csv_rows, number_of
from engine.analysis.host.times import HostClock, date_order
from engine.errors import BadInput
from engine.telemetry.host_figure import HostFigure

_UNITS = {
    **dict.fromkeys(("w", "watt", "watts"), 1.0),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), 1000.0),
    **dict.fromkeys(("mw", "milliwatt", "milliwatts"), 0.001),
}
_UNIT_WORD = re.compile(rf"\b({'|'.join(_UNITS)})\b", re.IGNORECASE)
_UNIT = re.compile(r"[(\[]\s*(?P<unit>[^)\]]*?)\s*[)\]]\s*$")
_POWER_NAMES = re.compile(rf"{_UNIT_WORD.pattern}|\b(active power|power)\b", re.IGNORECASE)
_TIME_NAMES = re.compile(r"\b(time|elapsed|seconds?|secs?|s|t)\b", re.IGNORECASE)
_NO_DEVICE = re.compile(rf"{_POWER_NAMES.pattern}|\b(value|reading)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"volt|amp|current|energy|factor|freq|\bhz\b|\bk?wh\b|\bk?va\b|apparent|reactive|temp|cost|sample|index",
    re.IGNORECASE,
)
_LINES_LOOKED_AT = 100
_COLUMNS_LOOKED_AT = 3
_LONGEST_ELAPSED_SECONDS = 1e7
_MOST_NAMES = 8
_LOOKED_FOR = (
    "a column of times (date and time, seconds since 1970, or counted from 0 in a column named time or seconds) and one"
    " whose name or unit says watts (W, kW, mW, watts, power)"
)


@dataclass(frozen=True, kw_only=True)
class _Watts:
    place: int
    counter: Counter
    factor: float


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """The columns: those of the time (one, or a date and a time), whether times count from 0, and those of watts."""

    time: slice
    is_elapsed: bool
    watts: tuple[_Watts, ...]

    def stamp(self, row: Sequence[str]) -> str:
        return " ".join(cell.strip() for cell in row[self.time])


def read_meter(text: str, samples: Samples, *, source: str, zone: tzinfo, near: datetime | None) -> bool:
    """Add a file's samples; returns whether its times have a zone.

    Times that count from 0 are relative to ``near``, the run's start. Raises ``BadInput`` for a file that has no times
    and watts.
    """
    rows = [(line, row) for line, row in csv_rows(text, _delimiter(text)) if not row[0].startswith("#")]
    cells = [row for _, row in rows]
    first = next((place for place, row in enumerate(cells) if _time_columns(row, zone, _names(cells, place))), None)
    layout = None if first is None else _layout(_names(cells, first), cells[first], source, zone)
    if first is None or layout is None:
        raise BadInput(_refusal(cells, first))
    data = rows[first:]
    origin = _origin(near) if layout.is_elapsed else 0.0
    clock = HostClock(zone, date_order((layout.stamp(row) for _, row in data), zone, near))
    width = 1 + max(each.place for each in layout.watts)
    for line, row in data:
        stamp = layout.stamp(row) if len(row) >= width else ""
        utc_seconds = _elapsed(stamp, origin) if layout.is_elapsed else clock.utc_seconds(stamp)
        if utc_seconds is None:
            samples.problem("cut short or of an unreadable time and left out", line)
        else:
            _take(row, line, utc_seconds, layout.watts, samples)
    return clock.has_zone or layout.is_elapsed


def _take(row: Sequence[str], line: int, utc_seconds: float, watts: Iterable[_Watts], samples: Samples) -> None:
    for each in watts:
        value = number_of(row[each.place])
        if math.isnan(value) and row[each.place].strip():
            samples.problem("with watts that are not a number, which count as missing", line)
        samples.add(each.counter, utc_seconds, each.factor * value, line)


def _delimiter(text: str) -> str:
    """The delimiter: a semicolon or a tab that is in most lines, else a comma."""
    lines = [line for line in text.splitlines()[:_LINES_LOOKED_AT] if line.strip()]
    return next((each for each in (";", "\t") if 2 * sum(each in line for line in lines) > len(lines)), ",")


def _names(rows: Sequence[Sequence[str]], first: int) -> Sequence[str]:
    """The columns' names: the line above the first of the data, if it has as many fields."""
    above = rows[first - 1] if first else ()
    return above if len(above) == len(rows[first]) else ()


def _refusal(rows: Sequence[Sequence[str]], first: int | None) -> str:
    """Why the file is not a meter's: what was expected, and what it contains instead."""
    names = (rows[0] if rows else ()) if first is None else _names(rows, first)
    shown = ", ".join(name.strip() or "(no name)" for name in names[:_MOST_NAMES])
    there = f"its columns are {shown}" if shown else "its columns have no names"
    return f"the file is of no known kind; a power meter's has {_LOOKED_FOR}, and {there}."


def _time_columns(row: Sequence[str], zone: tzinfo, names: Sequence[str]) -> slice | None:
    """The columns of a row's time: one with a time, a date and a time, or a first column that counts from 0 and is
    named so.

    ``None`` when there is none, or no number after it.
    """
    moments = [slice(place, place + width) for width in (1, 2) for place in range(min(len(row), _COLUMNS_LOOKED_AT))]
    counted = [slice(0, 1)] if names and _TIME_NAMES.search(_words(names[0])) and _is_elapsed(row[0]) else []
    for columns in (*(each for each in moments if _is_moment(" ".join(row[each]), zone)), *counted):
        if any(not math.isnan(number_of(cell)) for cell in row[columns.stop :]):
            return columns
    return None


def _is_moment(text: str, zone: tzinfo) -> bool:
    return HostClock(zone, date_order([text], zone, None)).utc_seconds(text) is not None


def _is_elapsed(text: str) -> bool:
    return 0 <= number_of(text) < _LONGEST_ELAPSED_SECONDS


def _layout(names: Sequence[str], row: Sequence[str], source: str, zone: tzinfo) -> _Layout | None:
    """The layout of the rows; ``None`` when no column is in watts."""
    time = _time_columns(row, zone, names)
    assert time is not None
    columns = [(place, name.strip()) for place, name in enumerate(names) if place >= time.stop]
    watts = tuple(_watts(place, name, source) for place, name in columns if _is_power(name))
    if not watts:
        return None
    is_elapsed = not _is_moment(" ".join(row[time]), zone)
    return _Layout(time=time, is_elapsed=is_elapsed, watts=watts)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _is_power(name: str) -> bool:
    """Whether a column is watts: by the unit in brackets at its end, else by a word of its name."""
    unit = _UNIT.search(name)
    if unit is not None:
        return unit["unit"].lower() in _UNITS
    return bool(_POWER_NAMES.search(_words(name))) and not _OTHERS.search(name)


def _watts(place: int, name: str, source: str) -> _Watts:
    unit = _UNIT.search(name)
    word = _UNIT_WORD.search(_words(name)) if unit is None else None
    device = re.sub(r"\s+", " ", _NO_DEVICE.sub("", _words(_UNIT.sub("", name)))).strip(" -:")
    said = unit["unit"] if unit is not None else "w" if word is None else word[0]
    return _Watts(place=place, counter=Counter.of(HostFigure.POWER, device, source), factor=_UNITS[said.lower()])


def _origin(near: datetime | None) -> float:
    if near is None:
        raise BadInput("the meter's times count from 0; read the file for a run, whose start they are laid from.")
    return near.timestamp()


def _elapsed(stamp: str, origin: float) -> float | None:
    seconds = number_of(stamp)
    return None if math.isnan(seconds) else origin + seconds
