"""When the trades of a Brokerage store took place: the working days before the first run, eight hours each."""

import numpy as np

from engine.workload.rows.randomness import Whole

BUILT_FROM = np.datetime64("2025-01-06", "D")  # a Monday
TRADING_SECONDS = 8 * 3_600
_OPENS_SECONDS = 9 * 3_600
_WORKING_DAYS = 5
_WEEK = 7


def trading_moments(seconds: Whole) -> np.ndarray:
    """The moments of so many seconds of trading after the first opening; without weekends and nights."""
    day, second = np.divmod(seconds, TRADING_SECONDS)
    moments: np.ndarray = working_days(day).astype("datetime64[s]") + (second + _OPENS_SECONDS).astype("timedelta64[s]")
    return moments


def working_days(numbers: Whole) -> np.ndarray:
    """The working days of these numbers, of which 0 is the first day of trading; negative ones come before it."""
    week, day = np.divmod(numbers, _WORKING_DAYS)
    days: np.ndarray = BUILT_FROM + (week * _WEEK + day).astype("timedelta64[D]")
    return days
