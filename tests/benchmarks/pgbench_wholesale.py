"""The transactions of a Wholesale user as one script for pgbench: the same five calls, parameters and chances.

What pgbench can't do: it has no words, so the server makes a last name of its number, and an array of an order's single
numbers; and it does not sort an order's lines, so that orders of the same items may deadlock, which it retries.
"""

from itertools import accumulate

from engine.workloads.wholesale import picks
from engine.workloads.wholesale.names import CUSTOMER, ITEM, LAST_NAME, LAST_NAMES, SYLLABLES, NonUniform
from engine.workloads.wholesale.sizing import CUSTOMERS, DISTRICTS, ITEMS, LEAST_LINES, MOST_LINES
from tests.benchmarks.pgbench_text import random_number, texts

VARIABLES = {f"{letter}{line}": "1" for letter in "isq" for line in range(1, MOST_LINES + 1)}
"""What pgbench has to be told with ``-D``: the lines that an order does not have, which have to be something."""


def script(warehouses: int, mix: str) -> str:
    """One transaction; each client keeps to the warehouse that its user of Spindle has."""
    statements = {
        "new_order": _new_order(warehouses),
        "payment": _payment(warehouses),
        "order_status": [*_buyer(), _by_buyer("SELECT * FROM order_status(:w::int, :d::int, {buyer})")],
        "delivery": [random_number("carrier", 1, 10), "CALL delivery(:w::int, :carrier::int, NULL);"],
        "stock_level": [random_number("level", 10, 20), "SELECT stock_level(:w::int, :d::int, :level::int);"],
    }
    shares = picks.MIXES[mix]
    lines = [
        f"\\set w 1 + :client_id % {warehouses}",
        random_number("d", 1, DISTRICTS),
        random_number("ticket", 1, 100),
    ]
    for word, (name, limit) in zip(
        ("if", "elif", "elif", "elif", "else"), zip(shares, accumulate(shares.values()), strict=True), strict=True
    ):
        lines.append(f"\\{word}" if word == "else" else f"\\{word} :ticket <= {limit:g}")
        lines += statements[name]
    return "\n".join([*lines, "\\endif"]) + "\n"


def _new_order(warehouses: int) -> list[str]:
    lines = [_number("c", CUSTOMER, CUSTOMERS, 1), random_number("lines", LEAST_LINES, MOST_LINES)]
    for line in range(1, MOST_LINES + 1):
        lines += [
            *([f"\\if :lines >= {line}"] if line > LEAST_LINES else []),
            _number(f"i{line}", ITEM, ITEMS, 1),
            f"\\set s{line} CASE WHEN random(1, 100) = 1 THEN {_other(warehouses)} ELSE :w END",
            random_number(f"q{line}", 1, 10),
            *(["\\endif"] if line > LEAST_LINES else []),
        ]
    # The last line of one order in a hundred asks for an item that does not exist.
    lines.append("\\set unused CASE WHEN random(1, 100) = 1 THEN :lines ELSE 0 END")
    for line in range(LEAST_LINES, MOST_LINES + 1):
        lines += [f"\\if :unused = {line}", f"\\set i{line} {picks.UNUSED_ITEM}", "\\endif"]
    arrays = ", ".join(_array(letter) for letter in "isq")
    return [*lines, f"CALL new_order(:w::int, :d::int, :c::int, {arrays}, NULL);"]


def _payment(warehouses: int) -> list[str]:
    return [
        *_buyer(),
        random_number("cents", 100, 500_000),
        "\\set amount :cents / 100.0",
        random_number("chance", 1, 100),
        "\\set pw :w",
        "\\set pd :d",
        "\\if :chance <= 15",
        f"\\set pw {_other(warehouses)}",
        random_number("pd", 1, DISTRICTS),
        "\\endif",
        _by_buyer("CALL payment(:w::int, :d::int, :pw::int, :pd::int, {buyer}, :amount::numeric, NULL)"),
    ]


def _buyer() -> list[str]:
    """A customer by number, or in 60 of 100 cases by the digits of a last name."""
    return [
        random_number("chance", 1, 100),
        "\\if :chance <= 60",
        _number("n", LAST_NAME, LAST_NAMES, 0),
        "\\set x :n / 100 + 1",
        "\\set y :n / 10 % 10 + 1",
        "\\set z :n % 10 + 1",
        "\\else",
        _number("c", CUSTOMER, CUSTOMERS, 1),
        "\\endif",
        "\\set named :chance",
    ]


def _by_buyer(call: str) -> str:
    name = " || ".join(f"{texts(SYLLABLES)}[:{digit}::int]" for digit in "xyz")
    named, numbered = call.format(buyer=f"0, {name}"), call.format(buyer=":c::int, ''")
    return f"\\if :named <= 60\n{named};\n\\else\n{numbered};\n\\endif"


def _other(warehouses: int) -> str:
    """Another warehouse than the client's, where there is one."""
    return ":w" if warehouses == 1 else f"1 + (:w + random(0, {warehouses - 2})) % {warehouses}"


def _number(name: str, constants: NonUniform, limit: int, least: int) -> str:
    """``NURand``, as ``picks.non_uniform``."""
    drawn = f"(random(0, {constants.a}) | random(0, {limit - 1}))"
    return f"\\set {name} {least} + ({drawn} + {constants.c}) % {limit}"


def _array(letter: str) -> str:
    """The lines that the order has, cut on the server: so one prepared statement serves orders of every length."""
    return f"(ARRAY[{', '.join(f':{letter}{line}::int' for line in range(1, MOST_LINES + 1))}])[1:(:lines)::int]"
