from collections.abc import Sequence

import pytest

from engine.analysis.recovery.judging import recovery_of
from engine.analysis.recovery.levels import orders_between
from engine.analysis.recovery.published import Published, published_of, running_rates
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import span_of
from engine.analysis.run_data import RunData
from tests.engine.analysis.faulted import constant, fault, run_of

TWENTY_MINUTES = 1_200


def spread_evenly(total: int, seconds: int) -> list[int]:
    """Orders of each second that add up to a total."""
    return [total * (second + 1) // seconds - total * second // seconds for second in range(seconds)]


def published_case(*, clients: int = 1, later: Sequence[int] = ()) -> RunData:
    """The published test: 76,129 OPM running when the enclosure is pulled, 76,010 twelve seconds later, back after 26.

    The orders of each second are those that such running averages need: 12 s with 84 % of the orders before, then 26 s
    with 7 % more of them.
    """
    before, at_lowest, at_return = 76_129 * 20, 76_010 * 1_212 // 60 + 1, 76_129 * 1_238 // 60 + 1
    orders = spread_evenly(before, TWENTY_MINUTES)
    orders += spread_evenly(at_lowest - before, 12)
    orders += spread_evenly(at_return - at_lowest, 26)
    orders += [*spread_evenly(76_129 * 10, 600), *later]
    return run_of(*(spread_over(orders, clients, client) for client in range(clients)))


def spread_over(orders: list[int], clients: int, client: int) -> list[int]:
    return [each * (client + 1) // clients - each * client // clients for each in orders]


def figures_of(run: RunData, at_seconds: float, *, at: int | None = None) -> Published:
    return recovery_of(run, fault(at_seconds), at=at).total.published


@pytest.mark.parametrize("clients", [1, 4])
def test_published_case_has_its_published_figures(clients: int) -> None:
    recovery = recovery_of(published_case(clients=clients), fault(TWENTY_MINUTES, label="Enclosure pulled"))

    published = recovery.total.published
    assert (published.headline_rate_before, published.headline_rate_lowest) == (76_129, 76_010)
    assert published.drop_pct is not None
    assert round(published.drop_pct, 2) == 0.16
    assert (published.stabilised_seconds, published.back_seconds) == (12, 26)
    assert recovery.total.felt.recovered_seconds == 12


def test_published_case_is_computed_during_the_run() -> None:
    run = published_case()

    at_the_lowest = figures_of(run, TWENTY_MINUTES, at=TWENTY_MINUTES + 12)
    assert (at_the_lowest.headline_rate_lowest, at_the_lowest.stabilised_seconds, at_the_lowest.back_seconds) == (
        76_010,
        12,
        None,
    )
    assert figures_of(run, TWENTY_MINUTES, at=TWENTY_MINUTES + 6).stabilised_seconds == 6
    assert figures_of(run, TWENTY_MINUTES, at=TWENTY_MINUTES + 37).back_seconds is None
    assert figures_of(run, TWENTY_MINUTES, at=TWENTY_MINUTES + 38).back_seconds == 26


def test_drift_after_recovery_does_not_count() -> None:
    published = figures_of(published_case(later=constant(600, 1_000)), TWENTY_MINUTES)

    assert (published.headline_rate_lowest, published.stabilised_seconds, published.back_seconds) == (76_010, 12, 26)


def test_a_running_average_that_does_not_fall_has_no_drop() -> None:
    published = figures_of(run_of(constant(100)), 60.5)

    assert (published.headline_rate_before, published.headline_rate_lowest, published.drop_pct) == (6_000, 6_000, 0.0)
    assert (published.stabilised_seconds, published.back_seconds) == (0.0, 0.0)


def test_without_a_surplus_afterwards_it_never_comes_back() -> None:
    published = figures_of(run_of([*constant(60), *constant(3, 0), *constant(200)]), 60.0)

    assert (published.headline_rate_lowest, published.stabilised_seconds) == (60 * 6_000 // 63, 3.0)
    assert published.back_seconds is None


def test_published_is_unknown_before_measuring() -> None:
    assert figures_of(run_of(constant(50), measuring_from=20), 20.4) == Published()
    assert figures_of(run_of(constant(50), measuring_from=20), 10.0) == Published()
    assert figures_of(run_of(constant(50)), 49.9, at=49).headline_rate_before == 6_000


def test_a_dead_client_keeps_its_average_and_takes_nothing_from_the_total() -> None:
    orders = [*constant(40), *constant(5, 0), *constant(60, 110)]
    died = run_of(orders, constant(40))
    span = span_of(died, fault(40.0), RecoverySettings())

    total, first, second = running_rates(died, span, orders_between(died, span.first, span.end))

    assert total is not None
    assert first is not None
    assert second is not None
    assert second.tolist() == [6_000] * 66
    assert total.tolist() == (first + 6_000).tolist()


def test_a_client_that_was_not_known_before_has_no_running_opm() -> None:
    run = run_of(constant(60), [None] * 30 + constant(30))
    span = span_of(run, fault(30.0), RecoverySettings())

    _, _, second = running_rates(run, span, orders_between(run, span.first, span.end))

    assert second is None
    assert published_of(second, span, None) == Published()
