"""The watts of a run: measured by a meter, and typed into its configuration for the rest.

Called by the reports; ``engine.analysis.host.power`` and ``engine.analysis.host.figures`` compute the figures.
"""

from collections.abc import Sequence
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
from engine.record.record import RunRecord
from engine.telemetry.host_figure import HostFigure

_METER = "Meter"


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

    A meter's channel and a typed device are the same if they have the same name, in any case.
    """
    span = peak_span(run) if over is WattsOver.PEAK else measured_span(record.started_at, record.phases)
    measured: dict[str, DeviceWatts] = {}
    remarks: list[str] = []
    for measurement in host:
        for series in measurement.series:
            if span is None or series.name != HostFigure.POWER:
                continue
            device, watts, remark = _averaged(series, measurement.shift_seconds, span)
            if watts is not None:
                measured[device.casefold()] = DeviceWatts(device=device, active_watts=watts)
            remarks += [remark] if remark else []
    remarks += clock_remarks(record, run.sorted_events(), span) if measured else []
    return RunWatts(devices=_merged(measured, typed), remarks=tuple(remarks))


def _averaged(series: HostSeries, shift_seconds: float, span: UtcSpan) -> tuple[str, float | None, str]:
    device = series.device or series.source or _METER
    mean = mean_over(series, span, shift_seconds)
    return device, mean.mean, coverage_sentence(mean, f"Watts of {device}")


def _merged(measured: dict[str, DeviceWatts], typed: Sequence[DeviceWatts]) -> tuple[DeviceWatts, ...]:
    left = dict(measured)
    devices = []
    for each in typed:
        metered = left.pop(each.device.casefold(), None)
        active = each.active_watts if metered is None else metered.active_watts
        devices.append(DeviceWatts(device=each.device, active_watts=active, idle_watts=each.idle_watts))
    return (*devices, *left.values())
