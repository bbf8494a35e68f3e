"""Density: the largest number of targets that holds a service level, and what each step reached."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.density import DensityStep, ResponseTime, ServiceLevel, density
from engine.errors import BadInput
from tests.engine.analysis.published_rows import clients, totals_of

STEPS = st.lists(
    st.builds(
        DensityStep,
        name=st.just("step"),
        targets=st.integers(1, 64),
        headline_rate=st.none() | st.integers(0, 10**6),
        p95_ms=st.none() | st.floats(0, 1e4),
    ),
    unique_by=lambda step: step.targets,
    max_size=8,
)
LEVELS = st.builds(ServiceLevel, headline_rate_per_target=st.floats(1, 1e5), response_ms=st.none() | st.floats(1, 1e4))


def measured(*opms: int, p95_ms: float | None = None) -> DensityStep:
    return DensityStep(
        name="run", targets=len(opms), headline_rate=totals_of(clients(*opms)).headline_rate, p95_ms=p95_ms
    )


FOUR = measured(46_627, 46_597, 46_819, 46_561, p95_ms=12.0)
EIGHT = measured(29_443, 30_184, 30_283, 30_325, 30_517, 30_722, 30_711, 30_080, p95_ms=25.0)


def test_density_uses_the_average_opm_per_target() -> None:
    found = density(ServiceLevel(headline_rate_per_target=30_000), [EIGHT, FOUR], "OPM")
    assert [step.headline_rate_per_target for step in found.steps] == [46_651, 30_283.125]
    assert found.most_targets == 8
    assert found.sentence == "8 targets hold the service level."
    assert density(ServiceLevel(headline_rate_per_target=30_284), [FOUR, EIGHT], "OPM").most_targets == 4


def test_density_requires_both_bounds_and_names_the_missed_one() -> None:
    found = density(ServiceLevel(headline_rate_per_target=30_000, response_ms=20), [FOUR, EIGHT], "OPM")
    assert found.most_targets == 4
    assert [step.holds for step in found.steps] == [True, False]
    assert found.steps[1].missed == "p95 response time is over 20 ms"
    assert found.steps[1].response_ms == 25.0


def test_density_of_an_unknown_figure_is_unknown() -> None:
    found = density(ServiceLevel(response_ms=20, response=ResponseTime.MEAN), [FOUR], "OPM")
    assert found.steps[0].holds is None
    assert found.steps[0].missed == "mean response time is not known"
    assert found.most_targets is None
    assert found.sentence == "No step holds the service level."


def test_density_sentence_names_a_smaller_step_that_missed() -> None:
    one = DensityStep(name="bad run", targets=1, headline_rate=100)
    found = density(ServiceLevel(headline_rate_per_target=30_000), [one, FOUR], "OPM")
    assert found.sentence == "4 targets hold the service level, though 1 did not hold it or could not be judged."


def test_density_without_steps_is_none() -> None:
    assert density(ServiceLevel(headline_rate_per_target=1), [], "OPM").sentence == "There is no step to judge."


@pytest.mark.parametrize(
    "level", [{}, {"headline_rate_per_target": 0}, {"response_ms": -1}, {"response_ms": float("nan")}]
)
def test_service_level_without_bounds_is_rejected(level: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="the service level"):
        ServiceLevel(**level)  # type: ignore[arg-type]


def test_density_rejects_steps_with_equal_targets() -> None:
    level = ServiceLevel(headline_rate_per_target=1)
    with pytest.raises(BadInput, match="2 steps have 4 targets; give one for each number"):
        density(level, [FOUR, FOUR], "OPM")
    with pytest.raises(BadInput, match="step 'x' has 0 targets"):
        density(level, [DensityStep(name="x", targets=0, headline_rate=5)], "OPM")


@given(LEVELS, STEPS)
def test_density_is_the_largest_step_that_meets_the_level(level: ServiceLevel, steps: list[DensityStep]) -> None:
    found = density(level, steps, "OPM")
    holding = {
        step.targets
        for step in steps
        if step.headline_rate is not None
        and step.headline_rate >= (level.headline_rate_per_target or 0) * step.targets * (1 - 1e-12)
        and (level.response_ms is None or (step.p95_ms is not None and step.p95_ms <= level.response_ms))
    }
    assert found.most_targets == max(holding, default=None)
    assert all(bool(each.missed) is not bool(each.holds) for each in found.steps)
