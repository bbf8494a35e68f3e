"""The arithmetic of stages and of arrivals, whatever the rates, the stages and the number of clients."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workload.pacing import EVEN, POISSON, OpenPacing, PacedStage, PacingPlan, StagedPacing, new_pacing

RATES = st.floats(0.5, 200)
LENGTHS = st.floats(1, 20)
STAGES = st.lists(st.tuples(LENGTHS, RATES), min_size=1, max_size=5)
START = 1000.0


def changes_of(stages: list[tuple[float, float]]) -> list[float]:
    """When one stage ends and the next begins, for a load without a warm-up."""
    moment, changes = START, []
    for seconds, _ in stages[:-1]:
        moment += seconds
        changes.append(moment)
    return changes


def paced(stages: list[tuple[float, float]], client: int, clients: int, arrivals: str, seed: int = 1) -> OpenPacing:
    paced_stages = tuple(PacedStage(seconds=seconds, rate=rate) for seconds, rate in stages)
    plan = PacingPlan(stages=paced_stages, client=client, clients=clients, arrivals=arrivals)
    pacing = new_pacing(plan, Random(f"{seed} {client}"))
    assert isinstance(pacing, OpenPacing)
    pacing.begin(START, changes_of(stages))
    return pacing


def dues(pacing: OpenPacing, until: float) -> list[float]:
    found = []
    while (due := pacing.next_due(0)) <= until:
        found.append(due)
    return found


@given(STAGES, st.integers(1, 7))
def test_clients_share_even_arrivals_exactly(stages: list[tuple[float, float]], clients: int) -> None:
    until = START + sum(seconds for seconds, _ in stages)
    alone = dues(paced(stages, 0, 1, EVEN), until)
    together = [dues(paced(stages, client, clients, EVEN), until) for client in range(clients)]

    assert sorted(due for each in together for due in each) == pytest.approx(alone, abs=1e-6)
    assert all(together[client] == pytest.approx(alone[client::clients], abs=1e-6) for client in range(clients))


@given(STAGES)
def test_even_arrivals_are_an_interval_apart_and_as_many_as_the_rate_says(stages: list[tuple[float, float]]) -> None:
    found = dues(paced(stages, 0, 1, EVEN), START + sum(seconds for seconds, _ in stages))

    begins = START
    for seconds, rate in stages:
        within = [due for due in found if begins <= due < begins + seconds]
        assert abs(len(within) - rate * seconds) <= 1 + 1e-6
        assert [b - a for a, b in pairwise(within)] == pytest.approx([1 / rate] * (len(within) - 1), rel=1e-6)
        begins += seconds


@given(STAGES, st.integers(1, 5), st.integers(0, 2**32))
def test_poisson_arrivals_scatter_as_their_rate_says(
    stages: list[tuple[float, float]], clients: int, seed: int
) -> None:
    ends = START + sum(seconds for seconds, _ in stages)
    found = [due for client in range(clients) for due in dues(paced(stages, client, clients, POISSON, seed), ends)]

    expected = sum(seconds * rate for seconds, rate in stages)
    # A bound that the tail of a Poisson count does not reach in any number of examples.
    assert abs(len(found) - expected) <= 9 * math.sqrt(expected) + 9
    again = [due for client in range(clients) for due in dues(paced(stages, client, clients, POISSON, seed), ends)]
    assert again == found


def test_gaps_of_poisson_arrivals_are_exponential() -> None:
    found = dues(paced([(4_000.0, 10.0)], 0, 1, POISSON), START + 4_000)
    gaps = [b - a for a, b in pairwise(found)]

    mean = sum(gaps) / len(gaps)
    spread = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert mean == pytest.approx(0.1, rel=0.03)
    assert spread == pytest.approx(mean, rel=0.03)  # of even arrivals it would be 0
    assert sum(gap > 0.1 for gap in gaps) / len(gaps) == pytest.approx(math.exp(-1), rel=0.05)


@given(STAGES, st.lists(st.floats(0, 40), max_size=10), st.sampled_from([EVEN, POISSON]))
def test_queue_is_what_was_due_and_not_taken(
    stages: list[tuple[float, float]], moments: list[float], arrivals: str
) -> None:
    pacing, twin = paced(stages, 0, 1, arrivals), paced(stages, 0, 1, arrivals)
    due = dues(twin, START + 50)
    for taken, moment in enumerate(sorted(moments)):
        now = START + moment
        assert pacing.queue(now) == [each for each in due[taken:] if each <= now]
        assert pacing.next_due(0) == due[taken]


def test_nothing_is_due_before_the_load_begins() -> None:
    plan = PacingPlan(stages=(PacedStage(seconds=1, rate=10),), client=0, clients=1)
    assert OpenPacing(plan, Random(1)).queue(START) == []


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9), st.floats(0, 5)), min_size=1, max_size=6),
    st.floats(-10, 200),
    st.integers(0, 9),
)
def test_user_is_active_in_the_stages_that_have_as_many(
    stages: list[tuple[int, int, float]], since: float, user: int
) -> None:
    plan = tuple(PacedStage(seconds=seconds, users=users, think_seconds=think) for seconds, users, think in stages)
    pacing = StagedPacing(PacingPlan(stages=plan, client=0, clients=1))
    ends = [sum(seconds for seconds, _, _ in stages[: place + 1]) for place in range(len(stages) - 1)]
    pacing.begin(START - 5, [START + end for end in ends])

    present = sum(since >= end for end in ends)
    wait = pacing.inactive_seconds(user, START + since)
    assert pacing.think_seconds(START + since) == stages[present][2]
    later = [place for place in range(present, len(stages)) if user < stages[place][1]]
    if not later:
        assert wait == math.inf
    elif later[0] == present:
        assert wait == 0
    else:
        assert since + wait == pytest.approx(ends[later[0] - 1])
    assert pacing.next_due(0) is None
    assert pacing.queue(START + since) == []
