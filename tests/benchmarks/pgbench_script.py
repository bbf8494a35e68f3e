"""The order of an emulated user as a script for pgbench: the same statements, parameters and chances.

pgbench draws numbers but no words, so each of its clients asks the server for words, and for the particulars of a new
customer, at its beginning and with every fiftieth order or so; they are sent as parameters, as Spindle's are. What it
can't do: it pays with amounts drawn like those of a cart instead of adding up the prices, and the server has to make a
username of a number and an array of a cart's single numbers. All is one script, since pgbench prepares each statement
of each script in each connection: two dozen scripts held a server up for a quarter of a minute.
"""

from collections.abc import Callable
from random import Random

from engine.workloads.dvdstore import catalogue, picks
from engine.workloads.dvdstore.catalogue import (
    LOWEST_PRICE_CENTS,
    MOST_QUANTITY,
    POPULAR_EVERY,
    POPULAR_FACTOR,
    PRICE_STEP_CENTS,
)
from engine.workloads.dvdstore.sizing import CATEGORIES
from engine.workloads.dvdstore.user import Mix

VARIABLES = {
    "loaded": "0",
    **{f"{letter}{line}": "1" for letter in "pq" for line in range(1, picks.MOST_CART_LINES + 1)},
}
"""What pgbench has to be told with ``-D``: no words are there yet, and a cart's unused lines have to be something."""

_POOL = 100
_ORDERS_PER_LOAD = 50
_TEXTS = (
    "firstname", "lastname", "address1", "address2", "city", "state", "country", "email", "phone", "creditcard",
    "creditcardexpiration", "password", "gender",
)  # fmt: skip
_NUMBERS = ("zip", "region", "creditcardtype", "age", "income")


def order_script(mix: Mix, seed: int) -> str:
    """One whole order, with the think time after it."""
    think_us = round(2_000 * mix.think_time_ms)
    parts = [
        load_words(mix, seed),
        "\\set chance random(1, 1000000)",
        f"\\if :chance <= {round(mix.pct_new_customers * 10_000)}",
        new_customer(),
        f"\\else\n{any_customer(mix)}\n{login()};\n\\endif",
        f"\\set browses random(1, {most_browses(mix)})",
        *(f"\\if :browses >= {slot}\n{browse(mix, slot)}\n\\endif" for slot in range(1, most_browses(mix) + 1)),
        cart(mix),
        f"{prices(mix)};",
        f"{purchase(mix)};",
        f"\\set think random(0, {think_us})\n\\sleep :think us" if think_us else "",
    ]
    return _script(parts)


def most_browses(mix: Mix) -> int:
    return 2 * mix.n_searches - 1


def most_lines(mix: Mix) -> int:
    return min(2 * mix.n_line_items - 1, picks.MOST_CART_LINES)


def load_words(mix: Mix, seed: int) -> str:
    """Fill the variables of words, at first and in one order of fifty: another pool's place each time."""
    random = Random(seed)
    slots = range(1, most_browses(mix) + 1)
    actors = _array([" ".join(picks.actor(random)) for _ in range(_POOL)])
    titles = _array([" ".join(picks.title_words(random, mix.size)) for _ in range(_POOL)])
    customers = [picks.new_customer(random) for _ in range(_POOL)]
    names = ", ".join(_TEXTS + _NUMBERS)
    rows = ", ".join(
        "(" + ", ".join([*(f"'{getattr(c, t)}'" for t in _TEXTS), *(str(getattr(c, n)) for n in _NUMBERS)]) + ")"
        for c in customers
    )
    words = ", ".join(
        f"({pool})[1 + (:place + {13 * slot}) % {_POOL}] AS {name}{slot}"
        for slot in slots
        for name, pool in (("actor", actors), ("title", titles))
    )
    return "\n".join(
        [
            f"\\set place random(0, {_POOL - 1})",
            f"\\set again random(1, {_ORDERS_PER_LOAD})",
            "\\if :loaded = 0 or :again = 1",
            f"SELECT {names}, {words} FROM (VALUES {rows}) AS pool ({names}) OFFSET :place LIMIT 1 \\gset",
            "\\set loaded 1",
            "\\endif",
        ]
    )


def any_customer(mix: Mix) -> str:
    """The command that draws one."""
    return f"\\set customer random(1, {mix.size.customers})"


def login() -> str:
    """The statement, without its semicolon like all of them: ``:customer``'s login."""
    prefix = picks.username(0).removesuffix("0")
    return f"SELECT customerid, title, actor, related_title FROM login('{prefix}' || :customer::text, :password)"


def new_customer() -> str:
    """Register, and once more under another number when the name is taken, which leaves customer 0."""
    register = f"{new_number()}\n{registration()} \\gset"
    return f"{register}\n\\if :customer = 0\n{register}\n\\endif"


def new_number() -> str:
    """The command that draws a number for a new customer's name."""
    return f"\\set number random(1, {picks.LARGEST_NEW_USERNAME})"


def registration() -> str:
    """The statement alone; its answer is customer 0 when the name is taken."""
    texts = ":firstname, :lastname, :address1, :address2, :city, :state"
    card = ":email, :phone, :creditcardtype::int, :creditcard, :creditcardexpiration"
    return (
        f"SELECT coalesce(new_customer({texts}, :zip::int, :country, :region::int, {card},"
        " 'newuser' || :number::text, :password, :age::int, :income::int, :gender), 0) AS customer"
    )


def browse(mix: Mix, slot: int, in_one_piece: Callable[[str], str] = "{};".format) -> str:
    """One search of any of the three kinds, with the words of a slot; ``in_one_piece`` makes it of its statement."""
    return "\n".join(
        [
            "\\set kind random(1, 3)",
            f"\\set batch random(1, {2 * mix.search_batch_size - 1})",
            "\\if :kind = 1",
            f"\\set category random(1, {CATEGORIES})",
            in_one_piece("SELECT * FROM browse_by_category(:category::int, :batch::int)"),
            "\\elif :kind = 2",
            in_one_piece(f"SELECT * FROM browse_by_actor(:actor{slot}, :batch::int)"),
            "\\else",
            in_one_piece(f"SELECT * FROM browse_by_title(:title{slot}, :batch::int)"),
            "\\endif",
        ]
    )


def cart(mix: Mix) -> str:
    """The lines, each with its product and quantity, and amounts of the size that such a cart comes to."""
    products, tickets = mix.size.products, catalogue.tickets(mix.size)
    popular = f"((:ticket - {products}) / {POPULAR_FACTOR - 1} + 1) * {POPULAR_EVERY}"
    price = f"({LOWEST_PRICE_CENTS} + {PRICE_STEP_CENTS} * random(0, {catalogue.PRICES - 1}))"
    lines = [f"\\set lines least(random(1, {2 * mix.n_line_items - 1}), {picks.MOST_CART_LINES})", "\\set cents 0"]
    for line in range(1, most_lines(mix) + 1):
        lines += [
            f"\\if :lines >= {line}",
            f"\\set ticket random(0, {tickets - 1})",
            f"\\set p{line} CASE WHEN :ticket < {products} THEN :ticket + 1 ELSE {popular} END",
            f"\\set q{line} random(1, {MOST_QUANTITY})",
            f"\\set cents :cents + :q{line} * {price}",
            "\\endif",
        ]
    lines += [
        f"\\set tax_cents (:cents * {catalogue.TAX_PER_10_000} + 5000) / 10000",
        "\\set net :cents / 100.0",
        "\\set tax :tax_cents / 100.0",
        "\\set total (:cents + :tax_cents) / 100.0",
    ]
    return "\n".join(lines)


def prices(mix: Mix) -> str:
    return f"SELECT prod_id, price_cents FROM product_prices({_numbers('p', mix)})"


def purchase(mix: Mix, procedure: str = "purchase") -> str:
    return (
        f"CALL {procedure}(:customer::int, {_numbers('p', mix)}, {_numbers('q', mix)},"
        " :net::numeric, :tax::numeric, :total::numeric, NULL)"
    )


def _numbers(letter: str, mix: Mix) -> str:
    """The lines that the cart has, cut on the server: so one prepared statement serves carts of every length."""
    lines = ", ".join(f":{letter}{line}::int" for line in range(1, most_lines(mix) + 1))
    return f"(ARRAY[{lines}])[1:(:lines)::int]"


def _array(texts: list[str]) -> str:
    return "ARRAY[" + ", ".join(f"'{text}'" for text in texts) + "]"


def _script(parts: list[str]) -> str:
    return "\n".join(part for part in parts if part) + "\n"
