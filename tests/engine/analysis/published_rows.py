"""Raw samples of a measured minute in which clients take so many orders, and their totals: published tables anew."""

from collections.abc import Mapping

from engine.analysis.totals import RunTotals
from engine.plan.plan import RunPlan
from engine.record.record import Phases
from engine.record.totals import Totals
from engine.target.target import EMBEDDED, Target
from tests.doubles.samples import dvd_sample

SECONDS = 60
WARMUP_SECONDS = 2


def totals_of(client_headline_rates: Mapping[str, int]) -> Totals:
    """The totals of a run whose clients, by their labels, took so many orders in the minute after the warm-up."""
    plan = RunPlan(targets=tuple(Target(kind=EMBEDDED, database=label) for label in client_headline_rates))
    end = WARMUP_SECONDS + SECONDS
    totals = RunTotals("dvdstore", plan.client_plans(), Phases(measuring_from=WARMUP_SECONDS, measuring_to=end))
    return totals.add_all(
        dvd_sample(client=client, second=second, orders=_orders(opm, second - WARMUP_SECONDS))
        for client, opm in enumerate(client_headline_rates.values(), start=1)
        for second in range(end)
    ).totals()


def clients(*opms: int) -> dict[str, int]:
    """The clients of a table that names none."""
    return {f"ds2_{number}": opm for number, opm in enumerate(opms, start=1)}


def _orders(opm: int, second: int) -> int:
    """An even share of a minute's orders; in the warm-up another, which must not count."""
    return 9 if second < 0 else opm * (second + 1) // SECONDS - opm * second // SECONDS
