from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.plan.load.stage import Stage
from engine.plan.load.staircase import Staircase, StaircaseType


@given(
    st.one_of(
        st.fixed_dictionaries({"users": st.integers(1, 100)}, optional={"most": st.integers(100, 900)}),
        st.fixed_dictionaries({"rate": st.floats(0.01, 100), "most": st.floats(100, 900)}),
    ),
    st.integers(4, 100_000),
    st.floats(0, 1_000),
    st.floats(0, 50),
    st.one_of(st.none(), st.integers(0, 3)),
)
def test_staircase_is_read_back_from_its_text_and_from_plain_values(
    step: dict[str, Any], seconds: int, p95: float, growth: float, settle: int | None
) -> None:
    kind = StaircaseType()
    staircase = Staircase(seconds=seconds, p95_limit_ms=p95, least_growth_pct=growth, settle_seconds=settle, **step)
    assert kind.read("staircase", kind.write(staircase)) == staircase
    assert kind.checked("staircase", kind.plain(staircase)) == staircase


def test_published_staircase_is_one_short_text() -> None:
    staircase = Staircase.from_text("10:2:00")

    assert staircase == Staircase(users=10, seconds=120, p95_limit_ms=50, least_growth_pct=2)
    assert staircase.stages(35) == tuple(Stage(users=users, seconds=120) for users in (10, 20, 30))


def test_staircase_of_rates_goes_up_to_its_limit() -> None:
    staircase = Staircase.from_text("600/min:30s most 1800 settle 5s")
    assert staircase.stages(1) == tuple(Stage(rate=rate, seconds=30, settle_seconds=5) for rate in (600, 1200, 1800))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("10", "staircase is '10'; write the step and how long it lasts"),
        ("ten:2:00", "staircase is 'ten:2:00'"),
        ("0:2:00", "users of a step is 0"),
        ("10:2:00 until p95", "write the step and how long it lasts"),
        ("600/min:2:00", "a staircase of rates would never end; give it a limit"),
        ("10:2:00 most 5", "most is 5; give at least the 10 of the first step."),
        ("10:0:08 settle 0:08", "its settling time is 0:08"),
        ("10:2:00 p95 -1", "p95_limit_ms is -1"),
    ],
)
def test_staircase_that_can_not_be_run_is_refused_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        Staircase.from_text(text)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("users", "told"),
    [
        (9, "staircase adds 10 users at each step, and the plan has 9 users; give it 10 users or more."),
        (9_000, "staircase has 900 steps up to 9000; use at most 500"),
    ],
)
def test_number_of_steps_has_its_limits(users: int, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        Staircase.from_text("10:2:00").stages(users)
    assert told in str(caught.value)
