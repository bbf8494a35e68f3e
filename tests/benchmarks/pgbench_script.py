"""The order of an emulated user as a script for pgbench: the same statements, parameters and chances.

pgbench has no lists of words, so each script holds search words and a new customer of its own as constants; many
scripts, drawn with equal chance, stand for the variety.
"""

from random import Random

from engine.dvdstore import picks
from engine.dvdstore.sizing import CATEGORIES
from engine.dvdstore.user import Mix

SCRIPTS = 24


def scripts(mix: Mix, seed: int) -> list[str]:
    """The scripts of a mix; pgbench draws one for each order."""
    random = Random(seed)
    return ["\n".join(_order(mix, random)) + "\n" for _ in range(SCRIPTS)]


def _order(mix: Mix, random: Random) -> list[str]:
    most_browses, most_lines = 2 * mix.n_searches - 1, min(2 * mix.n_line_items - 1, picks.MOST_CART_LINES)
    return [
        *_enter(mix, random),
        f"\\set browses random(1, {most_browses})",
        *(line for slot in range(1, most_browses + 1) for line in _browse(mix, random, slot)),
        *_buy(mix, most_lines),
    ]


def _enter(mix: Mix, random: Random) -> list[str]:
    c = picks.new_customer(random)
    texts = [c.firstname, c.lastname, c.address1, c.address2, c.city, c.state]
    constants = ", ".join(f"'{text}'" for text in texts)
    card = f"'{c.email}', '{c.phone}', {c.creditcardtype}, '{c.creditcard}', '{c.creditcardexpiration}'"
    return [
        "\\set chance random(1, 100)",
        f"\\set customer random(1, {mix.size.customers})",
        f"\\set number random(1, {picks.LARGEST_NEW_USERNAME})",
        f"\\if :chance <= {round(mix.pct_new_customers)}",
        f"SELECT new_customer({constants}, {c.zip}, '{c.country}', {c.region}, {card},"
        f" 'newuser' || :number::text, '{c.password}', {c.age}, {c.income}, '{c.gender}') AS customer \\gset",
        "\\else",
        "SELECT customerid, title, actor, related_title"
        f" FROM login('{picks.username(1)[:-1]}' || :customer::text, '{picks.PASSWORD}');",
        "\\endif",
    ]


def _browse(mix: Mix, random: Random, slot: int) -> list[str]:
    actor, title = " ".join(picks.actor(random)), " ".join(picks.title_words(random, mix.size))
    return [
        f"\\if :browses >= {slot}",
        "\\set kind random(1, 3)",
        f"\\set batch random(1, {2 * mix.search_batch_size - 1})",
        "\\if :kind = 1",
        f"\\set category random(1, {CATEGORIES})",
        "SELECT * FROM browse_by_category(:category::int, :batch::int);",
        "\\elif :kind = 2",
        f"SELECT * FROM browse_by_actor('{actor}', :batch::int);",
        "\\else",
        f"SELECT * FROM browse_by_title('{title}', :batch::int);",
        "\\endif",
        "\\endif",
    ]


def _buy(mix: Mix, most_lines: int) -> list[str]:
    lines = [f"\\set lines random(1, {most_lines})", "\\set net random(1000, 40000)"]
    for number in range(1, most_lines + 1):
        lines += [f"\\set p{number} random(1, {mix.size.products})", f"\\set q{number} random(1, 3)"]
    for count in range(1, most_lines + 1):
        products = ", ".join(f":p{number}::int" for number in range(1, count + 1))
        quantities = ", ".join(f":q{number}::int" for number in range(1, count + 1))
        lines += [
            f"\\if :lines = {count}",
            f"SELECT prod_id, price_cents FROM product_prices(ARRAY[{products}]);",
            f"CALL purchase(:customer::int, ARRAY[{products}], ARRAY[{quantities}],"
            " :net::numeric, :net::numeric, :net::numeric, NULL);",
            "\\endif",
        ]
    return lines
