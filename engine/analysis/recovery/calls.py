"""Failed calls after a fault, and their recovery: errors by class, reconnects, users without a connection.

Called by the recovery analysis.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine.analysis.recovery.figures import Calls
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import FaultSpan
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.errors import ErrorClass

_COUNTS = ("reconnects", "retries", "in_doubt")
_AWAY = ("reconnecting", "down", "reconnects")


@dataclass(frozen=True, kw_only=True)
class _Users:
    """Users without a connection, in excess of those before the fault, by place of the span."""

    lost: int | None = None
    back: int | None = None
    all_back: int | None = None


def first_failed_call(run: RunData, span: FaultSpan, end: int, clients: Iterable[int]) -> int | None:
    """The second, before ``end``, in which a call of the clients first failed.

    Deadlocks are ignored: they occur without any fault, and the transaction is repeated.
    """
    deadlock = ErrorClass.DEADLOCK.value
    seconds = [run.errors.first_second(span.first, end, client, without=deadlock) for client in clients]
    return min((second for second in seconds if second is not None), default=None)


def calls_of(run: RunData, span: FaultSpan, end: int, client: int, away: Rates, settings: RecoverySettings) -> Calls:
    """The calls of one client before the second ``end``; ``away`` is its row of ``users_away``."""
    return _with_users(counted_calls(run, span, end, client), away, span, settings)


def counted_calls(run: RunData, span: FaultSpan, end: int, client: int) -> Calls:
    """The same without the users, as ``calls_together`` needs it."""
    reconnects, retries, in_doubt = (
        run.series.count(name, client=client, first=span.first, end=end) for name in _COUNTS
    )
    errors = run.errors.between(span.first, end, client)
    return Calls(errors=errors, reconnects=reconnects, retries=retries, in_doubt=in_doubt)


def calls_together(calls: Iterable[Calls], away: Rates, span: FaultSpan, settings: RecoverySettings) -> Calls:
    """The sum of the clients' calls; the number of users without a connection at once is computed from all rows of
    ``users_away``."""
    errors: dict[str, int] = {}
    reconnects = retries = in_doubt = 0
    for each in calls:
        reconnects, retries, in_doubt = reconnects + each.reconnects, retries + each.retries, in_doubt + each.in_doubt
        for name, count in each.errors.items():
            errors[name] = errors.get(name, 0) + count
    most_first = dict(sorted(errors.items(), key=lambda item: (-item[1], item[0])))
    together = Calls(errors=most_first, reconnects=reconnects, retries=retries, in_doubt=in_doubt)
    known = ~np.isnan(away)
    summed = np.where(known.any(axis=0), np.where(known, away, 0.0).sum(axis=0), np.nan)
    return _with_users(together, summed, span, settings)


def users_away(run: RunData, span: FaultSpan) -> Rates:
    """Users without a connection at some time of a second, in excess of those before the fault, by client and second.

    They are those without one at the second's end and those that reconnected in it. NaN where a client's second is
    unknown. A client that was unknown before the fault counts from 0. Users that are stopped with the run have no
    connection at the end of its last measured second: they do not count.
    """
    before = max(0, span.first - 1)
    wide = np.full((len(run.clients), span.end - before), np.nan)
    back = np.zeros(wide.shape)
    for row, came, client in zip(wide, back, run.clients, strict=True):
        away, down, reconnects = (
            run.series.by_second(name, client.number, first=before, end=span.end) for name in _AWAY
        )
        row[: len(away)] = away + down
        came[: len(away)] = reconnects
    if run.phases.measuring_to == span.end and wide.shape[1] > 1:
        wide[:, -1] = np.minimum(wide[:, -1], wide[:, -2])
    base = np.nan_to_num(wide[:, :1]) if span.first > 0 else np.zeros((len(wide), 1))
    here = slice(span.first - before, None)
    at_some_time: Rates = np.clip(wide[:, here] - base + back[:, here], 0.0, run.plan.threads)
    return at_some_time


def _with_users(calls: Calls, away: Rates, span: FaultSpan, settings: RecoverySettings) -> Calls:
    users = _users(away, settings)
    return Calls(
        errors=calls.errors,
        reconnects=calls.reconnects,
        retries=calls.retries,
        in_doubt=calls.in_doubt,
        users_lost=users.lost,
        users_back=users.back,
        all_users_back_seconds=None if users.all_back is None else span.after_fault(span.first + users.all_back),
    )


def _users(away: Rates, settings: RecoverySettings) -> _Users:
    """The first period in which users were without a connection, until none was for the hold time.

    One that begins later than a dip could is not attributed to the fault.
    """
    known = away[~np.isnan(away)]
    if not len(known):
        return _Users()
    gone = np.flatnonzero(away[: settings.onset_seconds] > 0)
    if not len(gone):
        return _Users(lost=0, back=0)
    all_back = _all_back(away, int(gone[0]), settings.hold_seconds)
    episode = away[gone[0] : all_back]
    lost = int(np.nanmax(episode))
    newest = 0 if all_back is not None else int(episode[~np.isnan(episode)][-1])
    return _Users(lost=lost, back=lost - newest, all_back=all_back)


def _all_back(away: Rates, begin: int, hold_seconds: int) -> int | None:
    if len(away) < hold_seconds:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(away == 0, hold_seconds)
    places = np.flatnonzero(windows[begin:].all(axis=1))
    return begin + int(places[0]) if len(places) else None
