"""Measurements of hosts and power meters: imported from a file, and averaged over a run's phases.

Called by the command line and the window; files are read here and parsed by ``engine.analysis.host.files``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.cli.input_text import read_bytes
from engine.analysis.host.figures import (
    SpanMean,
    clock_remarks,
    coverage_sentences,
    is_sparse,
    mean_over,
    measured_span,
)
from engine.analysis.host.files import HostFile, read_host_file, text_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.errors import BadInput, Cancelled
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


@dataclass(frozen=True, kw_only=True)
class HostMean:
    """A series and its mean over the run's measuring phase; ``None`` without a measuring phase."""

    series: HostSeries
    mean: SpanMean | None


def read_host_path(path: Path, record: RunRecord, *, source: str = "", zone: tzinfo | None = None) -> HostFile:
    """The content of a host file; times without a zone are in ``zone``, or else in this machine's.

    Raises ``BadInput`` that names the file.
    """
    content = read_bytes(path)
    here = zone or record.started_at.astimezone().tzinfo
    assert here is not None
    try:
        return read_host_file(text_of(content), source=source, zone=here, near=record.started_at)
    except BadInput as error:
        raise BadInput(f"{path.name}: {error}") from None


def import_host_file(
    library: "Library",
    record: RunRecord,
    path: Path,
    *,
    source: str = "",
    zone: tzinfo | None = None,
    shift_seconds: float = 0.0,
    note: str = "",
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[HostMeasurement, HostFile]:
    """Store a file's measurements with a run; returns the stored measurement, and the file with its notes.

    Raises ``UserError``, and ``Cancelled``; nothing is stored then.
    """
    file = read_host_path(path, record, source=source, zone=zone)
    if cancelled():
        raise Cancelled
    kept = library.host.add(
        record.run_id, file.series, kind=file.kind.value, file_name=path.name, shift_seconds=shift_seconds, note=note
    )
    return kept, file


def host_means(record: RunRecord, measurement: HostMeasurement) -> Sequence[HostMean]:
    """The mean of each series over the run's measuring phase."""
    span = measured_span(record.started_at, record.phases)
    return [
        HostMean(series=each, mean=None if span is None else mean_over(each, span, measurement.shift_seconds))
        for each in measurement.series
    ]


def missing_sentences(measurement: HostMeasurement, means: Sequence[HostMean]) -> list[str]:
    """What is missing in a measurement's series; empty when nothing is."""
    return coverage_sentences(
        (each.mean, each.series.label) for each in means if not is_sparse(measurement, each.series)
    )


def host_remarks(library: "Library", record: RunRecord) -> list[str]:
    """What the workstation's clock did that affects these means, one sentence each."""
    span = measured_span(record.started_at, record.phases)
    return clock_remarks(record, library.events(record.run_id), span)


def zone_of(name: str) -> tzinfo:
    """A time zone by its IANA name, such as ``Europe/Berlin``. Raises ``BadInput``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(f"time zone is '{name}'; give one such as Europe/Berlin or UTC.") from None


def begins_at(measurement: HostMeasurement) -> datetime | None:
    """The time of a measurement's first value on the run's clock; ``None`` without values."""
    firsts = [each.utc_seconds[0] for each in measurement.series if len(each.utc_seconds)]
    if not firsts:
        return None
    return datetime.fromtimestamp(float(min(firsts)) + measurement.shift_seconds).astimezone()
