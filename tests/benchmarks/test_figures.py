import pytest

from tests.benchmarks.figures import FIRST_STEP, MET, MISSED, Goal, figure, ratios, spread


@pytest.mark.parametrize(
    ("goal", "value", "verdict"),
    [
        (Goal(limit=1.5, first_step=2.0), 1.5, MET),
        (Goal(limit=1.5, first_step=2.0), 1.9, FIRST_STEP),
        (Goal(limit=1.5, first_step=2.0), 2.1, MISSED),
        (Goal(limit=1.0, at_least=True, first_step=0.95), 0.96, FIRST_STEP),
        (Goal(limit=1.0, at_least=True), 0.99, MISSED),
        (Goal(limit=5.0, either_way=True), -4.9, MET),
        (Goal(limit=5.0, either_way=True), -5.1, MISSED),
    ],
)
def test_a_goal_judges(goal: Goal, value: float, verdict: str) -> None:
    assert goal.verdict(value) == verdict


def test_figure_is_judged_by_its_median_and_lists_every_round() -> None:
    plain = figure("rate", "×", [0.8, 1.2, 1.1], Goal(limit=1.0, at_least=True)).to_dict()
    assert (plain["median"], plain["min"], plain["max"], plain["verdict"]) == (1.1, 0.8, 1.2, MET)
    assert plain["rounds"] == [0.8, 1.2, 1.1]


def test_ratios_are_computed_round_by_round() -> None:
    assert ratios([10.0, 30.0], [5.0, 60.0]) == [2.0, 0.5]


def test_a_spread_shows_median_and_ends() -> None:
    assert spread([3.0, 1.0, 2.0], ".1f") == "2.0 [1.0–3.0]"
    assert spread([3.0], ".1f") == "3.0"


@pytest.mark.parametrize(
    ("goal", "rounds", "verdict"),
    [
        (Goal(limit=100.0), [90, 95, 300], MET),
        (Goal(limit=100.0, in_every_round=True), [90, 95, 300], MISSED),
        (Goal(limit=100.0, in_every_round=True), [90, 95, 100], MET),
        (Goal(limit=1.0, at_least=True, in_every_round=True), [0.9, 1.1, 1.2], MISSED),
        (Goal(limit=5.0, either_way=True, in_every_round=True), [-5.1, 1, 5], MISSED),
    ],
)
def test_what_must_never_be_missed_is_judged_by_its_worst_round(goal: Goal, rounds: list[float], verdict: str) -> None:
    assert figure("lateness", "ms", rounds, goal).verdict == verdict
