"""The variability of a run's clients: the last line of the published result tables.

Called by the library's table, the run page and comparisons.
"""

from collections.abc import Iterable

from engine.record.totals import NO_TOTALS, Totals


def variability_pct(client_opms: Iterable[float | None]) -> float | None:
    """The largest client OPM minus the smallest, divided by the largest, in per cent.

    ``None`` when a client's OPM is unknown, there are fewer than two clients, or none placed an order.
    """
    opms = list(client_opms)
    known = [opm for opm in opms if opm is not None]
    if len(known) < 2 or len(known) < len(opms) or max(known) <= 0:
        return None
    return 100 * (max(known) - min(known)) / max(known)


def totals_variability_pct(totals: Totals | None) -> float | None:
    """The variability from a record's totals; ``None`` when unknown."""
    return variability_pct(client.headline for client in (totals or NO_TOTALS).clients)
