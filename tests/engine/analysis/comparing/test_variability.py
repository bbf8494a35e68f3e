"""The variability of a run's clients."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.variability import totals_variability_pct, variability_pct
from engine.record.totals import Totals
from tests.engine.analysis.published_rows import clients, totals_of

OPMS = st.lists(st.integers(0, 10_000_000), min_size=2, max_size=24)


def test_variability_is_range_divided_by_largest() -> None:
    assert variability_pct([46_627, 46_597, 46_819, 46_561]) == pytest.approx(0.5510, abs=1e-4)


@pytest.mark.parametrize(
    ("opms", "total", "printed"),
    [
        ((5_567, 6_055, 4_823, 4_291), 20_736, "29.1"),
        ((4_719, 7_376, 7_628, 4_362), 24_085, "42.8"),
        ((46_627, 46_597, 46_819, 46_561), 186_604, "0.6"),
        ((29_443, 30_184, 30_283, 30_325, 30_517, 30_722, 30_711, 30_080), 242_265, "4.2"),
    ],
)
def test_variability_matches_published_tables(opms: tuple[int, ...], total: int, printed: str) -> None:
    totals = totals_of(clients(*opms))
    assert totals.headline_rate == total
    assert tuple(client.headline_rate for client in totals.clients) == opms
    assert f"{totals_variability_pct(totals):.1f}" == printed


@pytest.mark.parametrize("opms", [[], [500], [500, None], [None, None], [0, 0]])
def test_variability_needs_two_known_clients_and_orders(opms: list[int | None]) -> None:
    assert variability_pct(opms) is None


@given(OPMS)
def test_variability_is_between_0_and_100_per_cent(opms: list[int]) -> None:
    found = variability_pct(opms)
    assert (found is None) is (max(opms) == 0)
    assert found is None or 0 <= found <= 100
    assert (found == 0) is (found is not None and len(set(opms)) == 1)


@given(OPMS, st.randoms())
def test_variability_does_not_depend_on_client_order(opms: list[int], random: Random) -> None:
    shuffled = random.sample(opms, len(opms))
    assert variability_pct(shuffled) == variability_pct(opms)


def test_variability_is_computed_from_totals() -> None:
    assert totals_variability_pct(totals_of({"a": 100, "b": 80})) == 20
    assert totals_variability_pct(Totals(headline_rate=100)) is None
    assert totals_variability_pct(None) is None
