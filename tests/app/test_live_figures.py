from dataclasses import replace

import pytest

from app.live_figures import LiveFigures
from engine.record import Phases
from tests.app.runs import PHASES, SECONDS, a_sample, samples_of


def figures_of(clients: int, *, phases: Phases = PHASES) -> LiveFigures:
    figures = LiveFigures(clients)
    figures.phases = phases
    for sample in samples_of(clients):
        figures.add(sample)
    return figures


def test_nothing_is_known_before_the_first_sample() -> None:
    nothing = LiveFigures(2).of(None)
    assert (nothing.opm_running, nothing.opm_now, nothing.opm_window, nothing.p95_ms) == (None, None, None, None)
    assert (nothing.orders, nothing.errors) == (0, {})


def test_orders_count_from_the_reset_and_times_from_the_window() -> None:
    total = figures_of(2).of(None)
    measured = 2 * sum(8 + second for second in range(3, 9))
    assert total.orders == measured
    assert total.opm_running == 60 * measured // 6
    assert total.opm_now == 60 * 2 * 16
    assert total.rollback_pct == pytest.approx(100 * 12 / measured)
    assert total.mean_ms == 4.0
    assert total.p95_ms == pytest.approx(4.0, rel=0.001)
    assert total.users == {"working": 6, "thinking": 10, "reconnecting": 0, "down": 0}


def test_a_client_is_a_part_of_the_whole() -> None:
    figures = figures_of(2)
    assert 2 * figures.of(1).orders == figures.of(None).orders


def test_before_the_reset_orders_count_from_the_start() -> None:
    warming_up = figures_of(1, phases=Phases(warming_up_from=0, measuring_from=60)).of(None)
    assert warming_up.opm_running is None or warming_up.opm_running == 0
    assert warming_up.orders == sum(8 + second for second in range(SECONDS))


def test_what_comes_after_the_measured_time_changes_nothing() -> None:
    figures = figures_of(1)
    before = figures.of(None)
    figures.add(a_sample(1, SECONDS, orders=1, working=0, thinking=0, down=8))
    after = figures.of(None)
    assert (after.opm_running, after.opm_now, after.orders) == (before.opm_running, before.opm_now, before.orders)
    assert after.users["down"] == 8


def test_a_second_counts_when_every_client_has_told_of_it() -> None:
    figures = figures_of(2, phases=Phases(warming_up_from=0, measuring_from=0))
    assert figures.end == SECONDS
    figures.add(a_sample(1, SECONDS))
    assert figures.end == SECONDS
    figures.add(a_sample(2, SECONDS))
    assert figures.end == SECONDS + 1


def test_a_client_that_is_lost_holds_the_others_up_no_longer() -> None:
    figures = figures_of(2, phases=Phases(warming_up_from=0, measuring_from=0))
    for second in range(SECONDS, SECONDS + 4):
        figures.add(a_sample(1, second))
    assert figures.end == SECONDS + 4
    assert figures.of(None).opm_now == figures.of(1).opm_now
    assert figures.of(2).opm_now is None


def test_errors_are_counted_from_the_start() -> None:
    figures = figures_of(2)
    figures.add(replace(a_sample(2, SECONDS), errors={"timeout": 2}))
    figures.add(replace(a_sample(1, SECONDS), errors={"timeout": 1, "deadlock": 5}))
    assert figures.of(None).errors == {"deadlock": 5, "timeout": 3}
    assert figures.of(2).errors == {"timeout": 2}
