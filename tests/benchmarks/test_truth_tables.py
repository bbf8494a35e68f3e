from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.server_view import ServerView
from tests.benchmarks.truth_tables import FIRST, HOT, SECOND, STEPS, Round, Seen, print_and_judge, server_ms

_SERVER_MS = {"login": 1.0, "new_customer": 2.0, "browse": 3.0, "purchase": 10.0}
_ENDS_MS = {"login": 0.125, "new_customer": 5.0, "browse": 0.25, "purchase": 7.0}
_BEYOND_MS = {FIRST: 0.5, SECOND: 1.0, HOT: 0.25}
_LOGIN, _NEW_CUSTOMER = 1.0 + 3 * 3.0 + 10.0, 2.0 + 3 * 3.0 + 10.0
"""What the server works on an order of each kind: its entry, three searches and the purchase."""


def _seen() -> Seen:
    """Three orders of four log in, each searches three times; of a call, every time is the same."""
    counts = {"login": 75, "new_customer": 25, "browse": 300, "purchase": 100, "order": 100}
    times = {step: Times(count=count, mean_ms=0.0, p50_ms=0.0, p99_ms=0.0) for step, count in counts.items()}
    return Seen(
        seconds=1.0,
        times=times,
        packets=times,
        view=ServerView({name: [value] * 2 for name, value in _SERVER_MS.items()}),
        ends={name: [value] for name, value in _ENDS_MS.items()},
        beyond={name: [value] * 3 for name, value in _BEYOND_MS.items()},
    )


@pytest.mark.parametrize(
    ("of", "milliseconds"), [("mean", 0.75 * _LOGIN + 0.25 * _NEW_CUSTOMER), ("p50", _LOGIN), ("p99", _NEW_CUSTOMER)]
)
def test_what_the_server_works_on_an_order_is_that_of_its_calls(of: str, milliseconds: float) -> None:
    assert server_ms(_seen(), "order", of) == pytest.approx(milliseconds)


@pytest.mark.parametrize(("step", "milliseconds"), [("login", 1.625), ("new_customer", 7.5), ("purchase", 17.25)])
def test_a_call_is_the_servers_work_the_end_of_its_transaction_and_what_is_beyond(
    step: str, milliseconds: float
) -> None:
    for of in ("mean", "p50", "p99"):
        assert _seen().expected(step, of) == pytest.approx(milliseconds)


def test_a_search_behind_a_log_in_has_another_way_than_the_next_ones() -> None:
    """A quarter of the searches stand behind a login."""
    assert _seen().expected("browse", "mean") == pytest.approx(3.25 + 0.25 * 1.0 + 0.75 * 0.25, rel=0.002)
    assert _seen().expected("browse", "p50") == pytest.approx(3.5)
    assert _seen().expected("browse", "p99") == pytest.approx(4.25)


def test_only_the_mean_of_an_order_is_known() -> None:
    calls = 0.75 * 1.625 + 0.25 * 7.5 + 3 * (3.25 + 0.4375) + 17.25
    assert _seen().expected("order", "mean") == pytest.approx(calls, rel=0.001)
    assert _seen().expected("order", "p50") is None


def test_pgbench_is_judged_by_its_packets_and_by_what_the_server_took_longer() -> None:
    """Its log says 20 ms, its packets 12, the server took 2 more of them than of Spindle's: 9 ms beside 10."""
    seen = _seen()
    slower = ServerView({**seen.view.server, "purchase": [12.0] * 2})
    ours = replace(seen, times=_all_steps(seen, 9.0))
    theirs = replace(seen, times=_all_steps(seen, 20.0), packets=_all_steps(seen, 12.0), view=slower)
    ours = replace(ours, packets=ours.times)
    figures = print_and_judge([Round(spindle=ours, pgbench=theirs, halves=(theirs.times, theirs.times), executions={})])
    by_name = {each.name: each.median for each in figures}
    assert by_name["purchase, p50: Spindle against pgbench"] == pytest.approx(-10.0)
    assert by_name["purchase, p50: Spindle against the server"] == pytest.approx(100 * (9 / 17.25 - 1))
    assert by_name["purchase, p50: Spindle against its packets"] == pytest.approx(0.0)


def _all_steps(seen: Seen, milliseconds: float) -> Mapping[str, Times]:
    return {
        step: replace(seen.times[step], mean_ms=milliseconds, p50_ms=milliseconds, p99_ms=milliseconds)
        for step in STEPS
    }
