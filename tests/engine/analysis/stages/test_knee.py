"""The knee on staircases made by hand."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.analysis.stages.knee import knee_of

# Rows a second of the published servers: the most that each reached, and the users from which it was saturated.
SERVERS = {"R710": (3_718, 110), "R720": (5_476, 250)}


def staircase(most: float, saturated_at: float, last: int) -> tuple[list[int], list[float]]:
    """Throughput that grows with every user up to saturation and stays there, for 10 users more at each stage."""
    users = list(range(10, last + 10, 10))
    return users, [most * min(1.0, each / saturated_at) for each in users]


@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.parametrize("beyond", [30, 100, 500])
def test_published_saturations_are_found_however_far_the_staircase_goes_on(name: str, beyond: int) -> None:
    most, saturated_at = SERVERS[name]
    knee = knee_of(*staircase(most, saturated_at, saturated_at + beyond))

    assert knee is not None
    assert knee.load == pytest.approx(saturated_at)
    assert knee.throughput == pytest.approx(most)
    assert knee.slopes == pytest.approx((most / saturated_at, 0), abs=1e-9)


def test_scatter_of_some_per_cent_moves_the_knee_by_less_than_a_stage() -> None:
    users, throughputs = staircase(3_718, 110, 200)
    scatter = [1.02, 0.99, 1.01, 0.98, 1.0, 1.02, 0.98, 1.01, 0.99, 1.01]
    found = knee_of(users, [each * scatter[place % 10] for place, each in enumerate(throughputs)])

    assert found is not None
    assert 100 < found.load < 120


def test_throughput_that_falls_beyond_the_knee_has_one() -> None:
    users = [10, 20, 30, 40, 50, 60]
    found = knee_of(users, [100, 200, 300, 280, 260, 240])

    assert found is not None
    assert found.load == pytest.approx(30)  # 10 x = 360 - 2 x
    assert found.slopes == pytest.approx((10, -2))


@pytest.mark.parametrize(
    ("loads", "throughputs"),
    [
        ([10, 20, 30], [1, 2, 2]),
        ([10, 20, 30, 40, 50], [10, 20, 30, 40, 50]),
        ([10, 20, 30, 40, 50], [10, 20, 30, 36, 42]),  # a bend to six tenths is none yet
        ([10, 20, 20, 30], [1, 2, 2, 2]),
        ([40, 30, 20, 10], [2, 2, 2, 1]),
        ([10, 20, 30, 40], [0, 0, 0, 0]),
        ([10, 20, 30, 40], [4, 3, 2, 1]),
    ],
)
def test_no_knee_is_named_where_there_is_none(loads: list[float], throughputs: list[float]) -> None:
    assert knee_of(loads, throughputs) is None


@given(
    st.integers(2, 20),
    st.integers(2, 20),
    st.floats(0.1, 1_000),
    st.floats(-0.5, 0.4),
    st.integers(1, 50),
)
def test_knee_of_two_exact_lines_is_where_they_meet(
    before: int, after: int, slope: float, share: float, step: int
) -> None:
    loads = [step * number for number in range(1, before + after + 1)]
    meets = loads[before - 1]
    throughputs = [slope * min(load, meets) + share * slope * max(0, load - meets) for load in loads]
    assume(throughputs[-1] >= 0)

    knee = knee_of(loads, throughputs)
    assert knee is not None
    assert knee.load == pytest.approx(meets, rel=1e-6)
    assert knee.throughput == pytest.approx(slope * meets, rel=1e-6)
