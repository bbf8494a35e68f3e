"""Rows of the performance monitor's CSV as they arrive from a program on another machine, as readings."""

import csv
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo

from engine.analysis.host.counters import Quantity
from engine.analysis.host.performance_monitor import Column, columns_of
from engine.analysis.host.samples import Counter
from engine.analysis.host.times import HostClock
from engine.collect.program import StreamedProgram
from engine.collect.source import SourceReading
from engine.collect.sources.remote_clock import RemoteClock
from engine.errors import UserError
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

_FREE_MEMORY = ("Memory: Available MBytes", "Memory: Free MBytes")
_ROWS_BETWEEN_EXCHANGES = 10
_FIRST_LINE_SECONDS = 30.0
_LEAST_SILENCE_SECONDS = 15.0
_SILENT_INTERVALS = 5
# The change of a time zone's offset, or a clock that was set: the stamps' zone is then asked anew.
_MOST_JUMP_SECONDS = 600.0


def first_line(program: StreamedProgram, stop: threading.Event, machine: str) -> Sequence[str] | None:
    """The line that names the columns, and before which programs may write others; ``None`` at a stop."""
    said = ""
    for _ in range(20):
        line = program.line(stop, _FIRST_LINE_SECONDS)
        if line is None:
            return None
        if "(PDH-" in line.text[:20]:
            return next(csv.reader([line.text]))
        said = line.text or said
    raise UserError(f"{machine}: no counters came, but {said[:80]!r}; try the command there by hand.")


def columns_read(header: Sequence[str]) -> list[Column]:
    """All columns of a header that name a counter; free memory by its common name. Raises ``BadInput`` for none."""
    return [_with_common_name(column) for column in columns_of(header, "", with_others=True)]


def _with_common_name(column: Column) -> Column:
    if column.counter.name not in _FREE_MEMORY:
        return column
    figure = HostFigure.MEMORY_AVAILABLE
    quantity = Quantity(unit=figure.unit, factor=1024 * 1024 / 1e6, figure=figure)
    return replace(column, counter=Counter.of(figure), quantity=quantity)


def readings_of(
    program: StreamedProgram,
    columns: Sequence[Column],
    clock: RemoteClock,
    stop: threading.Event,
    *,
    machine: str,
    width: int,
    zone: tzinfo,
    interval_seconds: float,
    skipped_rows: int = 0,
) -> Iterator[SourceReading]:
    """A reading per row, at the time that it was stamped with there; rows that are cut short are left out.

    The first ``skipped_rows`` are, too. ``clock`` is asked at the first reading, and at every tenth. Raises
    ``UserError`` when rows no longer come, and when the stamps jump.
    """
    stamps = HostClock(zone)
    silence_seconds = max(_LEAST_SILENCE_SECONDS, _SILENT_INTERVALS * interval_seconds)
    usual_lag: float | None = None
    number = 0
    while (line := program.line(stop, silence_seconds)) is not None:
        row = next(csv.reader([line.text]), [])
        utc_seconds = stamps.utc_seconds(row[0]) if len(row) >= width else None
        if utc_seconds is None:
            continue
        if skipped_rows:
            skipped_rows -= 1
            continue
        lag = line.arrived_utc_seconds - utc_seconds
        usual_lag = lag if usual_lag is None else usual_lag
        if abs(lag - usual_lag) > _MOST_JUMP_SECONDS:
            raise UserError(f"{machine}: its clock was set, or its time zone has changed; it is read anew.")
        values = (
            HostValue(column.counter.device, column.counter.name, column.counter.unit, column.value(row))
            for column in columns
        )
        yield SourceReading(
            values=tuple(value for value in values if not math.isnan(value.value)),
            here_utc_seconds=line.arrived_utc_seconds,
            source_utc_seconds=utc_seconds,
            exchange=None if number % _ROWS_BETWEEN_EXCHANGES else clock.exchange(stop),
        )
        number += 1
