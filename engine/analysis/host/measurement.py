"""An imported file of a host's counters or a power meter, as the library stores it with a run."""

from dataclasses import dataclass

from engine.analysis.host.series import HostSeries


@dataclass(frozen=True, kw_only=True, eq=False)
class HostMeasurement:
    """One imported file. ``number`` counts within the run, from 1; ``kind`` names the program that wrote it.

    ``shift_seconds`` is added to the times of every series, if the clock was behind the run's by so much; the stored
    series are as measured. ``file_name`` has no folder.
    """

    number: int
    kind: str
    file_name: str
    series: tuple[HostSeries, ...]
    shift_seconds: float = 0.0
    note: str = ""
