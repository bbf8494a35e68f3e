"""Where a run is after a fault, with running clocks, and one sentence that says so: steady, down, degraded, recovered.

Called by the recovery analysis, live and after the run alike.
"""

import numpy as np

from engine.analysis.baseline import Baseline
from engine.analysis.recovery_figures import Clocks, RecoveryState
from engine.analysis.recovery_levels import Dip
from engine.analysis.recovery_settings import RecoverySettings
from engine.analysis.recovery_span import Ending, FaultSpan
from engine.analysis.series import Rates


def state_of(orders: Rates, baseline: Baseline, dip: Dip, span: FaultSpan, settings: RecoverySettings) -> RecoveryState:
    """The state as of the span's end; ``orders`` by second, NaN unknown, begin with the fault's second."""
    goes_on = span.ending is Ending.GOES_ON
    if not baseline.is_usable:
        was_ordering = bool(baseline.orders_per_second)
        return RecoveryState.DOWN if goes_on and was_ordering and _is_zero(orders) else RecoveryState.NOT_JUDGED
    if dip.began is None:
        is_too_short = not goes_on and int(np.count_nonzero(~np.isnan(orders))) < settings.hold_seconds
        return RecoveryState.NOT_JUDGED if is_too_short else RecoveryState.STEADY
    if dip.recovered is not None:
        return RecoveryState.RECOVERED
    if not goes_on:
        return RecoveryState.NOT_RECOVERED
    return RecoveryState.DOWN if _is_zero(orders) else RecoveryState.DEGRADED


def clocks_of(
    state: RecoveryState, orders: Rates, levels: Rates, dip: Dip, span: FaultSpan, threshold: float
) -> Clocks:
    """The clocks of a state; ``levels`` are the orders as shares of the baseline."""
    begin = 0 if dip.began is None else dip.began
    end = len(orders) if dip.recovered is None else dip.recovered
    is_down = orders[begin:end] == 0
    is_degraded = (orders[begin:end] > 0) & (levels[begin:end] < threshold)
    has_dip = dip.began is not None
    return Clocks(
        elapsed_seconds=span.after_fault(span.end),
        in_state_seconds=span.after_fault(span.end) - span.after_fault(span.first + _since(state, orders, dip)),
        down_seconds=int(np.count_nonzero(is_down)) if has_dip or state is RecoveryState.DOWN else 0,
        degraded_seconds=int(np.count_nonzero(is_degraded)) if has_dip else 0,
        recovered_after_seconds=None if dip.recovered is None else span.after_fault(span.first + dip.recovered),
    )


def sentence_of(
    state: RecoveryState, clocks: Clocks, baseline: Baseline, dip: Dip, span: FaultSpan, settings: RecoverySettings
) -> str:
    """The state in one sentence, with what ended the waiting when that was not a recovery."""
    threshold = f"{settings.threshold_pct:g} % of the baseline"
    if state is RecoveryState.NOT_JUDGED:
        return baseline.refusal or f"{_ended(span)}, too early to assess the fault."
    if state is RecoveryState.STEADY:
        so_far = " so far" if span.ending is Ending.GOES_ON else ""
        return f"The fault had no effect on the orders{so_far}: they did not stay under {threshold}."
    if state is RecoveryState.DOWN:
        return f"No orders for {clocks.in_state_seconds:.0f} s."
    if state is RecoveryState.DEGRADED:
        return f"Orders are placed, but not yet {threshold} for {settings.hold_seconds} s."
    if state is RecoveryState.RECOVERED:
        back = "" if not dip.relapses else f", after falling back {_times(dip.relapses)}"
        return f"Recovered after {clocks.recovered_after_seconds:.0f} s{back}."
    return f"{_not_recovered(span)} {_ended(span)}."


def _not_recovered(span: FaultSpan) -> str:
    if span.ending is Ending.NEXT_FAULT:
        return "Not recovered before the next fault."
    if span.ending is Ending.HORIZON:
        return "Not recovered within the time considered."
    return "Not recovered within the run."


def _ended(span: FaultSpan) -> str:
    seconds = f"{span.after_fault(span.end):.0f} s"
    if span.next_fault is not None:
        later = span.next_fault.at_seconds - span.fault.at_seconds
        return f"The next fault, {span.next_fault.label}, came {later:.0f} s later"
    if span.ending is Ending.HORIZON:
        return f"That is {seconds} from the fault on"
    return f"Measuring ended {seconds} after the fault"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _is_zero(orders: Rates) -> bool:
    """Whether there was no order in the newest known second."""
    known = orders[~np.isnan(orders)]
    return bool(len(known) and known[-1] == 0)


def _since(state: RecoveryState, orders: Rates, dip: Dip) -> int:
    """The place at which a state began."""
    if state is RecoveryState.RECOVERED and dip.recovered is not None:
        return dip.recovered
    if state not in (RecoveryState.DOWN, RecoveryState.DEGRADED):
        return 0
    begin = dip.began or 0
    was_zero = orders[begin:] == 0
    other = np.flatnonzero((was_zero != _is_zero(orders)) & ~np.isnan(orders[begin:]))
    return begin + (int(other[-1]) + 1 if len(other) else 0)
