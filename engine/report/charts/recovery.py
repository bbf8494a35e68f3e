"""The charts of a recovery: every second around a fault, and TPC-E's graph of one-minute bins.

Called by ``recovery_evidence``.
"""

import numpy as np

from engine.analysis.headline import Headline
from engine.analysis.recovery.baseline import Baseline
from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.tpc import MINUTE_SECONDS, SHARE
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.figure_text import counted, shortest
from engine.report.charts.run import low_bands, seconds_figure, tints
from engine.report.document import AxisFormat, ChartFigure, Level, Line, LineChart, LineStyle

_AROUND_SECONDS = 30
_TPC_HEIGHT_MM = 62.0
_LEAST_MINUTES = 2


def fault_figure(run: RunData, recovery: Recovery, settings: RecoverySettings) -> ChartFigure:
    """Every second from the baseline before a fault to the end of its account and relapses, with the threshold."""
    span, baseline = recovery.span, recovery.total.baseline
    first = max(0, span.first - settings.baseline_seconds)
    over = max([span.first, recovery.account_end, *(low.end for low in recovery.low_spans)])
    end = min(span.end, over + max(settings.after_seconds, _AROUND_SECONDS))
    low = low_bands(recovery)
    unknown = f"A second without a value is not known; it is not a second without {run.headline.many}."
    return seconds_figure(
        run,
        first,
        max(end, first + 1),
        caption="Every second around the fault.",
        level=_level(baseline, settings.threshold_pct),
        note=f"{unknown} {tints(run.headline)}" if low else unknown,
        low=low,
    )


def tpc_figure(run: RunData, recovery: Recovery) -> ChartFigure | None:
    """The whole minutes before and after a fault, overlaid with a common begin.

    The minutes after begin with the fault's second, those before end with it. The line is at 95 % of the baseline,
    which is used as TPC-E's reported throughput. ``None`` for fewer than two whole minutes after the fault.
    """
    span, baseline, measuring_from = recovery.span, recovery.total.baseline, run.phases.measuring_from or 0
    orders = run.series.by_second(run.headline.names.n)
    after = _minutes(run.headline, orders, span.first, span.end)
    if len(after) < _LEAST_MINUTES:
        return None
    before = _minutes(run.headline, orders, *_whole_minutes_before(measuring_from, span.first))[-len(after) :]
    lines = [_bins("After the fault", after)]
    if len(before):
        lines.append(_bins("Before the fault", before))
    return ChartFigure(
        caption="As TPC-E draws it: one-minute bins before and after the fault, overlaid.",
        chart=LineChart(
            x_label="Time since the fault, and since the first of the minutes before it, min:s",
            y_label=f"{run.headline.label} of each minute",
            lines=tuple(lines),
            level=_level(baseline, 100 * SHARE),
            x_format=AxisFormat.CLOCK,
            height_mm=_TPC_HEIGHT_MM,
            alt=f"Steps of the {run.headline.many} of {counted(len(after), 'minute')} after the fault"
            f" and of {counted(len(before), 'minute')} before it.",
        ),
        note="Only whole minutes are drawn. A minute with an unknown second is left out.",
    )


def _level(baseline: Baseline, share_pct: float) -> Level | None:
    """A share of the baseline; ``None`` if the baseline is refused."""
    if baseline.headline_rate is None or not baseline.is_usable:
        return None
    return Level(y=share_pct / 100 * baseline.headline_rate, label=f"{shortest(share_pct)} % of the baseline")


def _whole_minutes_before(first: int, end: int) -> tuple[int, int]:
    """The whole minutes that end with ``end`` and do not begin before ``first``."""
    return end - max(0, end - first) // MINUTE_SECONDS * MINUTE_SECONDS, end


def _minutes(headline: Headline, orders: Rates, first: int, end: int) -> Rates:
    """The headline rate of each whole minute from ``first`` on; NaN where one of its seconds is unknown."""
    count = max(0, min(end, len(orders)) - first) // MINUTE_SECONDS
    minutes = orders[first : first + count * MINUTE_SECONDS].reshape(count, MINUTE_SECONDS).sum(axis=1)
    rates: Rates = minutes * headline.metric.per_seconds / MINUTE_SECONDS
    return rates


def _bins(label: str, minutes: Rates) -> Line:
    """Bins as steps; the last value is repeated, so that its minute has a width."""
    edges = np.arange(len(minutes) + 1, dtype=np.float64) * MINUTE_SECONDS
    return Line(label=label, x=edges, y=np.append(minutes, minutes[-1]), style=LineStyle.STEPS)
