"""What a chart shades after a fault: the black-outs and brown-outs of all clients together.

Called by whoever draws a run's orders with its faults.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.analysis.recovery_figures import Recovery
from engine.analysis.run_data import RunData


@dataclass(frozen=True)
class DipSpan:
    """The seconds ``first <= second < end`` of a dip: without any order, or with orders under the threshold."""

    first: int
    end: int
    is_blackout: bool


def dip_spans(run: RunData, recovery: Recovery) -> list[DipSpan]:
    """The dip from its first low second to the recovery, or as far as it is known, parted by its black-outs.

    Without a baseline there is no telling what is low: then only black-outs are told, of all seconds of the fault.
    """
    span, has_baseline = recovery.span, recovery.total.baseline.is_usable
    began, recovered = recovery.dip_began_second, recovery.recovered_second
    if has_baseline and began is None:
        return []
    first = span.first if began is None else began
    end = span.end if recovered is None else recovered
    is_out = run.series.by_second("orders", first=first, end=end) == 0
    edges = [0, *(np.flatnonzero(is_out[1:] != is_out[:-1]) + 1).tolist(), len(is_out)]
    spans = [
        DipSpan(first + begin, first + stop, bool(is_out[begin])) for begin, stop in pairwise(edges) if stop > begin
    ]
    return [each for each in spans if has_baseline or each.is_blackout]
