r"""The CSV of Windows' performance monitor (``(PDH-CSV 4.0)``), as typeperf, relog and logman write it, and esxtop's.

The first line contains the format, the zone's name and its offset in minutes, which added to the file's local times
gives UTC, and then the paths of the counters, ``\\host\object(instance)\counter``. Dates are always month/day/year;
numbers have the decimal sign of the host's language; a missing value is a blank or -1. esxtop's batch mode (``esxtop
-b``) writes the same format with its own objects, in UTC. Called by ``engine.analysis.host.files``, and by the sources
that read either line by line while a run goes on.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone, tzinfo

from engine.analysis.host.counters import DISK_TIME, IDLE, Quantity, quantity_of
from engine.analysis.host.samples import Counter, Samples, csv_rows, number_of
from engine.analysis.host.times import HostClock
from engine.errors import BadInput
from engine.telemetry.host_figure import HostFigure

MOST_OTHER_COUNTERS = 64

_FORM = re.compile(r"\(PDH-(?P<form>CSV|TSV) 4\.0\)(?:\s*\((?P<zone>.*)\)\((?P<minutes>-?\d+)\))?")
PATH = re.compile(r"(?:\\\\(?P<host>[^\\]+))?\\(?P<object>[^\\(]+)(?:\((?P<instance>.*)\))?\\(?P<counter>[^\\]+)")
_TOTAL = "_total"


def is_performance_monitor(text: str) -> bool:
    """Whether a file has this format, according to its first line."""
    return "(PDH-" in text.lstrip("\ufeff\r\n\t ")[:20]


def is_esxtop(text: str) -> bool:
    """Whether a file of this format is from esxtop, according to an object that only esxtop has."""
    return "\\Physical Cpu" in text.lstrip("\ufeff\r\n\t ").partition("\n")[0]


def read_performance_monitor(text: str, samples: Samples, *, source: str, zone: tzinfo) -> bool:
    """Add a file's samples; returns whether it contains its zone.

    ``zone`` applies if it doesn't. Raises ``BadInput`` for a file without counters.
    """
    first, _, _ = text.lstrip("\ufeff\r\n\t ").partition("\n")
    form = _FORM.search(first)
    if form is None:
        raise BadInput("the performance monitor's file has a first line of another form; export it as CSV again.")
    (_, header), *rows = csv_rows(text, _delimiter(first, form))
    columns = columns_of(header, source, with_others=len(header) <= MOST_OTHER_COUNTERS)
    clock = HostClock(zone if form["minutes"] is None else _zone(int(form["minutes"])))
    for line, row in rows:
        if "/" in row[0][:6]:  # below the rows typeperf prints what it has to say
            _take(row, line, len(header), columns, clock, samples)
    return form["minutes"] is not None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A counter's place in a row."""

    place: int
    counter: Counter
    quantity: Quantity

    def value(self, row: Sequence[str]) -> float:
        """NaN when it is missing: blank or negative. The rest of 100 % may be slightly negative and is then 0."""
        value = number_of(row[self.place])
        return max(0.0, self.quantity.convert(value)) if value >= 0 else math.nan


def columns_of(header: Sequence[str], source: str, *, with_others: bool) -> list[Column]:
    """The columns with known figures, and ``with_others`` all that name a counter; each counter once.

    Raises ``BadInput`` when the first line names no counter.
    """
    paths = [(place, found) for place, text in enumerate(header) if place and (found := PATH.fullmatch(text.strip()))]
    if not paths:
        raise BadInput("the performance monitor's file names no counter in its first line; export it as CSV again.")
    measured_idle = {key[::2] for _, found in paths if (key := _key(found))[1] == IDLE}
    columns: dict[Counter, Column] = {}
    for place, found in paths:
        object_name, counter_name, instance = _key(found)
        if counter_name == DISK_TIME and (object_name, instance) in measured_idle:
            continue
        quantity = quantity_of(object_name, counter_name)
        if quantity.figure is not None or with_others:
            counter = _counter(found, quantity, source)
            columns.setdefault(counter, Column(place=place, counter=counter, quantity=quantity))
    return list(columns.values())


def _take(
    row: Sequence[str], line: int, width: int, columns: Sequence[Column], clock: HostClock, samples: Samples
) -> None:
    utc_seconds = clock.utc_seconds(row[0])
    if utc_seconds is None:
        samples.problem("of an unreadable time and left out", line)
        return
    if len(row) < width:
        samples.problem("cut short and left out", line)
        return
    for column in columns:
        text, value = row[column.place], column.value(row)
        if math.isnan(value) and text.strip() and math.isnan(number_of(text)):
            samples.problem("with a value that is not a number, which counts as missing", line)
        samples.add(column.counter, utc_seconds, value, line)


def _delimiter(first: str, form: re.Match[str]) -> str:
    if form["form"] == "TSV":
        return "\t"
    after = first[form.end() :].lstrip('"')[:1]
    return after if after in (",", ";", "\t") else ","


def _zone(minutes: int) -> tzinfo:
    return UTC if not minutes else timezone(-timedelta(minutes=minutes))


def _key(found: re.Match[str]) -> tuple[str, str, str]:
    return found["object"].strip().lower(), found["counter"].strip().lower(), (found["instance"] or "").lower()


def _counter(found: re.Match[str], quantity: Quantity, source: str) -> Counter:
    """A known figure by its own name, any other by those of its object and counter."""
    source, instance = source or found["host"] or "", found["instance"] or ""
    if quantity.figure is None:
        title = f"{found['object'].strip()}: {found['counter'].strip()}"
        return Counter(source=source, device=instance, name=title, unit=quantity.unit)
    is_host = quantity.figure is HostFigure.CPU and instance.lower() == _TOTAL
    return Counter.of(quantity.figure, "" if is_host else instance, source)
