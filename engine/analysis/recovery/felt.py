"""A fault as the users experienced it, for all clients together or for one.

Called by the recovery analysis.
"""

from collections.abc import Sequence

import numpy as np

from engine.analysis.recovery.blackout import Blackout, ProbeBlackout, blackout_of, probe_blackouts
from engine.analysis.recovery.calls import first_failed_call
from engine.analysis.recovery.figures import Felt
from engine.analysis.recovery.levels import HeldLevels, reached_after
from engine.analysis.recovery.relapses import relapses_of
from engine.analysis.recovery.view import FaultView
from engine.analysis.series.probes import ProbeSeries
from engine.analysis.series.rates import Rates

_PROBE_BEYOND_SECONDS = 2


def felt_of(view: FaultView, row: int) -> Felt:
    """The figures of a row of the view. Those that need a baseline are ``None`` where that is refused."""
    span, dip = view.span, view.dips[row]
    places = view.judged_places(row)
    failed = first_failed_call(view.run, span, span.first + places, _clients(view, row))
    probed = probe_blackouts(_probes(view, row), span.fault.at_seconds, span.first, _probe_end(view, places))
    area, area_seconds = _not_taken(view, row)
    level_after, after_seconds = _level_after(view, row)
    lowest = _lowest(view, row, places)
    return Felt(
        detection_lag_seconds=_detection_lag(view, row, failed, probed),
        first_failed_call_seconds=_since_fault(view, None if failed is None else failed - span.first),
        dip_seconds=_since_fault(view, dip.began),
        blackout=_blackout(view, row, places),
        probe_blackout=probed[0] if probed else None,
        brownout_seconds=_brownout(view, row, places),
        time_to_seconds=_times_to(view, row),
        recovered_seconds=_since_fault(view, dip.recovered),
        settled_seconds=_since_fault(view, dip.settled),
        relapse_spans=relapses_of(view, row),
        lowest_second_pct=lowest[0],
        lowest_second_headline_rate=lowest[1],
        lowest_window_pct=lowest[2],
        lowest_window_headline_rate=lowest[3],
        transactions_not_taken=area,
        transactions_not_taken_baseline_seconds=area_seconds,
        level_after_pct=level_after,
        level_after_known_seconds=after_seconds,
        unknown_seconds=_unknown(view, row, max(places, view.account_places)),
    )


def after_places(view: FaultView) -> tuple[int, int] | None:
    """The places for the level after the recovery: those after the account, once it is closed.

    Without a dip, those after the fault's own second. ``None`` when there are none (yet).
    """
    if view.account_is_open or not view.baselines.total.is_usable:
        return None
    begin = max(1, view.account_places)
    end = min(view.span.seconds, begin + view.settings.after_seconds)
    return (begin, end) if begin < end else None


def _clients(view: FaultView, row: int) -> list[int]:
    return [client.number for client in view.run.clients if row in (0, client.number)]


def _rates(view: FaultView, row: int) -> Rates:
    """The orders per second of the row's clients before the fault; NaN for those that were unknown."""
    return view.baselines.rates[row - 1 : row] if row else view.baselines.rates


def _unknown(view: FaultView, row: int, places: int) -> int:
    """The number of unknown seconds of the row's clients that were known before the fault."""
    of_row = view.orders[row - 1 : row] if row else view.orders
    return int(np.count_nonzero(np.isnan(of_row[:, :places]) & ~np.isnan(_rates(view, row))[:, np.newaxis]))


def _blackout(view: FaultView, row: int, places: int) -> Blackout:
    """The blackout by samples; if it begins with the fault's own second, the last order is searched before that."""
    taken, first = view.taken(row), view.span.first
    if not len(taken) or taken[0] != 0:
        return blackout_of(taken, first, 0, places)
    begin = max(0, first - view.settings.baseline_seconds)
    before = view.run.series.by_second(view.run.headline.names.n, row or None, first=begin, end=first)
    return blackout_of(np.concatenate((before, taken)), begin, len(before), len(before) + places)


def _since_fault(view: FaultView, place: int | None) -> float | None:
    return None if place is None else view.span.after_fault(view.span.first + place)


def _probes(view: FaultView, row: int) -> list[tuple[int, ProbeSeries]]:
    wanted = {view.stores[row - 1]} if row else set(view.stores)
    return [(store, probe) for store, probe in sorted(view.run.probes.items()) if store in wanted]


def _probe_end(view: FaultView, places: int) -> int:
    """The second up to which the probes are considered: somewhat further, as the load may recover before they do."""
    return min(view.span.end, view.span.first + places + _PROBE_BEYOND_SECONDS)


def _detection_lag(view: FaultView, row: int, failed: int | None, probed: Sequence[ProbeBlackout]) -> float | None:
    if probed:
        return view.span.after_fault(min(each.begins_at_seconds for each in probed))
    began = view.dips[row].began
    signs = [second for second in (failed, None if began is None else view.span.first + began) if second is not None]
    return view.span.after_fault(min(signs)) if signs else None


def _brownout(view: FaultView, row: int, places: int) -> int | None:
    if not view.is_judged(row):
        return None
    begin = view.dips[row].began
    if begin is None:
        return 0
    levels = view.levels[row, begin:places]
    return int(np.count_nonzero((levels > 0) & (levels < view.settings.threshold)))


def _times_to(view: FaultView, row: int) -> dict[str, float | None]:
    shares = view.settings.shares_pct
    if not view.is_judged(row):
        return {f"{share:g}": None for share in shares}
    floors = view.baseline(row).floors(view.settings)
    dip, disturbed = view.dips[row], view.disturbed[row]
    places = [reached_after(_held(view, row, share), share / 100, floors, disturbed, dip) for share in shares]
    return {f"{share:g}": _reached(view, place) for share, place in zip(shares, places, strict=True)}


def _held(view: FaultView, row: int, share_pct: float) -> HeldLevels:
    """The held levels as far as the share may matter: a share above the threshold may be reached long after the dip."""
    if share_pct <= view.settings.threshold_pct:
        return view.held.row(row)
    return HeldLevels.of(view.levels[row], view.settings.hold_seconds)


def _reached(view: FaultView, place: int | None) -> float | None:
    return 0.0 if place == 0 else _since_fault(view, place)


def _lowest(view: FaultView, row: int, places: int) -> tuple[float | None, ...]:
    """The lowest second and window, each in per cent of the baseline and as headline rate.

    As rate only where all of the row's clients are known; otherwise part of the orders would have to be guessed.
    """
    baseline_rate = view.baseline(row).headline_rate
    if not view.is_judged(row) or baseline_rate is None:
        return None, None, None, None
    second, window = _least(view.levels[row, :places]), _least(view.window_levels[row, :places])
    is_exact = not _unknown(view, row, places + view.settings.lowest_window_seconds - 1)
    return (*_level(second, baseline_rate, is_exact), *_level(window, baseline_rate, is_exact))


def _least(levels: Rates) -> float | None:
    known = levels[~np.isnan(levels)]
    return float(known.min()) if len(known) else None


def _level(level: float | None, baseline_rate: float, is_exact: bool) -> tuple[float | None, float | None]:
    if level is None:
        return None, None
    return 100 * level, level * baseline_rate if is_exact else None


def _not_taken(view: FaultView, row: int) -> tuple[float | None, float | None]:
    """The area under the baseline over the account, in orders and in seconds of the baseline."""
    rate = view.baseline(row).transactions_per_second
    if not view.baselines.total.is_usable or rate is None:
        return None, None
    of_row = view.orders[row - 1 : row] if row else view.orders
    area = float(np.nansum(_rates(view, row)[:, np.newaxis] - of_row[:, : view.account_places]))
    return area, area / rate if rate > 0 else None


def _level_after(view: FaultView, row: int) -> tuple[float | None, int]:
    places = after_places(view)
    if places is None or not view.is_judged(row):
        return None, 0
    levels = view.levels[row, slice(*places)]
    known = levels[~np.isnan(levels)]
    return (100 * float(known.mean()), len(known)) if len(known) else (None, 0)
