"""What was measured beside a run, by its host or a power meter: taken in from a file, and averaged over its phases.

The command line and the window call it; a file is read here and understood by ``engine.analysis.host.files``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.cli.input_text import read_bytes
from engine.analysis.host.figures import SpanMean, clock_remarks, coverage_sentence, mean_over, measured_span
from engine.analysis.host.files import HostFile, read_host_file, text_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.errors import BadInput, Cancelled
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


@dataclass(frozen=True, kw_only=True)
class HostMean:
    """A series and what it was while the run was measured; ``None`` when it has no measuring phase."""

    series: HostSeries
    mean: SpanMean | None

    @property
    def sentence(self) -> str:
        """What is missing of it, in one sentence; empty when nothing is."""
        if self.mean is None:
            return f"{self.series.label}: the run has no measuring phase to average over."
        return coverage_sentence(self.mean, self.series.label)


def read_host_path(path: Path, record: RunRecord, *, source: str = "", zone: tzinfo | None = None) -> HostFile:
    """What a file beside a run holds; times that name no zone are those of ``zone``, else of this machine.

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
    """Keep what a file holds with a run; the kept measurement, and the file with its notes.

    Raises ``UserError``, and ``Cancelled``: then nothing is kept.
    """
    file = read_host_path(path, record, source=source, zone=zone)
    if cancelled():
        raise Cancelled
    kept = library.host.add(
        record.run_id, file.series, kind=file.kind.value, file_name=path.name, shift_seconds=shift_seconds, note=note
    )
    return kept, file


def host_means(record: RunRecord, measurement: HostMeasurement) -> Sequence[HostMean]:
    """Each series of a measurement averaged over the run's measuring phase."""
    span = measured_span(record.started_at, record.phases)
    return [
        HostMean(series=each, mean=None if span is None else mean_over(each, span, measurement.shift_seconds))
        for each in measurement.series
    ]


def host_remarks(library: "Library", record: RunRecord) -> list[str]:
    """What the workstation's clocks did that these means are off by, a sentence each."""
    span = measured_span(record.started_at, record.phases)
    return clock_remarks(record, library.events(record.run_id), span)


def zone_of(name: str) -> tzinfo:
    """A time zone by its name in the IANA database, such as ``Europe/Berlin``. Raises ``BadInput``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(f"time zone is '{name}'; give one such as Europe/Berlin or UTC.") from None


def begins_at(measurement: HostMeasurement) -> datetime | None:
    """When the first value of a measurement was taken, by the run's clock; ``None`` when it has none."""
    firsts = [each.utc_seconds[0] for each in measurement.series if len(each.utc_seconds)]
    if not firsts:
        return None
    return datetime.fromtimestamp(float(min(firsts)) + measurement.shift_seconds).astimezone()
