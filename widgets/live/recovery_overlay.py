"""The recovery on the headline chart: baseline and threshold as dashed levels, low seconds shaded."""

from collections.abc import Sequence
from operator import attrgetter

from engine.analysis.recovery.figures import Recovery
from engine.analysis.series.headline_curves import Reading
from widgets.parts.chart.layers import Level, Span
from widgets.parts.chart.time_chart import TimeChart

_BASELINE, _THRESHOLD, _BEFORE = "baseline", "threshold", "before"
_BLACKOUT, _BROWNOUT = attrgetter("bad"), attrgetter("warning")


class RecoveryOverlay:
    """Owns the chart's levels and spans; the chart is drawn again only when they changed."""

    def __init__(self, chart: TimeChart) -> None:
        self._chart = chart
        self._spans: tuple[Span, ...] = ()
        self._levels: dict[str, Level] = {}

    def forget(self) -> None:
        """The chart was cleared."""
        self._spans, self._levels = (), {}

    def show(
        self,
        recoveries: Sequence[Recovery],
        shown: Recovery | None,
        reading: Reading,
        threshold_pct: float,
    ) -> None:
        """Shade the low seconds of every fault's dip and relapses, and draw the levels of the ``shown`` one."""
        spans = tuple(span for recovery in recoveries for span in _spans(recovery))
        if spans != self._spans:
            self._spans = spans
            self._chart.plot.set_spans(spans)
        levels = {} if shown is None else _levels(shown, reading, threshold_pct)
        for key in (_BASELINE, _THRESHOLD, _BEFORE):
            if levels.get(key) != self._levels.get(key):
                self._chart.set_level(key, levels.get(key))
        self._levels = levels


def _spans(recovery: Recovery) -> list[Span]:
    return [
        Span(first=span.first, end=span.end, colour=_BLACKOUT if span.is_blackout else _BROWNOUT)
        for span in recovery.low_spans
    ]


def _levels(recovery: Recovery, reading: Reading, threshold_pct: float) -> dict[str, Level]:
    """The running headline has no baseline: its level is its value at the fault."""
    baseline, published = recovery.total.baseline, recovery.total.published
    if reading is Reading.RUNNING:
        before = published.headline_rate_before
        first = float(recovery.span.first)
        return {} if before is None else {_BEFORE: Level(value=before, label="at the fault", first=first)}
    if baseline.headline_rate is None or not baseline.is_usable:
        return {}
    first = float(baseline.first_second)
    threshold = baseline.headline_rate * threshold_pct / 100
    return {
        _BASELINE: Level(value=baseline.headline_rate, label="baseline", first=first),
        _THRESHOLD: Level(value=threshold, label=f"{threshold_pct:g} %", first=first),
    }
