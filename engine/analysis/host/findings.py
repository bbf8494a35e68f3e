"""What the counters of hosts say about a run by written rules: a busy CPU or disk, a full link, swapping, lagging
replication.

Each finding has a code and data; ``engine.report.host_findings`` makes its sentence. The rules and their sources are on
the help page ``findings.md``, which names these limits. Called for documents, the terminal, result files and the page
of a stored run, of imported files and live readings alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from engine.analysis.host.busy_times import BusyTime, Limit, busy_times
from engine.analysis.host.figures import UtcSpan, measured_span
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import GAP_INTERVALS, HostSeries
from engine.record.record import RunRecord
from engine.telemetry.event import RunEvent
from engine.telemetry.host_figure import HostFigure


class FindingCode(StrEnum):
    """What was found, in the order in which it is shown; the values are in result files."""

    CPU_BUSY = "cpu busy"
    CPU_STOLEN = "cpu stolen"
    DISK_BUSY = "disk busy"
    MEMORY_SHORT = "memory short"
    SWAPPING = "swapping"
    NETWORK_FULL = "network full"
    REPLICATION_LAGGED = "replication lagged"
    REPLICATION_BEHIND_AT_FAULT = "replication behind at fault"


LIMITS = {
    FindingCode.CPU_BUSY: Limit(enter=95, leave=90, least_seconds=10),
    FindingCode.CPU_STOLEN: Limit(enter=10, leave=5, least_seconds=10),
    FindingCode.DISK_BUSY: Limit(enter=95, leave=85, least_seconds=10),
    FindingCode.MEMORY_SHORT: Limit(enter=10, leave=5, least_seconds=10),
    FindingCode.SWAPPING: Limit(enter=1, leave=0.1, least_seconds=5),
    FindingCode.NETWORK_FULL: Limit(enter=90, leave=80, least_seconds=10),
    FindingCode.REPLICATION_LAGGED: Limit(enter=10, leave=5, least_seconds=10),
}
LEAST_LAG_SECONDS = 1.0
_MOST_AGE_SECONDS = 10.0
_MOST_PCT = 101.0
_CODES: dict[str, FindingCode] = {
    HostFigure.CPU: FindingCode.CPU_BUSY,
    HostFigure.CPU_STEAL: FindingCode.CPU_STOLEN,
    HostFigure.DISK_UTILISATION: FindingCode.DISK_BUSY,
    HostFigure.MEMORY_PRESSURE: FindingCode.MEMORY_SHORT,
    HostFigure.SWAPPED_IN: FindingCode.SWAPPING,
    HostFigure.SWAPPED_OUT: FindingCode.SWAPPING,
    HostFigure.REPLICATION_LAG: FindingCode.REPLICATION_LAGGED,
}


@dataclass(frozen=True, kw_only=True)
class HostFinding:
    """A finding about a ``device`` (empty for the whole) of a ``machine`` in a run's measuring phase.

    ``at_seconds`` and ``until_seconds`` are seconds of the run: the longest time of ``times`` that are ``in_seconds``
    together; ``until_seconds`` is ``None`` if that lasted until the end of measuring. ``mean`` and
    ``highest`` are in ``unit`` over all times. Of a lag at a fault, all is of the moment of ``fault``, its event's
    number.
    """

    code: FindingCode
    figure: HostFigure
    machine: str
    device: str
    unit: str
    at_seconds: float
    until_seconds: float | None
    times: int
    in_seconds: float
    is_throughout: bool
    mean: float
    highest: float
    fault: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values for JSON."""
        return asdict(self) | {"code": self.code.value, "figure": self.figure.value}


def host_findings(
    record: RunRecord, events: Iterable[RunEvent], measurements: Iterable[HostMeasurement]
) -> list[HostFinding]:
    """The findings of a run whose measuring phase is over, by code and time; none before that."""
    span = measured_span(record.started_at, record.phases)
    if span is None:
        return []
    epoch = record.started_at.timestamp()
    faults = sorted((event for event in events if event.is_fault), key=lambda event: event.at_seconds)
    found = [
        (finding, measurement.collector)
        for measurement in measurements
        for finding in (*_over_limits(measurement, span, epoch), *_behind(measurement, faults, epoch))
    ]
    order = list(FindingCode)
    return sorted(_once(found), key=lambda each: (order.index(each.code), each.at_seconds, each.machine, each.device))


def _once(found: Iterable[tuple[HostFinding, int | None]]) -> Iterator[HostFinding]:
    """Each finding with the collector that its readings are of; what two of them say of a device is told once."""
    first: dict[tuple[FindingCode, HostFigure, str, str, int | None], int] = {}
    for finding, collector in found:
        what = (finding.code, finding.figure, finding.machine, finding.device, finding.fault)
        if collector is None or first.setdefault(what, collector) == collector:
            yield finding


def _over_limits(measurement: HostMeasurement, span: UtcSpan, epoch: float) -> Iterator[HostFinding]:
    for series in measurement.series:
        for code, judged in _judged(series, measurement.series):
            times = busy_times(judged, LIMITS[code], span, measurement.shift_seconds)
            if times:
                yield _finding(code, measurement, judged, times, span, epoch)


def _judged(series: HostSeries, others: Sequence[HostSeries]) -> Iterator[tuple[FindingCode, HostSeries]]:
    """The codes that apply to a series, each with the values that its limit is for."""
    code = _CODES.get(series.name)
    if code is not None:
        # A busy time is a share of the time. Windows' "% Disk Time" adds up waiting requests, which is none.
        if code is not FindingCode.DISK_BUSY or np.nan_to_num(series.values).max(initial=0.0) <= _MOST_PCT:
            yield code, series
    elif series.name in (HostFigure.NETWORK_RECEIVED, HostFigure.NETWORK_SENT):
        speed = next((each for each in others if _is_speed_of(each, series)), None)
        if speed is not None:
            yield FindingCode.NETWORK_FULL, _share(series, speed)


def _is_speed_of(speed: HostSeries, series: HostSeries) -> bool:
    return (speed.name, speed.source, speed.device) == (HostFigure.NETWORK_SPEED, series.source, series.device)


def _share(series: HostSeries, speed: HostSeries) -> HostSeries:
    """What an interface carried in one direction as a share of its speed at that time, %."""
    places = np.searchsorted(speed.utc_seconds, series.utc_seconds, side="right") - 1
    speeds = speed.values[np.clip(places, 0, len(speed.values) - 1)]
    shares = np.divide(100 * series.values, speeds, out=np.full(len(series.values), np.nan), where=speeds > 0)
    return HostSeries(
        source=series.source,
        device=series.device,
        name=series.name,
        unit="%",
        utc_seconds=series.utc_seconds,
        values=shares,
    )


def _finding(
    code: FindingCode,
    measurement: HostMeasurement,
    series: HostSeries,
    times: Sequence[BusyTime],
    span: UtcSpan,
    epoch: float,
) -> HostFinding:
    longest = max(times, key=lambda each: each.seconds)
    seconds = sum(each.seconds for each in times)
    # The last value of the phase may be missing, as collectors end with the run.
    late = GAP_INTERVALS * (series.interval_seconds or 1.0)
    lasts = longest.end >= span.end - late
    return HostFinding(
        code=code,
        figure=HostFigure(series.name),
        machine=measurement.machine_of(series),
        device=series.device,
        unit=series.unit,
        at_seconds=round(longest.first - epoch, 3),
        until_seconds=None if lasts else round(longest.end - epoch, 3),
        times=len(times),
        in_seconds=round(seconds, 3),
        is_throughout=lasts and longest.first <= span.first + late,
        mean=sum(each.mean * each.seconds for each in times) / seconds,
        highest=max(each.highest for each in times),
    )


def _behind(measurement: HostMeasurement, faults: Sequence[RunEvent], epoch: float) -> Iterator[HostFinding]:
    """The lag of each standby at each fault: what was last known of it before."""
    for series in measurement.series:
        if series.name != HostFigure.REPLICATION_LAG:
            continue
        known = ~np.isnan(series.values)
        moments = series.utc_seconds[known] + measurement.shift_seconds - epoch
        values = series.values[known]
        for fault in faults:
            place = int(np.searchsorted(moments, fault.at_seconds, side="right")) - 1
            is_known = place >= 0 and fault.at_seconds - moments[place] <= _MOST_AGE_SECONDS
            if is_known and values[place] >= LEAST_LAG_SECONDS:
                lag = float(values[place])
                yield HostFinding(
                    code=FindingCode.REPLICATION_BEHIND_AT_FAULT,
                    figure=HostFigure.REPLICATION_LAG,
                    machine=measurement.machine_of(series),
                    device=series.device,
                    unit=series.unit,
                    at_seconds=fault.at_seconds,
                    until_seconds=fault.at_seconds,
                    times=1,
                    in_seconds=0.0,
                    is_throughout=False,
                    mean=lag,
                    highest=lag,
                    fault=fault.number,
                )
