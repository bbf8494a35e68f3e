"""How long users waited for the workstation, from the health reports of a client process."""

from dataclasses import replace

import pytest

from engine.driver.messages import HealthReport

SIGNS = HealthReport(
    process=1,
    sent_at=5.0,
    heartbeat=b"",
    longest_gc_pause_ms=0.0,
    run_queue_ms=100.0,
    answers_waited_ms=None,
    orders=10,
    order_ms=500.0,
    tick_late_ms=0.1,
    usable_processors=1,
)


@pytest.mark.parametrize(
    ("answers_waited_ms", "users_waited_ms"),
    [(350.0, 350.0), (0.0, 0.0), (None, 100.0)],
    ids=["a thread for all users", "nobody was kept waiting", "a thread for each user"],
)
def test_what_the_answers_waited_counts_before_what_the_threads_did(
    answers_waited_ms: float | None, users_waited_ms: float
) -> None:
    assert replace(SIGNS, answers_waited_ms=answers_waited_ms).users_waited_ms == users_waited_ms


def test_user_waiting_time_is_unknown_without_system_support() -> None:
    assert replace(SIGNS, run_queue_ms=None).users_waited_ms is None
