"""The variability of a run's clients: the last line of the published result tables.

Called by the library's table, the run page and comparisons.
"""

from collections.abc import Iterable

from engine.record.totals import NO_TOTALS, Totals


def variability_pct(rates: Iterable[float | None]) -> float | None:
    """The largest client rate minus the smallest, divided by the largest, in per cent.

    ``None`` when a client's rate is unknown, there are fewer than two clients, or all are 0.
    """
    given = list(rates)
    known = [rate for rate in given if rate is not None]
    if len(known) < 2 or len(known) < len(given) or max(known) <= 0:
        return None
    return 100 * (max(known) - min(known)) / max(known)


def totals_variability_pct(totals: Totals | None) -> float | None:
    """The variability from a record's totals; ``None`` when unknown."""
    return variability_pct(client.headline_rate for client in (totals or NO_TOTALS).clients)
