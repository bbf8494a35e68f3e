"""Whether the queue within a workload's emulation grew."""

import numpy as np
import pytest

from engine.analysis.backlog import backlog_totals


def depths(seconds: int, *, rises: float, noise: float = 3.0) -> "np.typing.NDArray[np.float64]":
    random = np.random.default_rng(7)
    return np.round(np.maximum(0.0, 5 + rises * np.arange(seconds) + noise * random.standard_normal(seconds)))


@pytest.mark.parametrize(
    ("rises", "per_second", "has_grown"),
    [(0.0, 50.0, False), (0.5, 50.0, True), (0.5, 500.0, False), (-0.02, 1.0, False)],
)
def test_a_queue_has_grown_by_more_than_a_second_of_transactions(
    rises: float, per_second: float, has_grown: bool
) -> None:
    found = backlog_totals(depths(180, rises=rises), per_second)
    assert found is not None
    assert found.has_grown is has_grown
    assert found.growth == pytest.approx(180 * rises, abs=4)


def test_a_queue_that_is_emptied_after_an_outage_has_not_grown() -> None:
    filled = np.zeros(200)
    filled[60:90] = 400
    found = backlog_totals(filled, 50.0)
    assert found is not None
    assert (found.has_grown, found.longest, found.mean) == (False, 400, 60.0)


def test_unknown_seconds_are_left_out_and_a_short_run_is_not_judged() -> None:
    short = np.array([1.0, np.nan, 3.0])
    found = backlog_totals(short, 1.0)
    assert found is not None
    assert (found.mean, found.longest, found.has_grown) == (2.0, 3, None)
    assert backlog_totals(np.full(5, np.nan), 1.0) is None
