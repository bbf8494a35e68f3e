"""The order as pgbench's transactions, one after the other: its log then tells the time of each step.

pgbench draws a script for each transaction by chance, and a step by itself finds a process of the server that sleeps,
where a search follows hot on a log-in in an order. So all is one script that goes from step to step in a variable: a
transaction thinks and draws, without the server, the next logs in, and so on. Which step a line of the log is can be
known since registrations and the number of searches come in turn instead of by chance, in the shares of the mix.

In most orders a user sends a trivial statement as well, which reads or which writes and commits, where a search or a
purchase would come, and in every second one another before it, when its process of the server has slept for as long as
the user thought. They tell what the way to the server and back costs such users under such a load, with all that the
server's log counts for nobody. So they have the shape of the steps that they stand for: as many columns and about as
many rows as a log-in or a search (each column has to be described and written), and a transaction that writes as many
bytes to disk at its end as a registration or a purchase. All of it is constant; the little that the server works on it
is known from its log as well.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
"""The trivial statements: the first ones come before an order, the hot ones before a search or after the last."""

MARKED = "totalamount <> netamount + tax"
"""By what the store's orders of this script are told from others: the tax that they tell is a cent too much."""

_THINK, _PRICES, _PURCHASE, _HOT_ENTRY = "think", "prices", "purchase", "hot entry"
# Registrations come by this step through a thousand orders, each client's from another place.
_STRIDE, _PLACES = 37, 11
# By the log a hot entry is either of these.
_ENTRY_STEP, _ENTRIES = "entry", ("login", "new_customer", _HOT_ENTRY)
# Neither a step of an order nor a part of its time; a first call that comes after a trivial one is no first call.
_UNTIMED = (_THINK, _PRICES, _HOT_ENTRY, *TRIVIAL)


def script(mix: Mix, seed: int) -> str:
    """The next transaction of an order, with the think time before it."""
    most = pgbench_script.most_browses(mix)
    slots = range(1, most + 1)
    parts = [
        "\\if :step = 0",
        pgbench_script.load_words(mix, seed),
        "\\set order :order + 1",
        "\\set turn (:order + :client_id) % 4",
        f"\\set registers (:order * {_STRIDE} + :client_id * {_PLACES}) % 1000 < {_registrations(mix)}",
        f"\\set browses 1 + (:order + :client_id) % {most}",
        f"\\set before 1 + :order / {most} % {most}",
        "\\set searched 0",
        pgbench_script.cart(mix),
        "\\set tax (:tax_cents + 1) / 100.0",
        f"\\set think random(0, {round(2_000 * mix.think_time_ms)})\n\\sleep :think us",
        "\\set step 2 - (:turn + 1) % 2",
        "\\elif :step = 1",
        f"\\if :turn < 2\n{TRIVIAL['first read']}\n\\else\n{TRIVIAL['first write']}\n\\endif",
        "\\set step 2",
        "\\elif :step = 2",
        f"\\if :registers\n{pgbench_script.new_customer()}\n\\else\n{pgbench_script.login(mix)}\n\\endif",
        "\\set step CASE WHEN :turn < 2 AND :before = 1 THEN 4 ELSE 3 END",
        "\\elif :step = 3",
        "\\set searched :searched + 1",
        *(f"\\if :searched = {slot}\n{pgbench_script.browse(mix, slot)}\n\\endif" for slot in slots),
        "\\if :searched = :browses",
        "\\set step CASE WHEN :turn < 2 THEN 6 ELSE 5 END",
        "\\elif :turn < 2 AND :searched + 1 = :before",
        "\\set step 4",
        "\\endif",
        "\\elif :step = 4",
        TRIVIAL["hot read"],
        "\\set step 3",
        "\\elif :step = 5",
        TRIVIAL["hot write"],
        "\\set step 6",
        "\\elif :step = 6",
        pgbench_script.prices(mix),
        "\\set step 7",
        "\\else",
        pgbench_script.purchase(mix),
        "\\set step 0",
        "\\endif",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, kw_only=True)
class Trivials:
    """Where an order has trivial statements: ``first`` before it, a hot read before search ``hot_read_before`` if it
    comes to so many, a hot write after its searches; empty, 0 and false for none.
    """

    first: str
    hot_read_before: int
    hot_write: bool


def trivials_of(mix: Mix, order: int, client: int) -> Trivials:
    """Of one of a client's orders, counted from 1."""
    turn, most = (order + client) % 4, pgbench_script.most_browses(mix)
    reads = turn < 2
    return Trivials(
        first="" if turn % 2 else "first read" if reads else "first write",
        hot_read_before=1 + order // most % most if reads else 0,
        hot_write=not reads,
    )


def names_of(mix: Mix, client: int) -> Iterator[str]:
    """What each transaction of a client is, by the arithmetic of the script."""
    for order in count(1):
        trivials = trivials_of(mix, order, client)
        registers = (order * _STRIDE + client * _PLACES) % 1000 < _registrations(mix)
        yield _THINK
        if trivials.first:
            yield trivials.first
            yield _HOT_ENTRY
        else:
            yield "new_customer" if registers else "login"
        for number in range(1, 2 + (order + client) % pgbench_script.most_browses(mix)):
            if number == trivials.hot_read_before:
                yield "hot read"
            yield "browse"
        if trivials.hot_write:
            yield "hot write"
        yield _PRICES
        yield _PURCHASE


def times_by_step(logged: Sequence[Logged]) -> dict[str, Times]:
    """The times of each step, and under ``order`` of the whole orders: without the price look-up and the thinking.

    An order whose beginning is not in the log, or that began with a trivial statement, is none of these.
    """
    steps: dict[str, list[int]] = {"order": []}
    begun: dict[int, int] = {}
    for each in logged:
        if each.name == _THINK:
            begun[each.client] = 0
        elif each.name == _HOT_ENTRY:
            begun.pop(each.client, None)
        elif each.name not in _UNTIMED:
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
    named = Counter(_ENTRY_STEP if each.name in _ENTRIES else each.name for each in logged)
    seen = Counter[str]()
    for name, number in calls.items():
        seen[_ENTRY_STEP if name in _ENTRIES else name] += number
    wrong = {name: (named[name], number) for name, number in seen.items() if abs(named[name] - number) > tolerance}
    if wrong:
        raise ValueError(f"pgbench's steps are not what they are called, as named and as the server saw: {wrong}")


def trivial_ms(logged: Sequence[Logged]) -> dict[str, list[float]]:
    """The milliseconds of each trivial statement's round trips."""
    return {name: [each.us / 1000 for each in logged if each.name == name] for name in TRIVIAL}


def _registrations(mix: Mix) -> int:
    """Of a thousand orders."""
    return round(10 * mix.pct_new_customers)
