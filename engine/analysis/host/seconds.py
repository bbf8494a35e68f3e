"""A host's series by second of a run, for charts on the run's time axis."""

import numpy as np

from engine.analysis.host.series import HostSeries
from engine.analysis.series.rates import Rates


def by_second(series: HostSeries, epoch_utc_seconds: float, seconds: int, shift_seconds: float = 0.0) -> Rates:
    """The values in the middle of each of the first ``seconds`` of a run whose second 0 began at ``epoch_utc_seconds``.

    NaN where unknown: in the series' gaps, and before and after it. ``shift_seconds`` is added to the series' times.
    """
    middles = np.arange(seconds) + 0.5 + epoch_utc_seconds - shift_seconds
    places = np.searchsorted(series.utc_seconds, middles, side="left")
    values: Rates = np.full(seconds, np.nan)
    inside = np.flatnonzero(places < len(series.utc_seconds))
    holding = inside[series.begins[places[inside]] <= middles[inside]]
    values[holding] = series.values[places[holding]]
    return values
