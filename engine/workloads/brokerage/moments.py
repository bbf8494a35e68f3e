"""When the trades of a Brokerage store took place: the working days before the first run, eight hours each."""

import numpy as np

from engine.workload.rows.randomness import Whole

BUILT_FROM = np.datetime64("2025-01-06", "D")  # a Monday
TRADING_SECONDS = 8 * 3_600
_DAY_SECONDS = 24 * 3_600
_FIRST_OPENING = (BUILT_FROM + np.timedelta64(9, "h")).astype("datetime64[s]").astype(np.int64)
_WORKING_DAYS = 5
_WEEK = 7


def trading_moments(seconds: Whole) -> np.ndarray:
    """Converts seconds of trading time since the first opening, which exclude nights and weekends, to moments."""
    day = seconds // TRADING_SECONDS
    at = seconds - day * TRADING_SECONDS + _calendar_days(day) * _DAY_SECONDS
    at += _FIRST_OPENING
    return at.view("datetime64[s]")


def working_days(numbers: Whole) -> np.ndarray:
    """The dates of working days by number; 0 is the first trading day, negative numbers are days before it."""
    days: np.ndarray = BUILT_FROM + _calendar_days(numbers).view("timedelta64[D]")
    return days


def _calendar_days(working_days: Whole) -> Whole:
    """Converts a number of working days after a Monday to calendar days."""
    days: Whole = working_days + working_days // _WORKING_DAYS * (_WEEK - _WORKING_DAYS)
    return days
