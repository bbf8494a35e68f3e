"""Finds the run that a file of host figures belongs to: the one that it overlaps most."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.library.host_jobs import read_host_path
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


def likeliest_run(library: "Library", path: Path) -> str:
    """The id of the run that a file overlaps most, or of the newest run if it overlaps none; empty without runs.

    Raises ``BadInput`` for a file without host figures.
    """
    records = library.runs()
    if not records:
        return ""
    series = read_host_path(path, records[0]).series
    first = min(float(each.utc_seconds[0]) for each in series)
    last = max(float(each.utc_seconds[-1]) for each in series)
    return max(records, key=lambda record: _shared_seconds(record, first, last)).run_id


def _shared_seconds(record: RunRecord, first: float, last: float) -> float:
    begin = record.started_at.timestamp()
    end = begin if record.ended_at is None else record.ended_at.timestamp()
    return max(0.0, min(end, last) - max(begin, first))
