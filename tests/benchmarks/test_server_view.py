from tests.benchmarks.server_view import STATEMENTS, logged_means


def test_binding_and_execution_are_averaged_apart_and_added() -> None:
    lines = []
    for text in STATEMENTS.values():
        for doing, milliseconds in (("bind", 0.25), ("bind", 0.75), ("execute", 2.0)):
            lines.append(f"2026-11-21 15:00:00.000 UTC [7] LOG:  duration: {milliseconds:.3f} ms  {doing} s1: x {text}")
    lines.append("2026-11-21 15:00:00.000 UTC [7] LOG:  duration: 9.000 ms  execute s1: SELECT prices")
    lines.append("2026-11-21 15:00:00.000 UTC [7] LOG:  checkpoint complete")
    assert logged_means(lines) == dict.fromkeys(STATEMENTS, 2.5)
