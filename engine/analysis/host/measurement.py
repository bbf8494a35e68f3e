"""What was measured beside a run, by its host's counters or a power meter, as the library keeps it with the run."""

from dataclasses import dataclass

from engine.analysis.host.series import HostSeries


@dataclass(frozen=True, kw_only=True, eq=False)
class HostMeasurement:
    """One imported file. ``number`` is its own within the run, from 1; ``kind`` says what wrote it.

    ``shift_seconds`` is added to the times of every series, for a clock that was so much behind the run's; the series
    themselves are as they were measured. ``file_name`` has no folder.
    """

    number: int
    kind: str
    file_name: str
    series: tuple[HostSeries, ...]
    shift_seconds: float = 0.0
    note: str = ""
