"""Relapses: when and for how long a level fell again after its first recovery, how deep, and what limited the run
meanwhile.

Called by the recovery analysis.
"""

import numpy as np

from engine.analysis.limits import limits_between
from engine.analysis.recovery.figures import Relapse
from engine.analysis.recovery.levels import ROUNDING, Fall
from engine.analysis.recovery.view import FaultView


def relapses_of(view: FaultView, row: int) -> tuple[Relapse, ...]:
    """The relapses of all clients together (row 0) or of one, in their order."""
    return tuple(_relapse(view, row, fall) for fall in view.dips[row].relapses)


def _relapse(view: FaultView, row: int, fall: Fall) -> Relapse:
    end = view.span.seconds if fall.end is None else fall.end
    first = view.span.first
    levels, orders = view.levels[row, fall.begin : end], view.taken(row)[fall.begin : end]
    known = levels[~np.isnan(levels)]
    return Relapse(
        begins_at_seconds=first + fall.begin,
        after_seconds=view.span.after_fault(first + fall.begin),
        lasts_seconds=end - fall.begin,
        is_over=fall.end is not None,
        below_seconds=int(np.count_nonzero(levels < view.settings.threshold - ROUNDING)),
        blackout_seconds=int(np.count_nonzero(orders == 0)),
        lowest_second_pct=100 * float(known.min()) if len(known) else None,
        transactions_not_taken=_missed(view, row, fall.begin, end),
        limits=limits_between(view.run, first + fall.begin, first + end),
    )


def _missed(view: FaultView, row: int, begin: int, end: int) -> float:
    """The area between the baseline and the orders, over the known seconds."""
    rows = slice(row - 1, row) if row else slice(None)
    rates = view.baselines.rates[rows, np.newaxis]
    return float(np.nansum(rates - view.orders[rows, begin:end]))
