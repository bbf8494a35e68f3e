"""The recovery of a run from its faults: the figures of all clients and of each, the same during and after the run.

Pure: computed from what is known of the run up to a second. The live panel shows the newest fault; the library's pages,
the result files and the command line show every fault. ``published`` has the published figures, ``tpc`` TPC-E's
definition, ``felt`` the users' experience, ``levels`` the levels relative to the ``baseline``. The help page
``resources/help/recovery.md`` has all definitions.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, zip_longest

import numpy as np

from engine.analysis.latency.percentiles import BucketCounts
from engine.analysis.recovery.baseline import Baselines
from engine.analysis.recovery.calls import calls_of, calls_together, counted_calls
from engine.analysis.recovery.felt import after_places, felt_of
from engine.analysis.recovery.figures import Calls, Clocks, DipSpan, Recovery, RecoveryState, Relapse, SubjectRecovery
from engine.analysis.recovery.levels import ROUNDING
from engine.analysis.recovery.notes import notes_of, silent_clients
from engine.analysis.recovery.published import published_of, running_rates
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import Ending, faults_of
from engine.analysis.recovery.state import clocks_of, sentence_of, state_of
from engine.analysis.recovery.times import BlockHistograms, ResponseTimes, Span, response_times
from engine.analysis.recovery.tpc import TpcRecovery, tpc_recovery_places
from engine.analysis.recovery.view import FaultView, view_after, view_of, views_of
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Values
from engine.telemetry.event import RunEvent

DEFAULTS = RecoverySettings()
_SETTLED_SECONDS = 10
_NEITHER, _LOW, _OUT = range(3)


def recovery_of(
    run: RunData,
    fault: RunEvent,
    settings: RecoverySettings = DEFAULTS,
    *,
    at: int | None = None,
    histograms: BlockHistograms | None = None,
) -> Recovery:
    """The recovery from a fault as of the second ``at``, by default the newest whole and measured one.

    A past second gives the same result as when it was the newest. ``histograms`` is the source of response times;
    without it they are ``None``.
    """
    return _recovery(view_of(run, fault, settings, at), histograms)


def recoveries_of(
    run: RunData,
    settings: RecoverySettings = DEFAULTS,
    *,
    at: int | None = None,
    histograms: BlockHistograms | None = None,
) -> list[Recovery]:
    """The recovery from every fault of a run, sorted by time."""
    return [_recovery(view, histograms) for _, view in views_of(run, settings, at)]


def times_spans(run: RunData, settings: RecoverySettings = DEFAULTS, *, at: int | None = None) -> set[Span]:
    """The spans of seconds whose response times ``recoveries_of`` needs."""
    return {span for _, view in views_of(run, settings, at) for span in _spans(view) if span[0] < span[1]}


class RecoveryFollower:
    """The recoveries of a run in progress, updated each second; what can't change any more is not computed again.

    Without ``each_client`` only all clients together are computed, in less than half of the time.
    """

    def __init__(
        self,
        run: RunData,
        settings: RecoverySettings = DEFAULTS,
        histograms: BlockHistograms | None = None,
        *,
        each_client: bool = True,
    ) -> None:
        self.settings = settings
        self._each_client = each_client
        self._run = run
        self._histograms = histograms
        self._ended: dict[tuple[RunEvent, RunEvent | None], tuple[FaultView, Recovery]] = {}
        self._baselines: dict[tuple[RunEvent | None, RunEvent], Baselines] = {}

    def update(self) -> list[Recovery]:
        """The recovery from every fault so far; the newest is the last."""
        return [recovery for _, recovery in self._views()]

    def _views(self) -> Iterator[tuple[FaultView, Recovery]]:
        earlier: FaultView | None = None
        faults = faults_of(self._run)
        for fault, follower in zip_longest(faults, faults[1:]):
            known = self._ended.get((fault, follower))
            if known is None:
                view = self._view(fault, earlier)
                known = view, _recovery(view, self._histograms, each_client=self._each_client)
                if _has_ended(view):
                    self._ended[fault, follower] = known
            earlier = known[0]
            yield known

    def _view(self, fault: RunEvent, earlier: FaultView | None) -> FaultView:
        """A fault's view; the seconds before the fault are read again until no late sample can change them."""
        key = (None if earlier is None else earlier.span.fault), fault
        view = view_after(self._run, fault, self.settings, None, earlier, baselines=self._baselines.get(key))
        if view.span.first + _SETTLED_SECONDS <= self._run.measured_end:
            self._baselines[key] = view.baselines
        return view


def _has_ended(view: FaultView) -> bool:
    """Whether nothing can change any more, including late samples."""
    is_ended = view.span.ending in (Ending.NEXT_FAULT, Ending.HORIZON)
    return is_ended and view.span.end + _SETTLED_SECONDS <= view.run.measured_end


def _recovery(view: FaultView, histograms: BlockHistograms | None, *, each_client: bool = True) -> Recovery:
    numbers = [client.number for client in view.run.clients]
    rows = view.rows if each_client else view.rows[:1]
    running = running_rates(view.run, view.span, view.orders)
    calls = _calls(view, each_client=each_client)
    times = _times(view, histograms)
    tpc_e = [_tpc(view, row, found) for row, found in enumerate(tpc_recovery_places(view.levels))]
    subjects = [_subject(view, row, running[row], calls[row], tpc_e[row], times[row]) for row in rows]
    total, clients = subjects[0], tuple(subjects[1:])
    return Recovery(
        headline=view.run.headline,
        span=view.span,
        total=total,
        clients=clients,
        sentence=_sentence(view, total.state, total.clocks, total.felt.relapse_spans),
        clock=view.run.clock,
        notes=notes_of(view),
        low_spans=_dip_spans(view),
        account_end=view.span.first + view.account_places,
        account_is_open=view.account_is_open,
        dip_began_second=_second(view, view.total_dip.began),
        recovered_second=_second(view, view.total_dip.recovered),
        slowest_client=_slowest(clients) if len(numbers) > 1 else None,
        silent_clients=silent_clients(view),
    )


def _second(view: FaultView, place: int | None) -> int | None:
    return None if place is None else view.span.first + place


_Times = tuple[ResponseTimes, ResponseTimes, ResponseTimes]


def _subject(
    view: FaultView, row: int, running: Values | None, calls: Calls, tpc_e: TpcRecovery, times: _Times
) -> SubjectRecovery:
    state, clocks = _state(view, row)
    before, during, after = times
    return SubjectRecovery(
        client=row or None,
        label=view.run.clients[row - 1].label if row else "",
        state=state,
        clocks=clocks,
        baseline=view.baseline(row),
        published=published_of(running, view.span, _settled(view, row)),
        felt=felt_of(view, row),
        calls=calls,
        tpc_e=tpc_e,
        times_before=before,
        times_during=during,
        times_after=after,
    )


def _settled(view: FaultView, row: int) -> int | None:
    """The place at which a row's orders had recovered, or at which a dip would have begun at the latest."""
    dip = view.dips[row]
    return view.settings.onset_seconds if dip.began is None else dip.recovered


def _state(view: FaultView, row: int) -> tuple[RecoveryState, Clocks]:
    baseline = view.baseline(row)
    if row and not view.baselines.total.is_usable:
        baseline = replace(baseline, refusal=view.baselines.total.refusal)
    orders, dip = view.taken(row), view.dips[row]
    state = state_of(orders, baseline, dip, view.span, view.settings)
    return state, clocks_of(state, orders, view.levels[row], dip, view.span, view.settings.threshold)


def _sentence(view: FaultView, state: RecoveryState, clocks: Clocks, relapses: tuple[Relapse, ...]) -> str:
    return sentence_of(
        state, clocks, view.baselines.total, relapses, view.span, view.settings, view.run.clock, view.run.headline
    )


def _tpc(view: FaultView, row: int, found: tuple[int, bool] | None) -> TpcRecovery:
    if found is None or not view.is_judged(row):
        return TpcRecovery()
    place, is_provisional = found
    return TpcRecovery(recovered_seconds=view.span.after_fault(view.span.first + place), is_provisional=is_provisional)


def _calls(view: FaultView, *, each_client: bool) -> list[Calls]:
    """The calls of all clients and of each within the account; without a dip, within the time in which one may
    begin."""
    span, settings = view.span, view.settings
    end = span.first + view.judged_places(0)
    away = view.away
    if not each_client:
        counted = [counted_calls(view.run, span, end, client.number) for client in view.run.clients]
        return [calls_together(counted, away, span, settings)]
    clients = [
        calls_of(view.run, span, end, client.number, row, settings)
        for client, row in zip(view.run.clients, away, strict=True)
    ]
    return [calls_together(clients, away, span, settings), *clients]


def _times(view: FaultView, histograms: BlockHistograms | None) -> list[_Times]:
    """The response times before, during and after of all clients and of each."""
    if histograms is None:
        return [(ResponseTimes(),) * 3] * len(view.rows)
    columns = [_times_of(view, histograms, begin, end) for begin, end in _spans(view)]
    return [(before, during, later) for before, during, later in zip(*columns, strict=True)]


def _spans(view: FaultView) -> tuple[Span, Span, Span]:
    """The seconds before, during and after the account, for response times; an empty span where there are none."""
    baseline, first, after = view.baselines.total, view.span.first, after_places(view)
    return (
        (baseline.first_second, baseline.end_second),
        (first, first + view.account_places),
        (0, 0) if after is None else (first + after[0], first + after[1]),
    )


def _times_of(view: FaultView, histograms: BlockHistograms, first: int, end: int) -> list[ResponseTimes]:
    if first >= end:
        return [ResponseTimes()] * len(view.rows)
    counts = [histograms.counts(client.number, first, end) for client in view.run.clients]
    return [response_times(each) for each in (_summed(counts), *counts)]


def _summed(counts: list[BucketCounts | None]) -> BucketCounts | None:
    """The sum, if all are available: the sum of some clients would be misleading."""
    at_hand = [each for each in counts if each is not None]
    return np.sum(at_hand, axis=0) if len(at_hand) == len(counts) else None


def _slowest(clients: tuple[SubjectRecovery, ...]) -> int | None:
    """The client that took longest to recover; one that has not recovered counts as slower than any that has."""

    def slowness(subject: SubjectRecovery) -> tuple[float, float]:
        after = subject.felt.recovered_seconds
        return (np.inf if after is None else after), subject.felt.transactions_not_taken or 0.0

    dipped = [subject for subject in clients if subject.felt.dip_seconds is not None]
    return max(dipped, key=slowness).client if dipped else None


def _dip_spans(view: FaultView) -> tuple[DipSpan, ...]:
    """The spans that charts shade: the low seconds of dip and relapses, divided by blackouts, without unknown ones.

    Without a baseline only blackouts can be determined, over all seconds of the fault.
    """
    dip, places = view.dips[0], view.span.seconds
    if not view.is_judged(0):
        return tuple(span for span in _low_spans(view, 0, places) if span.is_blackout)
    if dip.began is None:
        return ()
    falls = [(dip.began, dip.recovered), *((fall.begin, fall.end) for fall in dip.relapses)]
    return tuple(span for begin, end in falls for span in _low_spans(view, begin, places if end is None else end))


def _low_spans(view: FaultView, begin: int, end: int) -> list[DipSpan]:
    low = np.where(view.levels[0, begin:end] < view.settings.threshold - ROUNDING, _LOW, _NEITHER)
    kinds = np.where(view.taken(0)[begin:end] == 0, _OUT, low)
    first = view.span.first + begin
    edges = [0, *(np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist(), len(kinds)]
    return [
        DipSpan(first + start, first + stop, bool(kinds[start] == _OUT))
        for start, stop in pairwise(edges)
        if stop > start and kinds[start] != _NEITHER
    ]
