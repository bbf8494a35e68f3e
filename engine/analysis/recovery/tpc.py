"""The business recovery time of TPC-E: the throughput is back, and stays back for twenty minutes.

Source: TPC Benchmark E, Standard Specification, version 1.14.0, clauses 7.5.6 and 7.6: recovery ends with the first
moment T at which the mean throughput of the minute from T on and that of the twenty minutes from T on are both at least
95 % of the reported throughput. Here the baseline before the fault is used as the reported throughput, and the time
counts from the fault. Called by the recovery analysis.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.analysis.series.rates import Rates

MINUTE_SECONDS = 60
LONG_SECONDS = 20 * MINUTE_SECONDS
SHARE = 0.95
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class TpcRecovery:
    """The time from the fault to T, in seconds; ``None`` when there is no such T (yet).

    ``is_provisional`` until the twenty minutes from T on are over: later seconds may still move T.
    """

    recovered_seconds: float | None = None
    is_provisional: bool = False


def tpc_recovery_places(levels: Rates) -> list[tuple[int, bool] | None]:
    """For each row of levels by second, beginning with the fault's: the place of T, and whether it may still move.

    1 is the baseline, NaN unknown. The minute must be completely known; unknown seconds of the twenty minutes are left
    out. ``None`` where there is no T.
    """
    rows, seconds = levels.shape
    places = seconds - MINUTE_SECONDS + 1
    if places <= 0:
        return [None] * rows
    known = ~np.isnan(levels)
    sums, counts = _sums(np.where(known, levels, 0.0)), _sums(known)
    enough = SHARE - _ROUNDING
    short = _over(counts, MINUTE_SECONDS, places)
    holds = (short == MINUTE_SECONDS) & (_over(sums, MINUTE_SECONDS, places) >= enough * short)
    holds &= _over(sums, LONG_SECONDS, places) >= enough * _over(counts, LONG_SECONDS, places)
    first = holds.argmax(axis=1).tolist()
    return [(place, place + LONG_SECONDS > seconds) if holds[row, place] else None for row, place in enumerate(first)]


def _sums(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of all values before each place, and of all."""
    return np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))


def _over(sums: npt.NDArray[Any], seconds: int, places: int) -> npt.NDArray[Any]:
    """The sum of the ``seconds`` from each place on, or of fewer at the end."""
    over = -sums[:, :places]
    whole = max(0, min(places, sums.shape[1] - seconds))
    over[:, :whole] += sums[:, seconds : seconds + whole]
    over[:, whole:] += sums[:, -1:]
    return over
