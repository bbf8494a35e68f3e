"""The arithmetic of a search, against a limit that is known, and against any verdicts."""

import math

from hypothesis import given
from hypothesis import strategies as st

from engine.campaign.criteria import criterion_of, parse_criterion
from engine.campaign.searching import Grid, Point, Verdict, answer, judge, next_value
from engine.workload.registry import DVD_STORE, WHOLESALE

CRITERIA = (parse_criterion("p95_ms <= 20"),)
WHOLE_GRIDS = st.builds(
    lambda least, size, resolution: Grid(least=least, most=least + size, resolution=resolution),
    st.integers(0, 500), st.integers(1, 2_000), st.integers(1, 7),
)  # fmt: skip


def searched(grid: Grid, verdict_at) -> list[Point]:
    points: list[Point] = []
    while (value := next_value(grid, points)) is not None:
        assert value not in [point.value for point in points]
        assert grid.least <= value <= grid.most
        points.append(Point(value=value, verdict=verdict_at(value), reasons=("p95_ms is 30",)))
        assert len(points) <= 2 * math.ceil(math.log2(grid.last + 2)) + 3
    return points


@given(WHOLE_GRIDS, st.integers(0, 3_000))
def test_a_search_finds_the_highest_value_that_holds(grid, limit):
    points = searched(grid, lambda value: Verdict.HOLDS if value <= limit else Verdict.MISSES)
    values = [grid.value(index) for index in range(grid.last + 1)]
    held = [value for value in values if value <= limit]
    found = answer(grid, points, "Users", CRITERIA)
    assert found.highest == (held[-1] if held else None)
    assert found.bound == next((value for value in values if value > limit), None)
    assert found.is_certain is (found.bound is not None)


@given(WHOLE_GRIDS, st.randoms(use_true_random=False))
def test_any_verdicts_end_a_search_with_neighbours(grid, random):
    points = searched(grid, lambda _value: random.choice(list(Verdict)))
    found = answer(grid, points, "Users", CRITERIA)
    verdicts = {point.value: point.verdict for point in points}
    if found.highest is not None:
        assert verdicts[found.highest] is Verdict.HOLDS
    if found.bound is not None:
        assert verdicts[found.bound] is not Verdict.HOLDS
        assert found.is_certain is (verdicts[found.bound] is Verdict.MISSES)
        assert grid.index(found.bound) - (-1 if found.highest is None else grid.index(found.highest)) == 1


def test_the_path_doubles_and_then_bisects():
    points = searched(Grid(least=8, most=512), lambda value: Verdict.HOLDS if value <= 50 else Verdict.MISSES)
    assert [point.value for point in points] == [8, 16, 32, 64, 48, 56, 52, 50, 51]


def test_a_fraction_is_searched_in_steps_of_the_resolution():
    grid = Grid(least=0.5, most=4, resolution=0.25)
    points = searched(grid, lambda value: Verdict.HOLDS if value < 2.6 else Verdict.MISSES)
    assert answer(grid, points, "Rate", CRITERIA).sentence == (
        "Rate: 2.5 holds p95_ms <= 20. 2.75 misses it: p95_ms is 30."
    )


def test_an_answer_says_what_could_not_be_judged():
    grid = Grid(least=1, most=8)
    refused = Point(value=2, verdict=Verdict.REFUSED, reasons=("the workstation was the bottleneck",))
    found = answer(grid, [Point(value=1, verdict=Verdict.HOLDS), refused], "Users", CRITERIA)
    assert (found.highest, found.bound, found.is_certain) == (1, 2, False)
    assert found.sentence == (
        "Users: 1 holds p95_ms <= 20. 2 can't be judged: the workstation was the bottleneck. The limit may be higher."
    )
    first = Point(value=1, verdict=Verdict.REFUSED, reasons=("no run counts",))
    assert answer(grid, [first], "Users", CRITERIA).sentence == "Users: 1, the lowest, can't be judged: no run counts."


def judged_by(*texts: str, workload: str = DVD_STORE):
    return [criterion_of(parse_criterion(text), workload) for text in texts]


def test_a_point_is_judged_by_all_criteria():
    criteria = judged_by("opm_per_target >= 25000", "p95_ms<=20")
    assert [each.text for each in criteria] == ["opm_per_target >= 25000", "p95_ms <= 20"]
    assert judge(criteria, {"opm_per_target": 25_000, "p95_ms": 20}) == (Verdict.HOLDS, ())
    assert judge(criteria, {"opm_per_target": 24_000, "p95_ms": 21.5}) == (
        Verdict.MISSES, ("opm_per_target is 24000", "p95_ms is 21.5"),
    )  # fmt: skip
    assert judge(criteria, {"opm_per_target": 1, "p95_ms": None}) == (Verdict.REFUSED, ("p95_ms is not known",))


def test_figures_are_named_as_in_checks():
    criteria = judged_by("p95 <= 20 ms", "payment.p95 <= 0.03 s", "intended_p99 < 50", workload=WHOLESALE)
    figures = {"p95_ms": 21.5, "payment.p95_ms": 30, "intended_p99_ms": 50.25}
    assert judge(criteria, figures) == (Verdict.MISSES, ("p95 is 21.5 ms", "intended_p99 is 50.25 ms"))


def test_doubts_forbid_only_that_a_point_misses():
    doubts = ("the workstation distorted the run: a heartbeat came 80 ms late",)
    criteria = judged_by("p95_ms <= 20")
    assert judge(criteria, {"p95_ms": 12}, (), doubts) == (Verdict.HOLDS, ())
    assert judge(criteria, {"p95_ms": 30}, (), doubts) == (Verdict.REFUSED, ("p95_ms is 30", *doubts))
    assert judge(criteria, {"p95_ms": 12}, ("not steady",), doubts) == (Verdict.REFUSED, ("not steady",))
