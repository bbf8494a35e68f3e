import pytest

from tests.benchmarks.server_view import STATEMENTS, expected, logged_times


def test_the_binding_and_the_execution_of_each_process_are_added() -> None:
    lines = []
    for text in STATEMENTS.values():
        for process, doing, milliseconds in ((7, "bind", 0.25), (8, "bind", 0.5), (7, "execute", 2), (8, "execute", 1)):
            head = f"2026-11-21 15:00:00.000 UTC [{process}] LOG:"
            lines.append(f"{head}  duration: {milliseconds:.3f} ms  {doing} s1: x {text}")
    lines.append("2026-11-21 15:00:00.000 UTC [9] LOG:  duration: 9.000 ms  execute s1: SELECT prices")
    lines.append("2026-11-21 15:00:00.000 UTC [9] LOG:  checkpoint complete")
    assert logged_times(lines) == {name: [2.25, 1.5] for name in STATEMENTS}


def test_a_client_should_see_the_server_and_the_loopback() -> None:
    seen = expected([1.0, 3.0], [0.25, 0.5, 0.75])
    assert (seen.mean_ms, seen.p50_ms, seen.p99_ms) == pytest.approx((2.5, 1.75, 3.75))
