"""The files of sysstat's tools: sadf's database format (``sadf -d``), and the output of sar and iostat.

- ``sadf -d``: fields separated by semicolons below lines ``# hostname;interval;timestamp;…``, several tables; times are
  in UTC with a zone, with ``-t`` local without one, with ``-U`` seconds since 1970.
- sar: tables whose rows begin with the time of day; the first line contains the date.
- ``iostat -x -t``: reports, each below its date and time. The first covers the time since the boot and is left out.

Called by ``engine.analysis.host.files``.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from engine.analysis.host.samples import Counter, Samples, number_of
from engine.analysis.host.sysstat_figures import device_column, device_of, figures_of, has_figures
from engine.analysis.host.times import HostClock, date_order
from engine.errors import BadInput

_SADF_FIELDS = ("hostname", "interval", "timestamp")
_BANNER = re.compile(r"\S+\s.*?\((?P<host>[^()]*)\)\s+(?P<date>[\d/.-]+)\s")
_ROW_TIME = re.compile(r"(?P<time>\d{1,2}:\d{2}:\d{2}(?:\s+[AP]M)?)\s+(?P<rest>\S.*)", re.IGNORECASE)
_DAY_SECONDS, _HALF_DAY_SECONDS = 86_400, 43_200
_STAMP = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[T ]+\d{1,2}:")
_RESTART = "RESTART"


def is_sadf(text: str) -> bool:
    """Whether a file is sadf's, according to the first table's heading."""
    return re.match(r"#?\s*hostname;interval;timestamp", text.lstrip("\ufeff\r\n\t ")) is not None


def is_sysstat_text(text: str) -> bool:
    """Whether a file is the output of sar or iostat, according to the line with kernel, host and date."""
    return _BANNER.match(_first_line(text)) is not None


def is_iostat(text: str) -> bool:
    """Whether such a file is iostat's."""
    return re.search(r"^(avg-cpu:|Device:?\s)", text, re.MULTILINE) is not None


def read_sadf(text: str, samples: Samples, *, source: str, zone: tzinfo, near: datetime | None) -> bool:
    """Add a file's samples; returns whether its times have a zone.

    Raises ``BadInput`` for sadf's horizontal format.
    """
    rows = [(line, row.split(";")) for line, row in _lines(text)]
    stamps = (fields[2] for _, fields in rows if len(fields) > 3 and not fields[0].startswith("#"))
    clock = HostClock(zone, date_order(stamps, zone, near))
    names: Sequence[str] = ()
    for line, fields in rows:
        if fields[0].lstrip("# ") == _SADF_FIELDS[0]:
            names = fields[len(_SADF_FIELDS) :]
            if any("[...]" in name for name in names):
                raise BadInput("the sadf file has the horizontal form; write it without -h.")
        elif has_figures(names) and not fields[0].startswith("#") and _RESTART not in fields[-1]:
            utc_seconds = clock.utc_seconds(fields[2]) if len(fields) == len(names) + len(_SADF_FIELDS) else None
            if utc_seconds is None:
                samples.problem("cut short or of an unreadable time and left out", line)
            else:
                _add(samples, names, fields[len(_SADF_FIELDS) :], source or fields[0], utc_seconds, line)
    return clock.has_zone


def read_sar(text: str, samples: Samples, *, source: str, zone: tzinfo, near: datetime | None) -> bool:
    """Add a file's samples; returns ``False``, as sar's times have no zone.

    Raises ``BadInput`` for a file without a readable date.
    """
    host, day = _banner(text, zone, near)
    tables: dict[tuple[str, ...], _Table] = {}
    table: _Table | None = None
    for line, row in _lines(text):
        found = _ROW_TIME.fullmatch(row.strip())
        if found is None or _RESTART in row:
            continue
        words = found["rest"].split()
        if _is_header(words):
            table = tables.setdefault(tuple(words), _Table(tuple(words), day, zone)) if has_figures(words) else None
        elif table is not None:
            utc_seconds = table.utc_seconds(found["time"])
            if utc_seconds is None or len(words) != len(table.names):
                samples.problem("cut short or of an unreadable time and left out", line)
            else:
                _add(samples, table.names, words, source or host, utc_seconds, line)
    return False


def read_iostat(text: str, samples: Samples, *, source: str, zone: tzinfo, near: datetime | None) -> bool:
    """Add a file's samples; returns whether its times have a zone.

    Raises ``BadInput`` for a file whose reports have no times.
    """
    host, _ = _banner(text, zone, near)
    lines = _lines(text)[1:]
    stamps = [row for _, row in lines if _STAMP.match(row)]
    if not stamps:
        raise BadInput("the iostat file has no times; run it with -t, such as iostat -x -t 1.")
    clock = HostClock(zone, date_order(stamps, zone, near))
    reports, utc_seconds = 0, 0.0
    names: Sequence[str] = ()
    for line, row in lines:
        moment = clock.utc_seconds(row) if _STAMP.match(row) else None
        words = row.replace("avg-cpu:", "").split()
        if moment is not None:
            reports, utc_seconds = reports + 1, moment
        elif _is_header(words):
            names = words
        elif reports > 1 and has_figures(names):
            if len(words) == len(names):
                _add(samples, names, words, source or host, utc_seconds, line)
            else:
                samples.problem("cut short and left out", line)
    return clock.has_zone


@dataclass
class _Table:
    """One of sar's tables: its columns, and the day of its newest row."""

    names: tuple[str, ...]
    day: tuple[int, int, int]
    zone: tzinfo
    _days: int = field(default=0, init=False)
    _newest: float | None = field(default=None, init=False)

    def utc_seconds(self, time: str) -> float | None:
        """A row's time; if it is half a day or more before the row above, it is of the next day."""
        moment = HostClock(self.zone).at(self.day, time)
        if moment is None:
            return None
        moment += self._days * _DAY_SECONDS
        if self._newest is not None and moment < self._newest - _HALF_DAY_SECONDS:
            self._days += 1
            moment += _DAY_SECONDS
        self._newest = moment
        return moment


def _add(
    samples: Samples, names: Sequence[str], words: Sequence[str], source: str, utc_seconds: float, line: int
) -> None:
    row = dict(zip(names, words, strict=True))
    of = device_column(names)
    device = "" if of is None else device_of(row.pop(of))
    for figure, value in figures_of({name: number_of(word) for name, word in row.items()}).items():
        samples.add(Counter.of(figure, device, source), utc_seconds, value, line)


def _is_header(words: Sequence[str]) -> bool:
    """Whether a row contains column names: none of its words is a number."""
    return all(math.isnan(number_of(word)) for word in words)


def _banner(text: str, zone: tzinfo, near: datetime | None) -> tuple[str, tuple[int, int, int]]:
    """The host and the day (year, month, day) in the first line."""
    found = _BANNER.match(_first_line(text))
    assert found is not None
    clock = HostClock(zone, date_order([f"{found['date']} 12:00"], zone, near))
    day = clock.date(found["date"])
    if day is None:
        raise BadInput(
            f"the first line's date '{found['date']}' can't be read; set LC_TIME=C and write the file again."
        )
    return found["host"], day


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    return [(number, row) for number, row in enumerate(text.lstrip("\ufeff").splitlines(), start=1) if row.strip()]


def _first_line(text: str) -> str:
    return next((row for _, row in _lines(text)), "").strip() + " "
