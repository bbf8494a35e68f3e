"""What was measured of a host or by a power meter beside a run: an imported file, or what a collector has read."""

from dataclasses import dataclass

from engine.analysis.host.series import HostSeries


@dataclass(frozen=True, kw_only=True, eq=False)
class HostMeasurement:
    """One imported file, or what one collector has read. ``number`` counts within the run, from 1.

    ``kind`` names the program that wrote the file, and ``file_name`` has no folder; of a ``collector``, whose number in
    the run that is, they are ``live`` and the machine's name, and ``source`` is the way it was read, such as ``Linux
    over SSH``. ``shift_seconds`` is added to the times of every series,
    if the clock was behind the run's by so much; the stored series are as measured.
    """

    number: int
    kind: str
    file_name: str
    series: tuple[HostSeries, ...]
    shift_seconds: float = 0.0
    note: str = ""
    collector: int | None = None
    source: str = ""

    @property
    def reader(self) -> str:
        """What has read it: a collector's source, or the program that wrote the file."""
        return self.source or self.kind

    def machine_of(self, series: HostSeries) -> str:
        """What one of the series was measured at: the host that it names, else the file."""
        return series.source or self.file_name
