"""The spans that charts shade after a fault: seconds in which all clients together were below the threshold.

Called by the recovery analysis.
"""

from itertools import pairwise

import numpy as np

from engine.analysis.recovery.figures import DipSpan
from engine.analysis.recovery.levels import ROUNDING
from engine.analysis.recovery.view import FaultView

_NEITHER, _LOW, _OUT = range(3)


def dip_spans(view: FaultView) -> tuple[DipSpan, ...]:
    """The low seconds of the dip and of each relapse, divided by blackouts; unknown seconds are not included.

    Without a baseline only blackouts can be determined, over all seconds of the fault.
    """
    dip, places = view.dips[0], view.span.seconds
    if not view.is_judged(0):
        return tuple(span for span in _between(view, 0, places) if span.is_blackout)
    if dip.began is None:
        return ()
    falls = [(dip.began, dip.recovered), *((fall.begin, fall.end) for fall in dip.relapses)]
    return tuple(span for begin, end in falls for span in _between(view, begin, places if end is None else end))


def _between(view: FaultView, begin: int, end: int) -> list[DipSpan]:
    low = np.where(view.levels[0, begin:end] < view.settings.threshold - ROUNDING, _LOW, _NEITHER)
    kinds = np.where(view.taken(0)[begin:end] == 0, _OUT, low)
    first = view.span.first + begin
    edges = [0, *(np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist(), len(kinds)]
    return [
        DipSpan(first + start, first + stop, bool(kinds[start] == _OUT))
        for start, stop in pairwise(edges)
        if stop > start and kinds[start] != _NEITHER
    ]
