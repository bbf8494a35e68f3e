"""The steps that the script goes through: what its log's lines are called by must be what it did."""

from collections import Counter
from itertools import islice

import pytest

from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import pgbench_steps
from tests.benchmarks.pgbench_log import Logged

_MIX = Mix(
    size=DbSize(20, "MB"), think_time_ms=20, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5
)


def test_order_consists_of_think_login_search_price_and_purchase() -> None:
    names = list(islice(pgbench_steps.names_of(_MIX, client=1), 6))
    assert names == ["think", "new_customer", "browse", "browse", "browse", "prices"]


@pytest.mark.parametrize(
    ("order", "entry", "search"),
    [
        (2, "twin of new_customer", "twin of browse"),
        (6, "first read", "twin of browse"),
        (8, "twin of first read", "twin of browse"),
        (10, "twin of login", "second read"),
    ],
)
def test_every_second_order_measures_the_time_beyond_the_server(order: int, entry: str, search: str) -> None:
    names = list(islice(pgbench_steps.names_of(_MIX, client=1), 10 * order))
    begin = [place for place, name in enumerate(names) if name == "think"][order - 1]
    purchase = names.index("twin of purchase", begin)
    assert names[begin : begin + 3] == ["think", entry, search]
    assert names[purchase - 1] == "twin of prices"
    assert set(names[begin + 3 : purchase - 1]) <= {"browse"}


def test_a_thousand_orders_have_the_shares_of_the_mix() -> None:
    names = pgbench_steps.names_of(_MIX, client=5)
    counts: Counter[str] = Counter()
    while counts["think"] <= 1000:
        counts[next(names)] += 1
    others = counts["first read"] + counts["twin of first read"] + counts["twin of login"]
    assert (counts["new_customer"] + counts["twin of new_customer"], counts["login"] + others) == (200, 800)
    assert counts["browse"] + counts["twin of browse"] + counts["second read"] == 3000
    assert (counts["purchase"], counts["twin of purchase"]) == (500, 500)


def test_each_kind_of_entry_is_timed_as_often_as_not() -> None:
    counts = Counter(islice(pgbench_steps.names_of(_MIX, client=3), 14_000))
    assert counts["twin of new_customer"] == pytest.approx(counts["new_customer"], rel=0.05)
    for untimed in ("first read", "twin of first read", "twin of login"):
        assert counts[untimed] == pytest.approx(counts["login"] / 3, rel=0.05)
    assert counts["second read"] == counts["twin of login"]


@pytest.mark.parametrize("entry", ["first read", "twin of login", "twin of new_customer"])
def test_no_step_counts_of_an_order_that_is_not_timed(entry: str) -> None:
    steps = [("think", 9000), (entry, 70), ("browse", 50), ("twin of prices", 7000), ("twin of purchase", 90)]
    steps += [("think", 9000), ("login", 100), ("purchase", 20)]
    logged = [Logged(client=1, name=name, us=us, ended_at=0.0) for name, us in steps]
    times = pgbench_steps.times_by_step(logged)
    assert {name: (each.count, each.mean_ms) for name, each in times.items()} == {
        "order": (1, 0.12), "login": (1, 0.1), "purchase": (1, 0.02)
    }  # fmt: skip


def _one_each(*names: str) -> list[Logged]:
    return [Logged(client=1, name=name, us=1, ended_at=0.0) for name in names]


def test_names_that_the_server_confirms_are_right() -> None:
    logged = _one_each("think", "login", "browse", "browse", "prices", "purchase")
    pgbench_steps.check_names(logged, {"login": 1, "browse": 1, "purchase": 1, "second read": 0}, tolerance=1)


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
