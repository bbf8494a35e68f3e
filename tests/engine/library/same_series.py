"""Whether two host series are the same, NaN for NaN: for the tests of this package."""

import numpy as np

from engine.analysis.host.series import HostSeries

_WORDS = ("source", "device", "name", "unit")


def same_series(one: HostSeries, other: HostSeries) -> bool:
    return all(getattr(one, word) == getattr(other, word) for word in _WORDS) and all(
        np.array_equal(getattr(one, field), getattr(other, field), equal_nan=True)
        for field in ("utc_seconds", "values")
    )
