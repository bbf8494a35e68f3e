"""Blackouts: time without any order, in whole seconds of the samples or, more finely, in the probe's tenths.

An unknown second ends a blackout and does not count in the total. Called by the recovery analysis.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine.analysis.series.probes import LEAST_OUTAGE_SECONDS, Outage, ProbeSeries
from engine.analysis.series.rates import Rates

_LEAST_SECONDS = 0.2
_SOON_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Blackout:
    """Known whole seconds without an order, according to the samples.

    ``last_transaction_second`` is the run's second of the last order before the longest blackout,
    ``first_transaction_second`` that of the first after it; ``None`` without a blackout, or without an order (yet) on
    that side.
    """

    longest_seconds: int = 0
    total_seconds: int = 0
    last_transaction_second: int | None = None
    first_transaction_second: int | None = None


@dataclass(frozen=True, kw_only=True)
class ProbeBlackout:
    """Time without a committed write, to a tenth of a second, according to the probe of a store.

    ``begins_at_seconds`` is the first tenth without one, on the run's clock; ``is_over`` whether writes were committed
    again after the last one.
    """

    store: int
    begins_at_seconds: float
    longest_seconds: float
    total_seconds: float
    is_over: bool


def blackout_of(orders: Rates, first: int, begin: int, end: int) -> Blackout:
    """The blackout within ``begin <= place < end`` of orders by second, whose first is the run's second ``first``.

    The surrounding seconds are searched for the last order before and the first after it.
    """
    is_out = np.concatenate(([False], orders[begin:end] == 0, [False]))
    turns = np.flatnonzero(is_out[1:] != is_out[:-1])
    lengths = turns[1::2] - turns[::2]
    if not len(lengths):
        return Blackout()
    longest = int(lengths.argmax())
    starts = begin + int(turns[::2][longest])
    before, after = np.flatnonzero(orders[:starts] > 0), np.flatnonzero(orders[starts:] > 0)
    return Blackout(
        longest_seconds=int(lengths[longest]),
        total_seconds=int(lengths.sum()),
        last_transaction_second=first + int(before[-1]) if len(before) else None,
        first_transaction_second=first + starts + int(after[0]) if len(after) else None,
    )


def probe_blackouts(
    probes: Iterable[tuple[int, ProbeSeries]], fault_at: float, first: int, end: int
) -> list[ProbeBlackout]:
    """The blackouts that the probes saw in ``first <= second < end``, after ``fault_at``, the longest first.

    Empty when no probe asked in these seconds, or each found its store writable throughout.
    """
    found = [each for store, probe in probes if (each := _of_probe(store, probe, fault_at, first, end)) is not None]
    return sorted(found, key=lambda each: (-each.longest_seconds, each.store))


def _is_the_faults(outage: Outage, fault_at: float, until: float) -> bool:
    """Whether an outage is attributed to the fault: also a short one soon after it, but later on single tenths may be
    chance."""
    length = (until if outage.end is None else outage.end) - outage.begin
    return outage.begin <= fault_at + _SOON_SECONDS or length >= LEAST_OUTAGE_SECONDS


def _of_probe(store: int, probe: ProbeSeries, fault_at: float, first: int, end: int) -> ProbeBlackout | None:
    until = float(min(end, probe.seconds))
    spans = [
        (outage.begin, until if outage.end is None else outage.end, outage.end is not None)
        for outage in probe.outages(first, end, least_seconds=_LEAST_SECONDS)
        if (outage.end is None or outage.end > fault_at) and _is_the_faults(outage, fault_at, until)
    ]
    if not spans:
        return None
    lengths = [stop - start for start, stop, _ in spans]
    return ProbeBlackout(
        store=store,
        begins_at_seconds=spans[0][0],
        longest_seconds=round(max(lengths), 1),
        total_seconds=round(sum(lengths), 1),
        is_over=spans[-1][2],
    )
