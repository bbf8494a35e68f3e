"""The order as pgbench's transactions, one after the other: its log then tells the time of each step.

pgbench draws a script for each transaction by chance, and a step by itself finds a process of the server that sleeps,
where a search follows hot on a log-in in an order. So all is one script that goes from step to step in a variable: a
transaction thinks and draws, without the server, the next logs in, and so on. Which step a line of the log is can be
known since registrations and the number of searches come in turn instead of by chance, in the shares of the mix.
"""

from collections.abc import Iterator, Sequence

from engine.dvdstore.user import Mix
from tests.benchmarks import pgbench_script
from tests.benchmarks.pgbench_log import Logged, Times, times_of

VARIABLES = {**pgbench_script.VARIABLES, "step": "0", "order": "0", "searched": "0"}
"""What pgbench has to be told with ``-D``."""

_THINK, _PRICES, _PURCHASE = "think", "prices", "purchase"
# Registrations come by this step through a thousand orders, each client's from another place.
_STRIDE, _PLACES = 37, 11
_UNTIMED = (_THINK, _PRICES)


def script(mix: Mix, seed: int) -> str:
    """The next transaction of an order, with the think time before it."""
    most = pgbench_script.most_browses(mix)
    slots = range(1, most + 1)
    parts = [
        "\\if :step = 0",
        pgbench_script.load_words(mix, seed),
        "\\set order :order + 1",
        f"\\set registers (:order * {_STRIDE} + :client_id * {_PLACES}) % 1000 < {_registrations(mix)}",
        f"\\set browses 1 + (:order + :client_id) % {most}",
        "\\set searched 0",
        pgbench_script.cart(mix),
        f"\\set think random(0, {round(2_000 * mix.think_time_ms)})\n\\sleep :think us",
        "\\set step 1",
        "\\elif :step = 1",
        f"\\if :registers\n{pgbench_script.new_customer()}\n\\else\n{pgbench_script.login(mix)}\n\\endif",
        "\\set step 2",
        "\\elif :step = 2",
        "\\set searched :searched + 1",
        *(f"\\if :searched = {slot}\n{pgbench_script.browse(mix, slot)}\n\\endif" for slot in slots),
        "\\if :searched = :browses\n\\set step 3\n\\endif",
        "\\elif :step = 3",
        pgbench_script.prices(mix),
        "\\set step 4",
        "\\else",
        pgbench_script.purchase(mix),
        "\\set step 0",
        "\\endif",
    ]
    return "\n".join(parts) + "\n"


def names_of(mix: Mix, client: int) -> Iterator[str]:
    """What each transaction of a client is, by the arithmetic of the script."""
    order = 0
    while True:
        order += 1
        registers = (order * _STRIDE + client * _PLACES) % 1000 < _registrations(mix)
        yield _THINK
        yield "new_customer" if registers else "login"
        for _ in range(1 + (order + client) % pgbench_script.most_browses(mix)):
            yield "browse"
        yield _PRICES
        yield _PURCHASE


def times_by_step(logged: Sequence[Logged]) -> dict[str, Times]:
    """The times of each step, and under ``order`` of the whole orders: without the price look-up and the thinking."""
    steps: dict[str, list[int]] = {"order": []}
    begun: dict[int, int] = {}
    for each in logged:
        if each.name == _THINK:
            begun[each.client] = 0
        if each.name in _UNTIMED:
            continue
        steps.setdefault(each.name, []).append(each.us)
        if each.client in begun:
            begun[each.client] += each.us
            if each.name == _PURCHASE:
                steps["order"].append(begun.pop(each.client))
    return {name: times_of(values) for name, values in steps.items()}


def _registrations(mix: Mix) -> int:
    """Of a thousand orders."""
    return round(10 * mix.pct_new_customers)
