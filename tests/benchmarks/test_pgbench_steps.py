"""The steps that the script goes through: what its log's lines are called by must be what it did."""

from collections import Counter
from itertools import islice

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from tests.benchmarks import pgbench_steps
from tests.benchmarks.pgbench_log import Logged

_MIX = Mix(
    size=DbSize(20, "MB"), think_time_ms=20, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5
)


def test_an_order_thinks_enters_searches_looks_prices_up_and_buys() -> None:
    names = list(islice(pgbench_steps.names_of(_MIX, client=0), 6))
    assert names == ["think", "new_customer", "browse", "browse", "prices", "purchase"]


def test_a_thousand_orders_have_the_shares_of_the_mix() -> None:
    names = pgbench_steps.names_of(_MIX, client=5)
    counts: Counter[str] = Counter()
    while counts["purchase"] < 1000:
        counts[next(names)] += 1
    assert counts == {
        "think": 1000, "new_customer": 200, "login": 800, "browse": 3000, "prices": 1000, "purchase": 1000
    }  # fmt: skip


def test_an_order_is_its_timed_steps_and_one_whose_beginning_is_not_known_is_none() -> None:
    steps = [("browse", 50), ("purchase", 500), ("think", 9000), ("login", 1000), ("browse", 100), ("prices", 7000)]
    logged = [Logged(client=1, name=name, us=us) for name, us in [*steps, ("purchase", 300), ("think", 9000)]]
    logged.insert(4, Logged(client=2, name="login", us=4000))
    times = pgbench_steps.times_by_step(logged)
    assert {name: (each.count, each.mean_ms) for name, each in times.items()} == {
        "order": (1, 1.4), "login": (2, 2.5), "browse": (2, 0.075), "purchase": (2, 0.4)
    }  # fmt: skip
