"""The order as pgbench's transactions, one after the other: its log then tells the time of each step.

pgbench draws a script for each transaction by chance, and a step by itself finds a process of the server that sleeps,
where a search follows hot on a log-in in an order. So all is one script that goes from step to step in a variable: a
transaction thinks and draws, without the server, the next logs in, and so on. Which step a line of the log is can be
known since registrations and the number of searches come in turn instead of by chance, in the shares of the mix.

In every second order trivial statements stand in place of the entry, of one search and of the purchase: they tell what
the way to the server and back costs such users under such a load, with all that the server's log counts for nobody. So
they have the shape of the steps that they stand for: as many columns and about as many rows as a log-in or a search
(each column has to be described and written), and a transaction that writes as many bytes to disk at its end as a
registration or a purchase. All of it is constant; the little that the server works on it is known from its log as well.
They come in place of the steps and not beside them: when the disk stands still, every user hangs in one write, so that
users with more writes to an order would see fewer of them hang.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from engine.dvdstore.user import Mix
from tests.benchmarks import pgbench_script
from tests.benchmarks.pgbench_log import Logged, Times, times_of

VARIABLES = {**pgbench_script.VARIABLES, "step": "0", "order": "0", "searched": "0"}
"""What pgbench has to be told with ``-D``."""

_ENTRY = "(1, 'TRICYCLE ELEGANT'::varchar, 'NORA FERRARI'::varchar, 'TRICYCLE MINT'::varchar)"
_PRODUCT = "(1, 7::smallint, 'TRICYCLE ELEGANT'::varchar, 'NORA FERRARI'::varchar, 12.99::numeric, 0::smallint, 808)"
_ROWS = 3
# Bytes of the write-ahead log, as a registration and a purchase write them in such a run on average, whole pages after
# the checkpoint included.
_REGISTRATION_BYTES, _PURCHASE_BYTES = 500, 6_000


def _rows(row: str, name: str) -> str:
    return f"SELECT * FROM (VALUES {', '.join([row] * _ROWS)}) AS {name};"


def _write(size: int, name: str) -> str:
    return f"SELECT pg_logical_emit_message(true, 'bench', repeat('x', {size})) AS {name};"


TRIVIAL = {
    "first read": _rows(_ENTRY, "first_read"),
    "first write": _write(_REGISTRATION_BYTES, "first_write"),
    "hot read": _rows(_PRODUCT, "hot_read"),
    "hot write": _write(_PURCHASE_BYTES, "hot_write"),
}
"""The trivial statements: the first ones in place of a log-in or a registration, after a pause; the hot ones in place
of a search or a purchase."""

MARKED = "totalamount <> netamount + tax"
"""By what the store's orders of this script are told from others: the tax that they tell is a cent too much."""

THINK, _PRICES, _PURCHASE = "think", "prices", "purchase"
# Registrations come by this step through a thousand orders, each client's from another place.
_STRIDE, _PLACES = 37, 11


def script(mix: Mix, seed: int) -> str:
    """The next transaction of an order, with the think time before it."""
    most = pgbench_script.most_browses(mix)
    slots = range(1, most + 1)
    parts = [
        "\\if :step = 0",
        pgbench_script.load_words(mix, seed),
        "\\set order :order + 1",
        "\\set trivial (:order + :client_id) % 2",
        f"\\set registers (:order * {_STRIDE} + :client_id * {_PLACES}) % 1000 < {_registrations(mix)}",
        f"\\set browses 1 + (:order + :client_id) % {most}",
        f"\\set replaced 1 + :order / {2 * most} % {most}",
        "\\set searched 0",
        pgbench_script.cart(mix),
        "\\set tax (:tax_cents + 1) / 100.0",
        f"\\set think random(0, {round(2_000 * mix.think_time_ms)})\n\\sleep :think us",
        "\\set step 1",
        "\\elif :step = 1",
        "\\if :trivial = 1 AND :registers",
        TRIVIAL["first write"],
        "\\elif :trivial = 1",
        TRIVIAL["first read"],
        f"\\elif :registers\n{pgbench_script.new_customer()}\n\\else\n{pgbench_script.login(mix)}\n\\endif",
        "\\set step 2",
        "\\elif :step = 2",
        "\\set searched :searched + 1",
        "\\if :trivial = 1 AND :searched = :replaced",
        TRIVIAL["hot read"],
        *(f"\\elif :searched = {slot}\n{pgbench_script.browse(mix, slot)}" for slot in slots),
        "\\endif",
        "\\set step CASE WHEN :searched = :browses THEN 3 ELSE 2 END",
        "\\elif :step = 3",
        pgbench_script.prices(mix),
        "\\set step 4",
        "\\else",
        f"\\if :trivial = 1\n{TRIVIAL['hot write']}\n\\else\n{pgbench_script.purchase(mix)}\n\\endif",
        "\\set step 0",
        "\\endif",
    ]
    return "\n".join(parts) + "\n"


def replaced_search(mix: Mix, order: int, client: int) -> int:
    """Of one of a client's orders, counted from 1: the number of the search that is trivial, if it comes to so many.

    0 is an order without anything trivial; in another one the entry and the purchase are trivial as well.
    """
    most = pgbench_script.most_browses(mix)
    return 1 + order // (2 * most) % most if (order + client) % 2 else 0


def names_of(mix: Mix, client: int) -> Iterator[str]:
    """What each transaction of a client is, by the arithmetic of the script."""
    for order in count(1):
        replaced = replaced_search(mix, order, client)
        registers = (order * _STRIDE + client * _PLACES) % 1000 < _registrations(mix)
        yield THINK
        if replaced:
            yield "first write" if registers else "first read"
        else:
            yield "new_customer" if registers else "login"
        for number in range(1, 2 + (order + client) % pgbench_script.most_browses(mix)):
            yield "hot read" if number == replaced else "browse"
        yield _PRICES
        yield "hot write" if replaced else _PURCHASE


def times_by_step(logged: Sequence[Logged]) -> dict[str, Times]:
    """The times of each step, and under ``order`` of the whole orders: without the price look-up and the thinking.

    An order whose beginning is not in the log is none of these; of one that has trivial statements no step counts, so
    that there are as many of each as in an order.
    """
    steps: dict[str, list[int]] = {"order": []}
    begun: dict[int, int] = {}
    left_out: set[int] = set()
    for each in logged:
        if each.name == THINK:
            begun[each.client] = 0
            left_out.discard(each.client)
        elif each.name in TRIVIAL:
            left_out.add(each.client)
        elif each.name != _PRICES and each.client not in left_out:
            steps.setdefault(each.name, []).append(each.us)
            if each.client in begun:
                begun[each.client] += each.us
        if each.name == _PURCHASE and each.client in begun:
            steps["order"].append(begun.pop(each.client))
    return {name: times_of(values) for name, values in steps.items()}


def check_names(logged: Sequence[Logged], calls: Mapping[str, int], tolerance: int) -> None:
    """Hold what the transactions are called by arithmetic against what the server saw of each statement meanwhile.

    ``tolerance`` is for what ended at either end of the span. Raises ``ValueError`` when they are not the same.
    """
    named = Counter(each.name for each in logged)
    wrong = {name: (named[name], number) for name, number in calls.items() if abs(named[name] - number) > tolerance}
    if wrong:
        raise ValueError(f"pgbench's steps are not what they are called, as named and as the server saw: {wrong}")


def trivial_ms(logged: Sequence[Logged]) -> dict[str, list[float]]:
    """The milliseconds of each trivial statement's round trips."""
    return {name: [each.us / 1000 for each in logged if each.name == name] for name in TRIVIAL}


def _registrations(mix: Mix) -> int:
    """Of a thousand orders."""
    return round(10 * mix.pct_new_customers)
