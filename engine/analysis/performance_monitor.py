"""The CSV of Windows' performance monitor (``(PDH-CSV 4.0)``), as typeperf, relog and logman write it, and esxtop's.

The first line names the counters by their paths, ``\\\\host\\object(instance)\\counter``, after the form, the zone's
name and its minutes: those to add to the local times of the file to get UTC. Times are always month/day/year; the
numbers have the decimal sign of the host's language, and a value that could not be taken is a blank or -1. esxtop's
batch mode (``esxtop -b``) writes the same form with objects of its own, in UTC. Called by
``engine.analysis.host_files``.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone, tzinfo

from engine.analysis.host_samples import Counter, Samples, csv_rows, number_of
from engine.analysis.host_series import HostFigure
from engine.analysis.host_times import HostClock
from engine.errors import BadInput

MOST_OTHER_COUNTERS = 64

_FORM = re.compile(r"\(PDH-(?P<form>CSV|TSV) 4\.0\)(?:\s*\((?P<zone>.*)\)\((?P<minutes>-?\d+)\))?")
_PATH = re.compile(r"(?:\\\\(?P<host>[^\\]+))?\\(?P<object>[^\\(]+)(?:\((?P<instance>.*)\))?\\(?P<counter>[^\\]+)")
_TOTAL = "_total"
_BITS = 8e-6


def is_performance_monitor(text: str) -> bool:
    """Whether a file is of this form, by the line that names it."""
    return "(PDH-" in text.lstrip("\ufeff\r\n\t ")[:20]


def is_esxtop(text: str) -> bool:
    """Whether a file of this form is esxtop's, by an object that only that has."""
    return "\\Physical Cpu" in text.lstrip("\ufeff\r\n\t ").partition("\n")[0]


def read_performance_monitor(text: str, samples: Samples, *, source: str, zone: tzinfo) -> bool:
    """Take in a file's samples; whether it names its zone. ``zone`` is the times' when it doesn't.

    Raises ``BadInput`` for a file that names no counter.
    """
    first, _, _ = text.lstrip("\ufeff\r\n\t ").partition("\n")
    form = _FORM.search(first)
    if form is None:
        raise BadInput("the performance monitor's file has a first line of another form; export it as CSV again.")
    (_, header), *rows = csv_rows(text, _delimiter(first, form))
    columns = _columns(header, source)
    clock = HostClock(zone if form["minutes"] is None else _zone(int(form["minutes"])))
    for line, row in rows:
        if "/" in row[0][:6]:  # below the rows typeperf prints what it has to say
            _take(row, line, len(header), columns, clock, samples)
    return form["minutes"] is not None


@dataclass(frozen=True, kw_only=True)
class _Column:
    place: int
    counter: Counter
    convert: Callable[[float], float]


def _take(
    row: Sequence[str], line: int, width: int, columns: Sequence[_Column], clock: HostClock, samples: Samples
) -> None:
    utc_seconds = clock.utc_seconds(row[0])
    if utc_seconds is None:
        samples.problem("of an unreadable time and left out", line)
        return
    if len(row) < width:
        samples.problem("cut short and left out", line)
        return
    for column in columns:
        value = number_of(row[column.place])
        if math.isnan(value) and row[column.place].strip():
            samples.problem("with a value that is not a number, which counts as missing", line)
        samples.add(column.counter, utc_seconds, column.convert(value) if value >= 0 else math.nan, line)


def _delimiter(first: str, form: re.Match[str]) -> str:
    if form["form"] == "TSV":
        return "\t"
    after = first[form.end() :].lstrip('"')[:1]
    return after if after in (",", ";", "\t") else ","


def _zone(minutes: int) -> tzinfo:
    return UTC if not minutes else timezone(-timedelta(minutes=minutes))


def _columns(header: Sequence[str], source: str) -> list[_Column]:
    """The columns whose figure is known, and all others too in a file of few; each counter once."""
    paths = [(place, found) for place, text in enumerate(header) if place and (found := _PATH.fullmatch(text.strip()))]
    if not paths:
        raise BadInput("the performance monitor's file names no counter in its first line; export it as CSV again.")
    busy = {_key(found)[::2] for _, found in paths if _key(found)[1] == _IDLE}
    columns: dict[Counter, _Column] = {}
    for place, found in paths:
        object_name, counter_name, instance = _key(found)
        if counter_name == _DISK_TIME and (object_name, instance) in busy:
            continue
        counter, convert = _known(found, source) or _other(found, source)
        if counter.name in _FIGURES or len(header) <= MOST_OTHER_COUNTERS:
            columns.setdefault(counter, _Column(place=place, counter=counter, convert=convert))
    return list(columns.values())


def _key(found: re.Match[str]) -> tuple[str, str, str]:
    return found["object"].strip().lower(), found["counter"].strip().lower(), (found["instance"] or "").lower()


def _known(found: re.Match[str], source: str) -> tuple[Counter, Callable[[float], float]] | None:
    object_name, counter_name, instance = _key(found)
    known = _COUNTERS.get((object_name, counter_name))
    if known is None:
        return None
    figure, convert = known
    is_host = figure is HostFigure.CPU and instance == _TOTAL
    device = "" if is_host else found["instance"] or ""
    return Counter.of(figure, device, source or found["host"] or ""), convert


def _other(found: re.Match[str], source: str) -> tuple[Counter, Callable[[float], float]]:
    name = found["counter"].strip()
    unit = "%" if "%" in name else "1/s" if name.endswith("/sec") else ""
    title = f"{found['object'].strip()}: {name}"
    counter = Counter(source=source or found["host"] or "", device=found["instance"] or "", name=title, unit=unit)
    return counter, _as_it_is


def _as_it_is(value: float) -> float:
    return value


def _busy(idle_pct: float) -> float:
    return max(0.0, 100.0 - idle_pct)


def _megabits(bytes_per_second: float) -> float:
    return bytes_per_second * _BITS


_FIGURES = frozenset(figure.value for figure in HostFigure)
_IDLE, _DISK_TIME = "% idle time", "% disk time"
_COUNTERS: dict[tuple[str, str], tuple[HostFigure, Callable[[float], float]]] = {
    ("processor", "% processor time"): (HostFigure.CPU, _as_it_is),
    ("processor information", "% processor time"): (HostFigure.CPU, _as_it_is),
    ("hyper-v hypervisor logical processor", "% total run time"): (HostFigure.CPU, _as_it_is),
    ("physical cpu", "% util time"): (HostFigure.CPU, _as_it_is),
    **{
        (disk, counter): known
        for disk in ("physicaldisk", "logicaldisk")
        for counter, known in {
            "disk reads/sec": (HostFigure.DISK_READS, _as_it_is),
            "disk writes/sec": (HostFigure.DISK_WRITES, _as_it_is),
            "disk transfers/sec": (HostFigure.DISK_TRANSFERS, _as_it_is),
            _IDLE: (HostFigure.DISK_UTILISATION, _busy),
            _DISK_TIME: (HostFigure.DISK_UTILISATION, _as_it_is),
        }.items()
    },
    **{
        (disk, counter): (figure, _as_it_is)
        for disk in ("physical disk", "physical disk adapter", "physical disk scsi device", "virtual disk")
        for counter, figure in {
            "reads/sec": HostFigure.DISK_READS,
            "writes/sec": HostFigure.DISK_WRITES,
            "commands/sec": HostFigure.DISK_TRANSFERS,
        }.items()
    },
    **{
        (interface, f"bytes {way}/sec"): (figure, _megabits)
        for interface in ("network interface", "network adapter")
        for way, figure in {
            "total": HostFigure.NETWORK,
            "received": HostFigure.NETWORK_RECEIVED,
            "sent": HostFigure.NETWORK_SENT,
        }.items()
    },
    ("network port", "mbits received/sec"): (HostFigure.NETWORK_RECEIVED, _as_it_is),
    ("network port", "mbits transmitted/sec"): (HostFigure.NETWORK_SENT, _as_it_is),
}
"""The objects and counters, in lower case, whose figure is known. A disk's utilisation is what its idle time leaves of
100 %, as ``% Disk Time`` sums its waiting requests up and goes over 100."""
