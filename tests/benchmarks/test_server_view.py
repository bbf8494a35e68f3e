import pytest

from tests.benchmarks import twins
from tests.benchmarks.server_view import STATEMENTS, LoggedCall, Watched, expected, logged_calls

_HEAD = "1763737200.125 127.0.0.1({port}) {application} LOG:  duration: {milliseconds:.3f} ms  {doing} s1: {text}"


def test_the_binding_and_the_execution_of_each_process_are_added() -> None:
    parts = [(7, "spindle", "bind", 0.25), (8, "pgbench", "bind", 0.5)]
    parts += [(7, "spindle", "execute", 2), (8, "pgbench", "execute", 1)]
    lines = [
        _HEAD.format(port=port, application=application, doing=doing, milliseconds=milliseconds, text=text)
        for text in STATEMENTS.values()
        for port, application, doing, milliseconds in parts
    ]
    lines.append("1763737200.500 127.0.0.1(9) spindle LOG:  duration: 9.000 ms  execute s1: CALL purchase($1)")
    lines.append("1763737200.500   LOG:  checkpoint complete")
    assert [*logged_calls(lines)] == [
        LoggedCall(application, port, name, 1763737200.125, milliseconds)
        for name in STATEMENTS
        for port, application, milliseconds in ((7, "spindle", 2.25), (8, "pgbench", 1.5))
    ]


def test_a_view_is_of_one_application_and_of_what_ended_in_its_seconds() -> None:
    watched = Watched(
        calls=[
            LoggedCall("spindle", 7, "login", moment, milliseconds)
            for moment, milliseconds in ((9.9, 1.0), (10.0, 2.0), (19.9, 4.0), (20.0, 8.0))
        ]
        + [LoggedCall("pgbench", 8, "login", 15.0, 16.0)]
    )
    view = watched.view("spindle", 10.0, 20.0)
    assert (view.server["login"], view.server_mean("login")) == ([2.0, 4.0], 3.0)


def test_a_twin_is_none_of_the_calls_but_its_end_is_logged() -> None:
    texts = twins.in_one_piece("purchase", "CALL purchase(1)").splitlines()[1:-1]
    lines = [
        _HEAD.format(port=7, application="pgbench", doing=doing, milliseconds=milliseconds, text=text)
        for text in texts
        for doing, milliseconds in (("bind", 1), ("execute", 2))
    ]
    assert [(call.name, call.milliseconds) for call in logged_calls(lines)] == [("end of purchase", 3.0)]


def test_a_client_should_see_all_parts_of_a_call() -> None:
    seen = expected([1.0, 3.0], [0.25, 0.5, 0.75])
    assert (seen.mean_ms, seen.p50_ms, seen.p99_ms) == pytest.approx((2.5, 1.75, 3.75))
    seen = expected([1.0], [0.25, 0.75], [10.0, 20.0])
    assert (seen.mean_ms, seen.p50_ms, seen.p99_ms) == pytest.approx((16.5, 11.75, 21.75))
