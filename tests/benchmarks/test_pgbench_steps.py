"""The steps that the script goes through: what its log's lines are called by must be what it did."""

from collections import Counter
from itertools import islice

import pytest

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from tests.benchmarks import pgbench_steps
from tests.benchmarks.pgbench_log import Logged

_MIX = Mix(
    size=DbSize(20, "MB"), think_time_ms=20, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5
)


def test_an_order_thinks_enters_searches_looks_prices_up_and_buys() -> None:
    names = list(islice(pgbench_steps.names_of(_MIX, client=0), 7))
    assert names == ["think", "new_customer", "hot read", "browse", "browse", "prices", "purchase"]


def test_a_thousand_orders_have_the_shares_of_the_mix() -> None:
    names = pgbench_steps.names_of(_MIX, client=5)
    counts: Counter[str] = Counter()
    while counts["purchase"] < 1000:
        counts[next(names)] += 1
    trivial = {"first read": 250, "first write": 250, "hot read": 300, "hot write": 500}
    entries = {"new_customer": 100, "login": 400, "hot entry": 500}
    assert counts == {"think": 1000, "browse": 3000, "prices": 1000, "purchase": 1000, **entries, **trivial}


def test_a_trivial_statement_comes_before_the_order_or_a_search_or_after_the_searches() -> None:
    names = [*islice(pgbench_steps.names_of(_MIX, client=0), 2000)]
    before = {
        name: {names[place - 1] for place in range(2000) if names[place] == name} for name in pgbench_steps.TRIVIAL
    }
    assert before == {
        "first read": {"think"},
        "first write": {"think"},
        "hot read": {"browse", "login", "new_customer", "hot entry"},
        "hot write": {"browse"},
    }


def test_an_order_that_began_with_a_trivial_statement_is_not_timed_but_its_searches_are() -> None:
    steps = [("think", 9000), ("first read", 70), ("hot entry", 800), ("browse", 50), ("prices", 7000)]
    logged = [
        Logged(client=1, name=name, us=us, ended_at=0.0) for name, us in [*steps, ("purchase", 500), ("think", 9000)]
    ]
    logged += [
        Logged(client=1, name=name, us=us, ended_at=0.0)
        for name, us in [("login", 100), ("hot read", 40), ("purchase", 20)]
    ]
    times = pgbench_steps.times_by_step(logged)
    assert (times["order"].count, times["order"].mean_ms, times["browse"].count) == (1, 0.12, 1)
    assert pgbench_steps.trivial_ms(logged) == {
        "first read": [0.07], "first write": [], "hot read": [0.04], "hot write": []
    }  # fmt: skip


def _one_each(*names: str) -> list[Logged]:
    return [Logged(client=1, name=name, us=1, ended_at=0.0) for name in names]


def test_names_that_the_server_confirms_are_right() -> None:
    logged = _one_each("think", "login", "hot entry", "browse", "browse", "prices", "purchase")
    pgbench_steps.check_names(logged, {"login": 1, "new_customer": 1, "browse": 1, "purchase": 1}, tolerance=1)


def test_names_that_the_server_knows_nothing_of_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'browse': \(2, 0\)"):
        pgbench_steps.check_names(_one_each("browse", "browse"), {"browse": 0}, tolerance=1)


def test_an_order_is_its_timed_steps_and_one_whose_beginning_is_not_known_is_none() -> None:
    steps = [("browse", 50), ("purchase", 500), ("think", 9000), ("login", 1000), ("browse", 100), ("prices", 7000)]
    logged = [
        Logged(client=1, name=name, us=us, ended_at=0.0) for name, us in [*steps, ("purchase", 300), ("think", 9000)]
    ]
    logged.insert(4, Logged(client=2, name="login", us=4000, ended_at=0.0))
    times = pgbench_steps.times_by_step(logged)
    assert {name: (each.count, each.mean_ms) for name, each in times.items()} == {
        "order": (1, 1.4), "login": (2, 2.5), "browse": (2, 0.075), "purchase": (2, 0.4)
    }  # fmt: skip
