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
    names = list(islice(pgbench_steps.names_of(_MIX, client=1), 6))
    assert names == ["think", "new_customer", "browse", "browse", "browse", "prices"]


def test_every_second_order_has_trivial_statements_in_place_of_its_entry_of_a_search_and_of_its_purchase() -> None:
    names = list(islice(pgbench_steps.names_of(_MIX, client=0), 6))
    assert names == ["think", "first write", "hot read", "browse", "prices", "hot write"]


def test_a_thousand_orders_have_the_shares_of_the_mix() -> None:
    names = pgbench_steps.names_of(_MIX, client=5)
    counts: Counter[str] = Counter()
    while counts["think"] <= 1000:
        counts[next(names)] += 1
    assert (counts["new_customer"] + counts["first write"], counts["login"] + counts["first read"]) == (200, 800)
    assert (counts["browse"] + counts["hot read"], counts["hot read"]) == (3000, 300)
    assert (counts["purchase"], counts["hot write"]) == (500, 500)


def test_each_kind_of_entry_is_trivial_as_often_as_not() -> None:
    counts = Counter(islice(pgbench_steps.names_of(_MIX, client=3), 14_000))
    assert counts["first write"] == pytest.approx(counts["new_customer"], rel=0.05)
    assert counts["first read"] == pytest.approx(counts["login"], rel=0.05)


def test_an_order_with_a_trivial_statement_is_not_timed() -> None:
    steps = [("think", 9000), ("first read", 70), ("browse", 50), ("hot read", 40), ("prices", 7000), ("hot write", 90)]
    steps += [("think", 9000), ("login", 100), ("purchase", 20)]
    logged = [Logged(client=1, name=name, us=us, ended_at=0.0) for name, us in steps]
    times = pgbench_steps.times_by_step(logged)
    assert {name: (each.count, each.mean_ms) for name, each in times.items()} == {
        "order": (1, 0.12), "login": (1, 0.1), "purchase": (1, 0.02)
    }  # fmt: skip
    assert pgbench_steps.trivial_ms(logged) == {
        "first read": [0.07], "first write": [], "hot read": [0.04], "hot write": [0.09]
    }  # fmt: skip


def _one_each(*names: str) -> list[Logged]:
    return [Logged(client=1, name=name, us=1, ended_at=0.0) for name in names]


def test_names_that_the_server_confirms_are_right() -> None:
    logged = _one_each("think", "login", "browse", "browse", "prices", "purchase")
    pgbench_steps.check_names(logged, {"login": 1, "browse": 1, "purchase": 1, "hot read": 0}, tolerance=1)


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
