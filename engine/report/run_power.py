"""The watts of a run: measured by a meter, and typed into its configuration for the rest.

Called by the reports; ``engine.analysis.host.power`` and ``engine.analysis.host.figures`` compute the figures.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.analysis.headline import Headline
from engine.analysis.host.figures import (
    UtcSpan,
    clock_remarks,
    coverage_sentence,
    mean_over,
    measured_span,
    peak_span,
)
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.power import DeviceWatts
from engine.analysis.host.series import HostSeries
from engine.analysis.run_data import RunData
from engine.machines.meters import best_meter
from engine.record.record import RunRecord
from engine.telemetry.host_figure import HostFigure

_METER = "Meter"
_Shifted = tuple[HostSeries, float]
_Measured = tuple[str, float | None, str]
"""A device, its watts, and a remark on them."""


class WattsOver(StrEnum):
    """The part of a run over which a meter's watts are averaged; the value is the word of ``spindle report``."""

    MEASURED = "measured"
    PEAK = "peak"

    def in_words(self, headline: Headline) -> str:
        """The part in a sentence: ``the measuring phase``."""
        return f"the 10 s with the most {headline.many}" if self is WattsOver.PEAK else "the measuring phase"


@dataclass(frozen=True, kw_only=True)
class RunWatts:
    """The devices of a run, and remarks on the meter's values, a sentence each."""

    devices: tuple[DeviceWatts, ...] = ()
    remarks: tuple[str, ...] = ()


def run_watts(
    record: RunRecord,
    run: RunData,
    host: Sequence[HostMeasurement],
    typed: Sequence[DeviceWatts],
    over: WattsOver = WattsOver.MEASURED,
) -> RunWatts:
    """Each device's watts: active as its meter measured them, else as typed; idle as typed.

    A device is a channel of an imported meter's, or a machine that the run has read: by its best meters, whose channels
    are added up. It and a typed device are the same if they have the same name, in any case.
    """
    span = peak_span(run) if over is WattsOver.PEAK else measured_span(record.started_at, record.phases)
    found = [] if span is None else [*_imported(host, span), *_machines(record, host, span)]
    measured = {
        device.casefold(): DeviceWatts(device=device, active_watts=watts)
        for device, watts, _ in found
        if watts is not None
    }
    remarks = [remark for _, _, remark in found if remark]
    remarks += clock_remarks(record, run.sorted_events(), span) if measured else []
    return RunWatts(devices=_merged(measured, typed), remarks=tuple(remarks))


def _imported(host: Sequence[HostMeasurement], span: UtcSpan) -> Iterator[_Measured]:
    for measurement in host:
        for series in measurement.series if measurement.collector is None else ():
            if series.name == HostFigure.POWER:
                yield _averaged(series.device or series.source or _METER, [(series, measurement.shift_seconds)], span)


def _machines(record: RunRecord, host: Sequence[HostMeasurement], span: UtcSpan) -> Iterator[_Measured]:
    """The machines that the run has read; a machine's best meters count, and no others."""
    described = record.environment.get("machines") or ()
    kinds = {source["collector"]: source["access"] for machine in described for source in machine["sources"]}
    read: dict[str, dict[str, list[_Shifted]]] = {}
    for measurement in host:
        power = [(each, measurement.shift_seconds) for each in measurement.series if each.name == HostFigure.POWER]
        if measurement.collector is not None and power:
            by_kind = read.setdefault(measurement.file_name, {})
            by_kind.setdefault(kinds.get(measurement.collector, ""), []).extend(power)
    for machine, by_kind in read.items():
        yield _averaged(machine, by_kind[best_meter(by_kind) or next(iter(by_kind))], span)


def _averaged(device: str, parts: Sequence[_Shifted], span: UtcSpan) -> _Measured:
    """The sum of the parts' means; unknown, with the reason, when that of one of them is."""
    means = [mean_over(series, span, shift_seconds) for series, shift_seconds in parts]
    remark = next(filter(None, (coverage_sentence(mean, f"Watts of {device}") for mean in means)), "")
    known = [mean.mean for mean in means if mean.mean is not None]
    return device, math.fsum(known) if len(known) == len(means) else None, remark


def _merged(measured: dict[str, DeviceWatts], typed: Sequence[DeviceWatts]) -> tuple[DeviceWatts, ...]:
    left = dict(measured)
    devices = []
    for each in typed:
        metered = left.pop(each.device.casefold(), None)
        active = each.active_watts if metered is None else metered.active_watts
        devices.append(DeviceWatts(device=each.device, active_watts=active, idle_watts=each.idle_watts))
    return (*devices, *left.values())
