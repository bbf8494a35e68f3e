"""The readings of hosts as CSV."""

import csv
import io
from dataclasses import replace

import numpy as np

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.record.record import Phases
from engine.report.host_csv import HOST_COLUMNS, write_host_csv
from tests.engine.library.examples import STARTED_AT, a_finished_record


def test_a_row_for_each_known_value_with_its_moment() -> None:
    record = replace(a_finished_record(), started_at=STARTED_AT, phases=Phases(warming_up_from=0, measuring_from=2))
    series = HostSeries(
        source="db1",
        device="sda",
        name="Disk reads",
        unit="ops/s",
        utc_seconds=STARTED_AT.timestamp() + np.array([0.25, 1.25, 3.5]),
        values=np.array([10.0, np.nan, 12.5]),
    )
    measurement = HostMeasurement(number=3, kind="live", file_name="db1", series=(series,), shift_seconds=1.0)
    file = io.StringIO()
    write_host_csv(file, record, [measurement])

    header, *rows = csv.reader(io.StringIO(file.getvalue()))
    assert tuple(header) == HOST_COLUMNS
    first, second = (dict(zip(header, row, strict=True)) for row in rows)
    assert [first[name] for name in ("measurement", "kind", "file_name", "source", "device", "name", "unit")] == [
        *("3", "live", "db1", "db1", "sda", "Disk reads", "ops/s"),
    ]
    assert (first["second"], first["since_measuring_seconds"], first["value"]) == ("1.25", "-0.75", "10.0")
    assert (second["second"], second["since_measuring_seconds"], second["value"]) == ("4.5", "2.5", "12.5")
    assert second["utc"].endswith("+00:00")


def test_a_run_that_never_measured_has_no_seconds_since_then() -> None:
    series = HostSeries(
        source="", device="", name="Power", unit="W", utc_seconds=np.array([5.0]), values=np.array([99.0])
    )
    measurement = HostMeasurement(number=1, kind="power meter", file_name="m.csv", series=(series,))
    file = io.StringIO()
    write_host_csv(file, replace(a_finished_record(), phases=Phases()), [measurement])
    (row,) = csv.DictReader(io.StringIO(file.getvalue()))
    assert (row["since_measuring_seconds"], row["value"]) == ("", "99.0")
