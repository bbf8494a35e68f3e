"""The order as pgbench's transactions, one after the other: its log then tells the time of each step.

pgbench draws a script for each transaction by chance, and a step by itself finds a process of the server that sleeps,
where a search follows hot on a login in an order. So all is one script that goes from step to step in a variable: a
transaction thinks and draws, without the server, the next logs in, and so on. Which step a line of the log is can be
known since registrations and the number of searches come in turn instead of by chance, in the shares of the mix.

Every second order is there for what the server's log counts for nobody: of its calls the entry, the first search, the
price look-up and the purchase are twins (``tests.benchmarks.twins``). But a trivial read stands in place of every third
login, and of the search behind every other third: what these cost beyond the server's own time is the way to a server
that slept while its user thought, and to one that has just served a login. They come in place of the steps and not
beside them: when the disk stands still, every user hangs in one write, so that users with more writes to an order would
see fewer of them hang.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import pgbench_script, twins
from tests.benchmarks.pgbench_log import Logged, Times, times_of

VARIABLES = {**pgbench_script.VARIABLES, "step": "0", "order": "0", "searched": "0"}
"""What pgbench has to be told with ``-D``."""

FIRST_READ, SECOND_READ = "first read", "second read"
_ENTRY = "(1, 'TRICYCLE ELEGANT'::varchar, 'NORA FERRARI'::varchar, 'TRICYCLE MINT'::varchar)"
_ROWS = 3
TRIVIAL = {
    name: f"/* {name} */ SELECT * FROM (VALUES {', '.join([_ENTRY] * _ROWS)}) AS bought"
    for name in (FIRST_READ, SECOND_READ)
}
"""They have as many columns as a login and about as many rows: each column has to be described and written."""

MARKED = "totalamount <> netamount + tax"
"""By what the store's orders of this script are told from others: the tax that they tell is a cent too much."""

THINK, PRICES, _PURCHASE = "think", "prices", "purchase"
CALLS = ("login", "new_customer", "browse", PRICES, _PURCHASE, FIRST_READ)
"""All that have twins."""

_UNTIMED_ENTRIES = (FIRST_READ, twins.twin_of(FIRST_READ), twins.twin_of("login"))
ENTRIES = ("login", "new_customer", *_UNTIMED_ENTRIES, twins.twin_of("new_customer"))
_NOT_TIMED = (*TRIVIAL, *map(twins.twin_of, CALLS))
# Registrations come by this step through a thousand orders, each client's from another place.
_STRIDE, _PLACES = 37, 11


def script(mix: Mix, seed: int) -> str:
    """The next transaction of an order, with the think time before it."""
    most = pgbench_script.most_browses(mix)
    searches = [(f":searched = {slot}", pgbench_script.browse(mix, slot)) for slot in range(1, most + 1)]
    prices = pgbench_script.prices(mix)
    twin_of_search = pgbench_script.browse(mix, 1, partial(twins.in_one_piece, "browse"))
    parts = [
        "\\if :step = 0",
        pgbench_script.load_words(mix, seed),
        "\\set order :order + 1",
        "\\set untimed (:order + :client_id) % 2",
        f"\\set registers (:order * {_STRIDE} + :client_id * {_PLACES}) % 1000 < {_registrations(mix)}",
        f"\\set browses 1 + (:order + :client_id) % {most}",
        "\\set searched 0",
        pgbench_script.cart(mix),
        "\\set tax (:tax_cents + 1) / 100.0",
        f"\\set think random(0, {round(2_000 * mix.think_time_ms)})\n\\sleep :think us",
        "\\set step 1",
        "\\elif :step = 1",
        pgbench_script.any_customer(mix),
        _choice(
            (
                ":untimed = 1 AND :registers",
                f"{pgbench_script.new_number()}\n{twins.in_one_piece('new_customer', pgbench_script.registration())}",
            ),
            (":registers", pgbench_script.new_customer()),
            (":untimed = 0", f"{pgbench_script.login()};"),
            ("(:order / 2) % 3 = 0", f"{TRIVIAL[FIRST_READ]};"),
            ("(:order / 2) % 3 = 1", twins.in_one_piece(FIRST_READ, TRIVIAL[FIRST_READ])),
            ("true", twins.in_one_piece("login", pgbench_script.login())),
        ),
        "\\set step 2",
        "\\elif :step = 2",
        "\\set searched :searched + 1",
        _choice(
            (":untimed = 1 AND :searched = 1 AND NOT :registers AND (:order / 2) % 3 = 2", f"{TRIVIAL[SECOND_READ]};"),
            (":untimed = 1 AND :searched = 1", twin_of_search),
            *searches,
        ),
        "\\set step CASE WHEN :searched = :browses THEN 3 ELSE 2 END",
        "\\elif :step = 3",
        _choice((":untimed = 1", twins.in_one_piece(PRICES, prices)), ("true", f"{prices};")),
        "\\set step 4",
        "\\else",
        _choice(
            (":untimed = 1", twins.in_one_piece(_PURCHASE, pgbench_script.purchase(mix, "purchase_twin"))),
            ("true", f"{pgbench_script.purchase(mix)};"),
        ),
        "\\set step 0",
        "\\endif",
    ]
    return "\n".join(parts) + "\n"


def names_of(mix: Mix, client: int) -> Iterator[str]:
    """What each transaction of a client is, by the arithmetic of the script."""
    for order in count(1):
        is_untimed = (order + client) % 2
        registers = (order * _STRIDE + client * _PLACES) % 1000 < _registrations(mix)
        yield THINK
        if not is_untimed:
            entry, search = "new_customer" if registers else "login", "browse"
        else:
            entry = twins.twin_of("new_customer") if registers else _UNTIMED_ENTRIES[order // 2 % 3]
            search = SECOND_READ if entry == twins.twin_of("login") else twins.twin_of("browse")
        yield entry
        yield search
        yield from ["browse"] * ((order + client) % pgbench_script.most_browses(mix))
        for call in (PRICES, _PURCHASE):
            yield twins.twin_of(call) if is_untimed else call


def times_by_step(logged: Sequence[Logged]) -> dict[str, Times]:
    """The times of each step, and under ``order`` of the whole orders: without the price look-up and the thinking.

    An order whose beginning is not in the log is none of these; of one whose entry is not timed no step counts, so that
    there are as many of each as in an order.
    """
    steps: dict[str, list[int]] = {"order": []}
    begun: dict[int, int] = {}
    left_out: set[int] = set()
    for each in logged:
        if each.name == THINK:
            begun[each.client] = 0
            left_out.discard(each.client)
        elif each.name in _NOT_TIMED:
            left_out.add(each.client)
        elif each.name != PRICES and each.client not in left_out:
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


def _choice(*branches: tuple[str, str]) -> str:
    """The commands of the first branch whose condition holds."""
    lines = [f"\\{'elif' if number else 'if'} {condition}\n{text}" for number, (condition, text) in enumerate(branches)]
    return "\n".join([*lines, "\\endif"])


def _registrations(mix: Mix) -> int:
    """Of a thousand orders."""
    return round(10 * mix.pct_new_customers)
