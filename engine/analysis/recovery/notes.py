"""The limitations of a recovery's figures, as sentences, and the clients whose samples stopped.

Called by the recovery analysis.
"""

import numpy as np

from engine.analysis.recovery.span import Ending
from engine.analysis.recovery.view import FaultView
from engine.figure_text import duration, percent

_SILENT_SECONDS = 3


def silent_clients(view: FaultView) -> tuple[int, ...]:
    """The clients that placed orders before the fault and whose newest seconds are unknown."""
    newest = view.orders[:, max(0, view.span.seconds - _SILENT_SECONDS) :]
    if not newest.shape[1]:
        return ()
    is_silent = np.isnan(newest).all(axis=1) & (view.baselines.rates > 0)
    return tuple(client.number for client, silent in zip(view.run.clients, is_silent, strict=True) if silent)


def notes_of(view: FaultView) -> tuple[str, ...]:
    """The sentences, the most important first."""
    notes = (_silent(view), _unknown(view), _inherited(view), _next_fault(view), _unjudged(view), _scattered(view))
    return tuple(note for note in notes if note)


def _silent(view: FaultView) -> str:
    silent = silent_clients(view)
    if not silent:
        return ""
    names = ", ".join(client.label for client in view.run.clients if client.number in silent)
    return f"No data at the end from {names}: the figures are of the other clients."


def _unknown(view: FaultView) -> str:
    places = view.judged_places(0)
    counted = ~np.isnan(view.baselines.rates)
    unknown = int(np.count_nonzero(np.isnan(view.orders[counted][:, :places])))
    if not unknown:
        return ""
    return (
        f"{unknown} seconds of clients are unknown; they count neither as {view.run.headline.many} nor as missed ones."
    )


def _inherited(view: FaultView) -> str:
    number = view.baselines.total.of_fault
    if number is None:
        return ""
    label = view.run.events[number].label if number in view.run.events else f"fault {number}"
    return f"The baseline is that before an earlier fault, {label}, since the recovery from it was too short."


def _next_fault(view: FaultView) -> str:
    follower = view.span.next_fault
    if view.span.ending is not Ending.NEXT_FAULT or follower is None:
        return ""
    return f"The figures end at the next fault: {follower.label}, {duration(view.span.seconds)} later."


def _unjudged(view: FaultView) -> str:
    if not view.baselines.total.is_usable:
        return ""
    unjudged = sum(not client.is_usable for client in view.baselines.clients)
    if not unjudged or len(view.run.clients) == 1:
        return ""
    return (
        f"{unjudged} of {len(view.run.clients)} clients had no steady baseline of their own and are not assessed"
        " individually."
    )


def _scattered(view: FaultView) -> str:
    baseline, threshold = view.baselines.total, view.settings.threshold
    if not baseline.is_usable or (floor := baseline.floors(view.settings).second) >= threshold:
        return ""
    headline = view.run.headline
    undisturbed = "without a lost connection" if headline.has_users else f"with all {headline.users} at work"
    return (
        f"The baseline's seconds vary by {percent(baseline.spread_pct)}: {undisturbed}, a single one "
        f"is low only under {percent(100 * floor, 0)} of it."
    )
