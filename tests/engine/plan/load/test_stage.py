from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.plan.load.profile import LoadProfile, share_of
from engine.plan.load.stage import Stage, Stages
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan

_LOADS = st.one_of(
    st.fixed_dictionaries(
        {"users": st.integers(1, 5_000)}, optional={"think_time_ms": st.floats(0, 1_000, allow_nan=False)}
    ),
    st.fixed_dictionaries({"rate": st.floats(0.01, 1e6)}),
)


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    seconds = draw(st.integers(2, 100_000))
    settle = draw(st.one_of(st.none(), st.integers(0, seconds - 1)))
    return Stage(seconds=seconds, settle_seconds=settle, **draw(_LOADS))


@given(st.lists(stages(), min_size=1, max_size=5))
def test_stages_are_read_back_from_their_text_and_from_plain_values(given_stages: list[Stage]) -> None:
    kind = Stages()
    assert kind.read("stages", kind.write(given_stages)) == tuple(given_stages)
    assert kind.checked("stages", kind.plain(given_stages)) == tuple(given_stages)


def test_stages_are_written_as_people_do() -> None:
    read = Stages().read("stages", "10 users 2:00, 1 user 90s settle 5s think 20 ms")
    assert read == (
        Stage(users=10, seconds=120),
        Stage(users=1, seconds=90, settle_seconds=5, think_time_ms=20),
    )
    assert Stages().read("stages", "6000/min 5m, 60.5 / min 120") == (
        Stage(rate=6000, seconds=300),
        Stage(rate=60.5, seconds=120),
    )


@pytest.mark.parametrize(("seconds", "settling"), [(1, 0), (8, 2), (119, 29), (120, 30), (7200, 30)])
def test_usual_settling_time_is_a_quarter_and_at_most_half_a_minute(seconds: int, settling: int) -> None:
    assert Stage(users=1, seconds=seconds).settling_seconds == settling


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "stage '' can't be read"),
        ("10 clients 2:00", "can't be read; write stages such as '10 users 2:00"),
        ("10 users", "stage '10 users' does not say how long it lasts; write stages such as"),
        ("10 users 2:00 and more", "time is '2:00 and more'"),
        ("ten users 2:00", "users of a stage is 'ten'; give a number."),
        ("0 users 2:00", "users of a stage is 0; give a whole number from 1"),
        ("1.5 users 2:00", "users of a stage is 1.5; give a whole number"),
        ("0/min 2:00", "rate of a stage is 0; give a number from 0.01"),
        ("10 users 0:10 settle 0:10", "its settling time is 0:10; give a longer stage or a shorter settling time."),
        ("10 users 0s", "seconds of a stage is 0"),
        ("60/min 1:00 think 5", "stage '60/min' has a rate and a think time; leave out the think time."),
    ],
)
def test_stage_that_can_not_be_run_is_refused_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        Stages().read("stages", text)
    assert str(caught.value).startswith("stages: ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("plain", "told"),
    [
        ([], "stages is []; give a list of stages"),
        ([{"seconds": 9}], "stages, number 1: a stage needs either users or a rate"),
        (
            [{"users": 1, "seconds": 9}, {"users": 1, "rate": 4.0, "seconds": 9}],
            "stages, number 2: a stage needs either",
        ),
        ([{"users": 1}], "seconds of a stage is 0"),
        ([{"users": 1, "seconds": 9, "usres": 3}], "stage key 'usres' is not known; did you mean 'users'"),
        ([7], "a stage is 7; give a table"),
        (7, "stages is 7; give a list of stages"),
        ([{"users": 1, "seconds": 9}] * 501, "stages has 501 stages; use at most 500."),
    ],
)
def test_plain_values_that_are_no_stages_are_refused(plain: Any, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        Stages().checked("stages", plain)
    assert told in str(caught.value)


@given(st.integers(0, 10_000), st.integers(1, 256))
def test_clients_share_the_users_of_a_stage_as_evenly_as_there_are(users: int, clients: int) -> None:
    shares = [share_of(users, client, clients) for client in range(clients)]
    assert sum(shares) == users
    assert max(shares) - min(shares) <= 1


@given(st.lists(stages().filter(lambda stage: stage.rate is None), min_size=1, max_size=6), st.integers(0, 1_000))
def test_spans_follow_one_another_and_count_after_their_settling(given_stages: list[Stage], first: int) -> None:
    profile = LoadProfile(stages=tuple(given_stages))
    spans = list(profile.spans(first))

    assert [span.number for span in spans] == list(range(1, len(given_stages) + 1))
    assert spans[0].begins == first
    assert all(before.ends == after.begins for before, after in pairwise(spans))
    assert spans[-1].ends == first + profile.seconds
    assert all(span.begins <= span.counts_from < span.ends for span in spans)


def test_profile_of_users_and_rates_is_refused() -> None:
    with pytest.raises(BadInput, match="give all of them users, or all of them a rate"):
        LoadProfile(stages=(Stage(users=1, seconds=9), Stage(rate=60, seconds=9)))


@pytest.mark.parametrize("text", ["50/s 5:00, 100/s 5:00 settle 0:10", "2.5/s 1:00"])
def test_rates_are_typed_by_the_period_of_the_workloads_metric(text: str) -> None:
    plan = RunPlan(workload="brokerage", stages=Stages().read("stages", text))
    assert Stages().write(plan.stages or ()) == text
    assert RunPlan.from_dict(plan.to_dict()) == plan
    assert "/s" in proposed_name(plan)


def test_a_rate_of_another_period_is_refused() -> None:
    with pytest.raises(BadInput, match=r"rate 60/min is not per second, as trades/s are; write it so, as in 100/s"):
        RunPlan(workload="brokerage", stages="60/min 5:00")
    with pytest.raises(BadInput, match=r"rate 60/s is not per minute, as OPM are"):
        RunPlan(staircase="60/s:1:00 most 600")


def test_the_rates_label_is_that_of_the_workload() -> None:
    assert RunPlan(workload="brokerage").described()["rate"].titled == "Rate, per second"
    assert RunPlan().described()["rate"].titled == "Rate, per minute"
