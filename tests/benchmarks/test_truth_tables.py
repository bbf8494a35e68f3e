from dataclasses import replace

import pytest

from tests.benchmarks.pgbench_log import Times
from tests.benchmarks.server_view import ServerView
from tests.benchmarks.truth_tables import STEPS, OnTheWire, Round, Seen, known_ms, print_and_judge

_SERVER_MS = {"login": 1.0, "new_customer": 2.0, "browse": 3.0, "purchase": 10.0}
_LOOPBACK_MS = {"first read": 0.25, "first write": 0.5, "hot read": 0.125, "hot write": 0.75}
_LOGIN, _NEW_CUSTOMER = 1.25 + 3 * 3.125 + 10.75, 2.5 + 3 * 3.125 + 10.75
"""What an order has of each kind: its entry, three browses and the purchase, each with its loopback."""


def _seen() -> Seen:
    """Three orders of four log in, each browses three times; of a call, every time is the same."""
    counts = {"login": 75, "new_customer": 25, "browse": 300, "purchase": 100, "order": 100}
    times = {step: Times(count=count, mean_ms=0.0, p50_ms=0.0, p99_ms=0.0) for step, count in counts.items()}
    loopback = {name: [value] * 3 for name, value in _LOOPBACK_MS.items()}
    return Seen(
        seconds=1.0,
        times=times,
        view=ServerView({name: [value] * 2 for name, value in _SERVER_MS.items()}),
        loopback=loopback,
        loopback_woken=loopback,
    )


@pytest.mark.parametrize(
    ("of", "milliseconds"), [("mean", 0.75 * _LOGIN + 0.25 * _NEW_CUSTOMER), ("p50", _LOGIN), ("p99", _NEW_CUSTOMER)]
)
def test_what_is_known_of_an_order_is_that_of_its_calls(of: str, milliseconds: float) -> None:
    assert known_ms(_seen(), "order", of, server=True) == pytest.approx(milliseconds)


@pytest.mark.parametrize(("server", "milliseconds"), [(True, 10.75), (False, 0.75)])
def test_of_a_step_the_loopback_is_known_and_with_it_what_the_server_says(server: bool, milliseconds: float) -> None:
    for of in ("mean", "p50", "p99"):
        assert known_ms(_seen(), "purchase", of, server=server) == pytest.approx(milliseconds)


def test_of_a_step_the_server_alone_is_known_too() -> None:
    assert known_ms(_seen(), "purchase", "p50", server=True, loopback=False) == pytest.approx(10.0)


@pytest.mark.parametrize(("trouble", "percent"), [("", -10.0), ("tcpdump is not installed", -50.0)])
def test_pgbench_is_judged_by_its_packets_where_these_are_known(trouble: str, percent: float) -> None:
    """Its log says 20 ms, its packets 12, the server took 2 more of them than of Spindle's: 9 ms beside 10, or 18."""
    seen = _seen()
    slower = ServerView({**seen.view.server, "purchase": [12.0] * 2})
    ours = replace(seen, times=_all_steps(seen, 9.0))
    theirs = replace(seen, times=_all_steps(seen, 20.0), view=slower)
    wire = OnTheWire(spindle=ours.times, pgbench=_all_steps(seen, 12.0), trouble=trouble)
    figures = print_and_judge([Round(spindle=ours, pgbench=theirs, halves=(theirs, theirs), executions={}, wire=wire)])
    (judged,) = (each for each in figures if each.name == "purchase, p50: Spindle against pgbench")
    assert judged.median == pytest.approx(percent)


def _all_steps(seen: Seen, milliseconds: float) -> dict[str, Times]:
    return {
        step: replace(seen.times[step], mean_ms=milliseconds, p50_ms=milliseconds, p99_ms=milliseconds)
        for step in STEPS
    }
