"""The common part of the readers of host files: samples by counter become series, and problems become sentences."""

import csv
import math
import re
from dataclasses import dataclass

import numpy as np

from engine.analysis.host.series import HostSeries
from engine.errors import BadInput
from engine.telemetry.host_figure import HostFigure

_THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Counter:
    """A counter: the fields of a ``HostSeries`` without its samples."""

    source: str
    device: str
    name: str
    unit: str

    @classmethod
    def of(cls, figure: HostFigure, device: str = "", source: str = "") -> "Counter":
        return cls(source=source, device=device, name=figure.value, unit=figure.unit)


class Samples:
    """The samples of one file, by counter."""

    def __init__(self) -> None:
        self._times: dict[Counter, list[float]] = {}
        self._values: dict[Counter, list[float]] = {}
        self._problems: dict[str, list[int]] = {}

    def add(self, counter: Counter, utc_seconds: float, value: float, line: int) -> None:
        """Add a value, NaN when it is missing. One that is not later than the one before is left out and reported."""
        times = self._times.setdefault(counter, [])
        values = self._values.setdefault(counter, [])
        if times and utc_seconds <= times[-1]:
            self.problem("not later than the one before, as of a clock that was set back, and left out", line)
            return
        times.append(utc_seconds)
        values.append(value)

    def problem(self, what: str, line: int) -> None:
        """Note that a line is ``what``, such as ``too short and left out``."""
        lines = self._problems.setdefault(what, [])
        if not lines or lines[-1] != line:
            lines.append(line)

    def notes(self) -> tuple[str, ...]:
        """A sentence for each kind of problem, with its first line."""
        return tuple(
            f"Line {lines[0]} is {what}."
            if len(lines) == 1
            else f"{len(lines)} lines, the first of them line {lines[0]}, are {what}."
            for what, lines in self._problems.items()
        )

    def series(self) -> tuple[HostSeries, ...]:
        """The series that have a value, in the order of their first samples.

        Single processors are left out if the file has the total of the host.
        """
        hosts = {counter.source for counter in self._times if _is_cpu(counter) and not counter.device}
        return tuple(
            HostSeries(
                source=counter.source,
                device=counter.device,
                name=counter.name,
                unit=counter.unit,
                utc_seconds=np.array(times, dtype=np.float64),
                values=np.array(self._values[counter], dtype=np.float64),
            )
            for counter, times in self._times.items()
            if not (_is_cpu(counter) and counter.device and counter.source in hosts)
            and not all(math.isnan(value) for value in self._values[counter])
        )


def found_series(samples: Samples, of: str) -> tuple[HostSeries, ...]:
    """The series of a file of that kind. Raises ``BadInput`` if there is none."""
    series = samples.series()
    if not series:
        problems = " ".join(("", *samples.notes()))
        raise BadInput(
            f"the {of} file holds no sample of CPU, disks, network or watts; export those counters.{problems}"
        )
    return series


def csv_rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The non-empty rows of a CSV with their line numbers. Raises ``BadInput`` for an invalid one."""
    reader = csv.reader(text.lstrip("\ufeff").splitlines(), delimiter=delimiter)
    try:
        return [(reader.line_num, row) for row in reader if any(row)]
    except csv.Error:
        raise BadInput(f"line {reader.line_num} can't be split into fields; export the file as CSV again.") from None


def number_of(text: str) -> float:
    """A number with a decimal point or comma; NaN when it is empty or invalid.

    A single comma is the decimal sign; commas are thousands separators if there is also a point, or several commas.
    """
    plain = text.strip()
    if _THOUSANDS.fullmatch(plain) and ("." in plain or plain.count(",") > 1):
        plain = plain.replace(",", "")
    elif "," in plain:
        plain = plain.replace(".", "").replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _is_cpu(counter: Counter) -> bool:
    return counter.name == HostFigure.CPU.value
