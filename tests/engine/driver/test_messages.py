"""What a client's signs say of its users' waiting for a processor."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.messages import VitalSigns

SIGNS = VitalSigns(
    client=1,
    told_at=5.0,
    heartbeat=b"",
    longest_gc_pause_ms=0.0,
    run_queue_ms=100.0,
    answers_at_once=1.0,
    orders=10,
    order_ms=500.0,
    tick_late_ms=0.1,
)
WAITS = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("answers_at_once", "waited_ms"),
    [(1.0, 100.0), (3.0, 200.0), (0.25, 25.0), (0.0, 0.0)],
    ids=["a user's own thread", "a full wait and two halves", "mostly woken by pauses", "nobody was kept waiting"],
)
def test_the_waiting_of_a_thread_is_that_of_the_users_it_then_serves(answers_at_once: float, waited_ms: float) -> None:
    assert replace(SIGNS, answers_at_once=answers_at_once).users_waited_ms == pytest.approx(waited_ms)


def test_where_the_system_tells_of_no_run_queue_the_users_waiting_is_unknown() -> None:
    assert replace(SIGNS, run_queue_ms=None).users_waited_ms is None


@given(WAITS, st.floats(0, 1000), st.floats(0, 1000))
def test_who_serves_more_at_once_keeps_more_waiting_and_nobody_longer_than_it_waited_itself(
    run_queue_ms: float, answers: float, more: float
) -> None:
    few = replace(SIGNS, run_queue_ms=run_queue_ms, answers_at_once=answers).users_waited_ms
    many = replace(SIGNS, run_queue_ms=run_queue_ms, answers_at_once=answers + more).users_waited_ms
    assert few is not None
    assert many is not None
    assert few <= many
    assert few <= run_queue_ms * answers * (1 + 1e-9)
