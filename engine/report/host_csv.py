"""The readings of a run's hosts and meters as CSV, for scripts: imported files and what collectors read alike."""

import csv
import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, TextIO

from engine.analysis.host.measurement import HostMeasurement
from engine.record.clock import RunClock
from engine.record.record import RunRecord

HOST_COLUMNS = (
    *("measurement", "kind", "file_name", "source", "device", "name", "unit"),
    *("second", "since_measuring_seconds", "utc", "value"),
)


def write_host_csv(file: TextIO, record: RunRecord, measurements: Iterable[HostMeasurement]) -> None:
    """A row for each value, by measurement, counter and time; what is not known has no row.

    ``second`` counts from the run's start and has fractions; ``since_measuring_seconds`` counts from the second in
    which measuring began, and is empty in a run that never measured. ``utc`` is the same moment in ISO 8601, the
    measurement's shift included.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HOST_COLUMNS)
    writer.writerows(_rows(record, measurements))


def _rows(record: RunRecord, measurements: Iterable[HostMeasurement]) -> Iterator[list[Any]]:
    epoch, clock = record.started_at.timestamp(), RunClock.of(record.phases)
    for measurement in measurements:
        of_file = [measurement.number, measurement.kind, measurement.file_name]
        for series in measurement.series:
            of_series = [*of_file, series.source, series.device, series.name, series.unit]
            for utc_seconds, value in zip(series.utc_seconds.tolist(), series.values.tolist(), strict=True):
                if math.isnan(value):
                    continue
                moment = utc_seconds + measurement.shift_seconds
                second = round(moment - epoch, 6)
                since = round(second - clock.origin_second, 6) if clock.is_measuring else None
                utc = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
                yield [*of_series, second, since, utc, value]
