"""What hosts did in each stage of a run's load: processors busy, disks idle, as published step tests have them.

Called by reports.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.analysis.host.figures import UtcSpan, mean_over
from engine.analysis.host.measurement import HostMeasurement
from engine.record.totals import StageTotals
from engine.telemetry.host_figure import HostFigure


@dataclass(frozen=True, kw_only=True)
class StageHosts:
    """A host's figure by stage, in per cent, each stage after its settling time; ``None`` is unknown."""

    label: str
    values: tuple[float | None, ...]


def stage_hosts(
    stages: Sequence[StageTotals], started_at: datetime, measurements: Iterable[HostMeasurement]
) -> list[StageHosts]:
    """The processors' use of each host, and the idle time of its busiest disk."""
    spans = [_span(started_at, each) for each in stages]
    cpu: dict[str, list[float | None]] = {}
    busy: dict[str, list[float | None]] = {}
    by_figure = {HostFigure.CPU.value: cpu, HostFigure.DISK_UTILISATION.value: busy}
    for measurement in measurements:
        for series in measurement.series:
            of = by_figure.get(series.name)
            if of is None or (of is cpu and series.device):  # a single processor
                continue
            means = [mean_over(series, span, measurement.shift_seconds).mean for span in spans]
            host = measurement.machine_of(series)
            of[host] = [_higher(*each) for each in zip(of.get(host, [None] * len(spans)), means, strict=True)]
    found = [StageHosts(label=f"CPU {host}", values=tuple(values)) for host, values in cpu.items()]
    found += [
        StageHosts(label=f"Disk idle {host}", values=tuple(_idle(value) for value in values))
        for host, values in busy.items()
    ]
    return [each for each in found if any(value is not None for value in each.values)]


def _span(started_at: datetime, stage: StageTotals) -> UtcSpan:
    epoch = started_at.timestamp()
    return UtcSpan(first=epoch + stage.first_second, end=epoch + stage.first_second + stage.seconds)


def _higher(one: float | None, other: float | None) -> float | None:
    return max((each for each in (one, other) if each is not None), default=None)


def _idle(busy: float | None) -> float | None:
    return None if busy is None else max(0.0, 100.0 - busy)
