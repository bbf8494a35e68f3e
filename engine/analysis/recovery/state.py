"""The state of a run after a fault, with its running clocks, and as one sentence, the headline of all displays.

Called by the recovery analysis, during and after the run.
"""

from collections.abc import Sequence

import numpy as np

from engine.analysis.headline import Headline
from engine.analysis.recovery.baseline import Baseline
from engine.analysis.recovery.figures import Clocks, RecoveryState, Relapse
from engine.analysis.recovery.levels import Dip
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import Ending, FaultSpan
from engine.analysis.series.rates import Rates
from engine.figure_text import duration, percent
from engine.record.clock import RunClock


def state_of(orders: Rates, baseline: Baseline, dip: Dip, span: FaultSpan, settings: RecoverySettings) -> RecoveryState:
    """The state as of the span's end; ``orders`` by second, NaN unknown, begin with the fault's second."""
    goes_on = span.ending is Ending.GOES_ON
    if not baseline.is_usable:
        was_ordering = bool(baseline.transactions_per_second)
        return RecoveryState.DOWN if goes_on and was_ordering and _is_zero(orders) else RecoveryState.NOT_JUDGED
    if dip.began is None:
        is_too_short = not goes_on and int(np.count_nonzero(~np.isnan(orders))) < settings.hold_seconds
        return RecoveryState.NOT_JUDGED if is_too_short else RecoveryState.STEADY
    if dip.settled is not None:
        return RecoveryState.RECOVERED
    if goes_on and _is_zero(orders):
        return RecoveryState.DOWN
    if dip.is_relapsed:
        return RecoveryState.RELAPSED
    return RecoveryState.DEGRADED if goes_on else RecoveryState.NOT_RECOVERED


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
    state: RecoveryState,
    clocks: Clocks,
    baseline: Baseline,
    relapses: Sequence[Relapse],
    span: FaultSpan,
    settings: RecoverySettings,
    clock: RunClock,
    headline: Headline,
) -> str:
    """The state in one sentence: the first recovery, the relapses, and without a recovery what ended the fault's
    seconds."""
    threshold = f"{settings.threshold_pct:g} % of the baseline"
    if state is RecoveryState.NOT_JUDGED:
        return baseline.refusal or f"{_ended(span)}, too early to assess the fault."
    if state is RecoveryState.STEADY:
        so_far = " so far" if span.ending is Ending.GOES_ON else ""
        return f"The fault had no effect on the {headline.many}{so_far}: they did not stay under {threshold}."
    if clocks.recovered_after_seconds is not None:
        recovered = f"ecovered after {duration(clocks.recovered_after_seconds)}"
        if state is RecoveryState.DOWN:
            none = f"No {headline.one} for {duration(clocks.in_state_seconds)}"
            return f"{none}; r{recovered} at first{_relapse(relapses, clock, headline)}."
        ended = f" {_ended(span)}." if state is RecoveryState.RELAPSED and span.ending is not Ending.GOES_ON else ""
        return f"R{recovered}{_relapse(relapses, clock, headline)}.{ended}"
    if state is RecoveryState.DOWN:
        return f"No {headline.many} for {duration(clocks.in_state_seconds)}."
    if state is RecoveryState.DEGRADED:
        return (
            f"{headline.heading} are {headline.wording.placed}, but not yet {threshold} for {settings.hold_seconds} s."
        )
    return f"{_not_recovered(span)} {_ended(span)}."


def _relapse(relapses: Sequence[Relapse], clock: RunClock, headline: Headline) -> str:
    """The last relapse, and how many there were; with what limited the run meanwhile."""
    if not relapses:
        return ""
    which = "relapse" if len(relapses) == 1 else f"{len(relapses)} relapses, the last"
    return f"; {which} {_relapse_text(relapses[-1], clock, headline)}"


def _relapse_text(relapse: Relapse, clock: RunClock, headline: Headline) -> str:
    """A relapse in a few words: ``at 2:27 for 28 s, down to 71 %, workstation 99 % busy``."""
    deep = ""
    if relapse.blackout_seconds:
        deep = f", no {headline.one} for {duration(relapse.blackout_seconds)}"
    elif relapse.lowest_second_pct is not None:
        deep = f", down to {percent(relapse.lowest_second_pct, 0)}"
    so_far = "" if relapse.is_over else ", not over"
    limit = f", {relapse.limits[0]}" if relapse.limits else ""
    return f"at {clock.second(relapse.begins_at_seconds)} for {duration(relapse.lasts_seconds)}{so_far}{deep}{limit}"


def _not_recovered(span: FaultSpan) -> str:
    if span.ending is Ending.NEXT_FAULT:
        return "Not recovered before the next fault."
    if span.ending is Ending.HORIZON:
        return "Not recovered within the time considered."
    return "Not recovered within the run."


def _ended(span: FaultSpan) -> str:
    seconds = duration(round(span.after_fault(span.end)))
    if span.next_fault is not None:
        later = span.next_fault.at_seconds - span.fault.at_seconds
        return f"The next fault, {span.next_fault.label}, came {duration(round(later))} later"
    if span.ending is Ending.HORIZON:
        return f"That is {seconds} from the fault on"
    return f"Measuring ended {seconds} after the fault"


def _is_zero(orders: Rates) -> bool:
    """Whether there was no order in the newest known second."""
    known = orders[~np.isnan(orders)]
    return bool(len(known) and known[-1] == 0)


def _since(state: RecoveryState, orders: Rates, dip: Dip) -> int:
    """The place at which a state began."""
    if state is RecoveryState.RECOVERED:
        return dip.settled or 0
    if state is RecoveryState.RELAPSED:
        return dip.relapses[-1].begin
    if state not in (RecoveryState.DOWN, RecoveryState.DEGRADED):
        return 0
    begin = dip.relapses[-1].begin if dip.relapses else dip.began or 0
    was_zero = orders[begin:] == 0
    other = np.flatnonzero((was_zero != _is_zero(orders)) & ~np.isnan(orders[begin:]))
    return begin + (int(other[-1]) + 1 if len(other) else 0)
