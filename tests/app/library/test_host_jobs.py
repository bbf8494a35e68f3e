from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from app.library.host_jobs import begins_at, host_means, import_host_file, missing_sentences, read_host_path, zone_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.errors import BadInput
from engine.library.library import Library
from engine.record.record import Phases
from tests.app.runs import STARTED_AT, a_run, keep


def measurement(values: list[float], *, first: float = 0.0, shift_seconds: float = 0.0) -> HostMeasurement:
    """Watts by second of the run's clock."""
    times = STARTED_AT.timestamp() + first + np.arange(len(values))
    series = HostSeries(source="", device="", name="Power", unit="W", utc_seconds=times, values=np.array(values))
    return HostMeasurement(
        number=1, kind="power meter", file_name="m.csv", series=(series,), shift_seconds=shift_seconds
    )


def test_a_file_is_kept_under_its_name_without_its_folder(home: Path, tmp_path: Path) -> None:
    record = a_run()
    keep(home, record)
    path = tmp_path / "meter.csv"
    path.write_text("time,watts\n2026-11-21 05:30:20,390\n2026-11-21 05:30:21,391\n", encoding="utf-8")
    with Library.open(home / "library.sqlite", notify=print) as library:
        kept, file = import_host_file(library, record, path, source="R630", zone=zone_of("Europe/Berlin"))
        (found,) = library.host.of_run(record.run_id)
    assert (found.file_name, found.series[0].source, file.has_zone) == ("meter.csv", "R630", False)
    assert found.number == kept.number == 1
    assert datetime.fromtimestamp(found.series[0].utc_seconds[0], UTC) == datetime(2026, 11, 21, 4, 30, 20, tzinfo=UTC)


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "meter.blg"
    path.write_bytes(b"\0" * 100)
    with pytest.raises(BadInput, match=r"^meter\.blg: the file is not text; convert a \.blg with relog"):
        read_host_path(path, a_run())


def test_means_are_those_of_the_measuring_phase_after_the_shift() -> None:
    watts = [300.0] * 4 + [400.0] * 6 + [300.0] * 5
    means = (mean,) = host_means(a_run(), measurement(watts))
    assert mean.mean is not None
    assert (mean.mean.mean, missing_sentences(measurement(watts), means)) == (400.0, [])
    (late,) = host_means(a_run(), measurement(watts, first=-90, shift_seconds=90))
    assert late.mean == mean.mean


def test_without_a_measuring_phase_there_is_no_mean() -> None:
    means = (mean,) = host_means(a_run(phases=Phases()), measurement([300.0]))
    assert mean.mean is None
    assert missing_sentences(measurement([300.0]), means) == ["Power: the run has no measuring phase to average over."]


def test_a_measurement_begins_by_the_runs_clock() -> None:
    begins = begins_at(measurement([1.0], first=-90, shift_seconds=90))
    assert begins == STARTED_AT
    assert begins_at(measurement([])) is None


def test_a_zone_goes_by_its_name() -> None:
    assert zone_of("Europe/Berlin") == ZoneInfo("Europe/Berlin")
    for name in ("Mars/Base", "", "../etc/passwd"):
        with pytest.raises(BadInput, match="zone is"):
            zone_of(name)
