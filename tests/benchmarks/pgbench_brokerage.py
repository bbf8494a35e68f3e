"""The transactions of Brokerage's users and markets as one script for pgbench: the same calls, inputs and chances.

A transaction is one call. As a user of Spindle does, a client of pgbench first sends what the market owes: the
Trade-Result of a trade that was submitted, or with ten results the Market-Feed of their prices and those of the limit
orders; otherwise it draws one of the other eight. pgbench has no queue that its clients could share, so each client is
the market of its own orders: it keeps the number of its market order in a variable, and those of the limit orders that
its Market-Feed submitted in an array, as text; a result follows at once, where Spindle's market waits for a second on
average. The first Market-Feed of a client is due after one to ten results, so that they are a tenth of the results from
the beginning.

What pgbench can't do: it has no words, so the server makes names, symbols and moments of their numbers; it can't sort,
so the server sorts a feed's symbols, which the market does in Spindle; it has no sine, so prices swing at random within
the same 2 %; it draws the types of transactions by their shares, not from decks. Data-Maintenance and Trade-Cleanup,
one transaction a minute and one a run, are left out.
"""

from collections.abc import Iterable
from itertools import accumulate

from engine.workloads.brokerage import names, picks
from engine.workloads.brokerage.deck import DECK
from engine.workloads.brokerage.market_emulator import RESULTS_OF_FEED
from engine.workloads.brokerage.sizing import ACCOUNTS, COMPANIES_OF_UNIT, HELD, SECURITIES_OF_UNIT, Size
from engine.workloads.brokerage.words import (
    COMPANY_ENDINGS,
    COMPANY_FIRST_WORDS,
    COMPANY_SECOND_WORDS,
    SECTORS,
    TRADE_TYPES,
)
from tests.benchmarks.pgbench_text import random_number, texts

_MOST_LIMITS = 8
"""A feed is due as well when so many limit orders of a client wait for it; between two feeds there are four."""
_EMPTY = {"symbols": "{}", "prices": "{}", "quantities": "{}"}
VARIABLES = {
    **_EMPTY, "has_begun": "0", "results": "0", "limits": "0", "has_order": "0", "submitted": "0", "taken": "0",
    **{f"{name}{place}": "1" for name in ("limit_code", "limit_price") for place in range(1, _MOST_LIMITS + 1)},
}  # fmt: skip
"""What pgbench has to be told with ``-D``: what a client knows before its first transaction."""


def script(size: Size) -> str:
    """One transaction: what the market owes, or one of a user's own."""
    statements = {
        "trade_status": [*_account(size), "SELECT * FROM trade_status(:account::int + 1);"],
        "market_watch": _market_watch(size),
        "security_detail": _security_detail(size),
        "customer_position": _customer_position(size),
        "trade_order": _trade_order(size),
        "trade_lookup": _of_trades(size, "SELECT * FROM trade_lookup", (30, 60, 90, 100)),
        "broker_volume": _broker_volume(size),
        "trade_update": _of_trades(size, "SELECT trade_update", (33, 66, 100)),
    }
    lines = [
        "\\if :has_begun = 0",
        "\\set has_begun 1",
        f"\\set results :client_id % {RESULTS_OF_FEED}",
        "\\endif",
        "\\if :has_order = 1",
        *_result_of_order(),
        "\\elif :taken < :submitted",
        *_result_of_submitted(),
        f"\\elif :results >= {RESULTS_OF_FEED} or :limits >= {_MOST_LIMITS}",
        *_market_feed(),
        "\\else",
        random_number("ticket", 1, sum(DECK.values())),
    ]
    for place, (name, limit) in enumerate(zip(DECK, accumulate(DECK.values()), strict=True)):
        is_last = place == len(DECK) - 1
        lines.append("\\else" if is_last else f"\\{'elif' if place else 'if'} :ticket <= {limit}")
        lines += statements[name]
    return "\n".join([*lines, "\\endif", "\\endif"]) + "\n"


def _trade_order(size: Size) -> list[str]:
    kinds = {each: place for place, (each, *_) in enumerate(TRADE_TYPES, 1)}
    return [
        *_account(size),
        f"\\set held random(0, {HELD - 1})",
        f"\\set security (:account * {names.HELD_FACTOR} + :held * (1 + :account % {size.securities // HELD}))"
        f" % {size.securities}",
        _code("code", ":security"),
        *_executor(size),
        *_company(),
        random_number("chance", 0, 99),
        "\\set kind CASE"
        + "".join(f" WHEN :chance < {limit} THEN {kinds[kind]}" for kind, limit in picks.KINDS)
        + " END",
        "\\set percent CASE WHEN :kind <= 2 THEN 100 ELSE random(99, 101) END",
        "\\set quantity 100 << random(0, 3)",
        "\\set is_by_name CASE WHEN random(1, 100) <= 40 THEN 1 ELSE 0 END",
        "\\set is_lifo CASE WHEN random(1, 100) <= 35 THEN 1 ELSE 0 END",
        "\\set is_margin CASE WHEN random(1, 100) <= 8 THEN 1 ELSE 0 END",
        "\\set rolls_back CASE WHEN random(1, 100) = 1 THEN 1 ELSE 0 END",
        f"CALL trade_order(:account::int + 1, {_TAX_ID},"
        f" CASE WHEN :is_by_name::int = 1 THEN '' ELSE {_symbol('code')} END,"
        f" CASE WHEN :is_by_name::int = 1 THEN {_COMPANY_NAME} ELSE '' END,"
        f" CASE WHEN :is_by_name::int = 1 THEN {texts((names.COMMON, names.PREFERRED))}[1 + :is_preferred::int]"
        f" ELSE '' END, {texts(each for each, *_ in TRADE_TYPES)}[:kind::int], :quantity::int, :percent::int,"
        " :is_lifo::int, :is_margin::int, :rolls_back::int, NULL, NULL) \\gset",
        "\\if :rolls_back = 0",
        "\\if :kind <= 2",
        "\\set has_order 1",
        "\\else",
        "\\set limits :limits + 1",
        *(
            line
            for place in range(1, _MOST_LIMITS + 1)
            for line in (
                f"\\{'elif' if place > 1 else 'if'} :limits = {place}",
                f"\\set limit_code{place} :code",
                f"\\set limit_price{place} :price_out",
            )
        ),
        "\\endif",
        "\\endif",
        "\\endif",
    ]


def _executor(size: Size) -> list[str]:
    """As ``Picks._executor``: two accounts in five have others who may trade for them."""
    other = f"(:account / {ACCOUNTS} + 7 * (1 + random(0, CASE WHEN :place = 49 THEN 1 ELSE 0 END))) % {size.customers}"
    return [
        "\\set place :account % 50",
        f"\\set executor 1 + CASE WHEN :place >= 30 and random(1, 100) <= 25 THEN {other}"
        f" ELSE :account / {ACCOUNTS} END",
        _tax_number("executor"),
    ]


def _company() -> list[str]:
    """The company of the security as ``names.company_of``, and the places of the words of its name."""
    return [
        f"\\set unit :security / {SECURITIES_OF_UNIT}",
        f"\\set place :security % {SECURITIES_OF_UNIT}",
        f"\\set is_preferred CASE WHEN :place < {COMPANIES_OF_UNIT} THEN 0 ELSE 1 END",
        f"\\set company :unit * {COMPANIES_OF_UNIT}"
        f" + CASE WHEN :is_preferred = 0 THEN :place ELSE 2 * (:place - {COMPANIES_OF_UNIT}) END",
        f"\\set first :company % {len(COMPANY_FIRST_WORDS)}",
        f"\\set rest :company / {len(COMPANY_FIRST_WORDS)} + :first",
        f"\\set second :rest % {len(COMPANY_SECOND_WORDS)}",
        f"\\set rest :rest / {len(COMPANY_SECOND_WORDS)}",
        f"\\set ending :rest % {len(COMPANY_ENDINGS)}",
        f"\\set again :rest / {len(COMPANY_ENDINGS)}",
    ]


def _result_of_order() -> list[str]:
    """The Trade-Result of the client's market order."""
    return [
        "\\set has_order 0",
        "\\set price :price_out * random(9800, 10200) / 10000",
        f"SELECT trade_result(:t_id_out::int, :price::int) AS done,"
        f" {_quoted(_symbol('code'), ':price::int', ':quantity::int')} \\gset",
        "\\set results :results + 1",
    ]


def _result_of_submitted() -> list[str]:
    """The Trade-Result of a limit order that the client's last feed submitted."""
    price = "(:their_prices::int[])[:taken::int] * :swing::int / 10000"
    symbol, quantity = "(:their_symbols::text[])[:taken::int]", "(:their_quantities::int[])[:taken::int]"
    return [
        "\\set taken :taken + 1",
        "\\set swing random(9800, 10200)",
        f"SELECT trade_result((:trades::int[])[:taken::int], {price}) AS done,"
        f" {_quoted(symbol, price, quantity)} \\gset",
        "\\set results :results + 1",
    ]


def _quoted(symbol: str, price: str, quantity: str) -> str:
    """The columns that add a quote to those of the next feed."""
    return (
        f"array_append(:symbols::text[], {symbol})::text AS symbols,"
        f" array_append(:prices::int[], {price})::text AS prices,"
        f" array_append(:quantities::int[], {quantity})::text AS quantities"
    )


def _market_feed() -> list[str]:
    """The quotes of results and limit orders, by symbols; of several of one security the last."""
    limits = ", ".join(
        f"({place}, {_symbol(f'limit_code{place}')}, :limit_price{place}::int)" for place in range(1, _MOST_LIMITS + 1)
    )
    quotes = (
        "SELECT symbol, price, quantity, place FROM unnest(:symbols::text[], :prices::int[], :quantities::int[])"
        " WITH ORDINALITY AS quote (symbol, price, quantity, place)"
        f" UNION ALL SELECT symbol, price, 0, 1000 + place FROM (VALUES {limits}) AS ordered (place, symbol, price)"
        " WHERE place <= :limits::int"
    )
    last = f"SELECT DISTINCT ON (symbol) symbol, price, quantity FROM ({quotes}) AS quotes ORDER BY symbol, place DESC"
    return [
        "SELECT count(*) AS submitted, coalesce(array_agg(t_id), '{}')::text AS trades,"
        " coalesce(array_agg(submitted.symbol), '{}')::text AS their_symbols,"
        " coalesce(array_agg(price_cents), '{}')::text AS their_prices,"
        " coalesce(array_agg(submitted.quantity), '{}')::text AS their_quantities,"
        " '{}' AS symbols, '{}' AS prices, '{}' AS quantities"
        " FROM (SELECT string_agg(symbol, ',' ORDER BY symbol) AS symbols, array_agg(price ORDER BY symbol) AS prices,"
        f" array_agg(quantity ORDER BY symbol) AS quantities FROM ({last}) AS last) AS feed,"
        " market_feed(feed.symbols, feed.prices, feed.quantities) AS submitted \\gset",
        "\\set taken 0",
        "\\set limits 0",
        f"\\set results :results - CASE WHEN :results < {RESULTS_OF_FEED} THEN :results ELSE {RESULTS_OF_FEED} END",
    ]


def _market_watch(size: Size) -> list[str]:
    industries = texts(names.industry_name(each) for each in range(1, names.INDUSTRIES + 1))
    return [
        random_number("chance", 0, 99),
        *_price_day(),
        "\\if :chance < 60",
        random_number("customer", 1, size.customers),
        f"SELECT market_watch(:customer::int, 0, '', 0, {_DAY});",
        "\\elif :chance < 95",
        *_account(size),
        f"SELECT market_watch(0, :account::int + 1, '', 0, {_DAY});",
        "\\else",
        random_number("industry", 1, names.INDUSTRIES),
        random_number("first", 1, max(1, size.companies - 5_000)),
        f"SELECT market_watch(0, 0, {industries}[:industry::int], :first::int, {_DAY});",
        "\\endif",
    ]


def _security_detail(size: Size) -> list[str]:
    return [
        *_security(size),
        random_number("days", 5, 20),
        "\\set has_texts CASE WHEN random(1, 100) = 1 THEN 1 ELSE 0 END",
        *_price_day(),
        f"SELECT * FROM security_detail({_symbol('its_code')}, :days::int, :has_texts::int, {_DAY});",
    ]


def _customer_position(size: Size) -> list[str]:
    return [
        random_number("customer", 1, size.customers),
        random_number("is_by_tax_id", 0, 1),
        f"\\set history_of random(1, {ACCOUNTS}) * random(0, 1)",
        "\\if :is_by_tax_id = 1",
        _tax_number("customer"),
        f"SELECT * FROM customer_position(0, {_TAX_ID}, :history_of::int);",
        "\\else",
        "SELECT * FROM customer_position(:customer::int, '', :history_of::int);",
        "\\endif",
    ]


def _broker_volume(size: Size) -> list[str]:
    """Neighbours by their numbers, where a user of Spindle draws each broker by itself."""
    least, most = (min(size.brokers, each) for each in (picks.LEAST_BROKERS, picks.MOST_BROKERS))
    brokers = texts(names.broker_name(each % size.brokers) for each in range(size.brokers + most))
    return [
        random_number("first", 1, size.brokers),
        f"\\set last :first - 1 + random({least}, {most})",
        random_number("sector", 1, len(SECTORS)),
        f"SELECT * FROM broker_volume(array_to_string({brokers}[:first::int : :last::int], '|'),"
        f" {texts(SECTORS)}[:sector::int]);",
    ]


def _of_trades(size: Size, function: str, limits: tuple[int, ...]) -> list[str]:
    """A lookup or an update of trades: by their numbers, of an account, of a security, or the holding of a trade."""
    numbers = [f"n{place}" for place in range(1, picks.MOST_TRADES + 1)]
    frames = [
        ([random_number(each, 1, size.trades) for each in numbers], f"ARRAY[{_integers(numbers)}], 0, ''"),
        (_account(size), "'{}', :account::int + 1, ''"),
        (_security(size), f"'{{}}', 0, {_symbol('its_code')}"),
        (_account(size), "'{}', :account::int + 1, ''"),
    ]
    lines = [
        random_number("chance", 0, 99),
        random_number("moment", 0, max(1, size.days * picks.DAY_SECONDS // 2) - 1),
        f"\\set day :moment / {picks.DAY_SECONDS}",
    ]
    for frame, (drawn, arguments) in enumerate(frames[: len(limits)], 1):
        word = "else" if frame == len(limits) else f"{'elif' if frame > 1 else 'if'} :chance < {limits[frame - 1]}"
        lines += [f"\\{word}", *drawn, f"{function}({frame}, {arguments}, {_MOMENT}, '2100-01-01 00:00:00');"]
    return [*lines, "\\endif"]


_DAY = f"(date '{picks.OPENS:%Y-%m-%d}' - :days_back::int)::text"
_MOMENT = (
    f"(timestamp '{picks.OPENS}' + make_interval(days => :day::int / 5 * 7 + :day::int % 5,"
    f" secs => :moment::int % {picks.DAY_SECONDS}))::text"
)


def _price_day() -> list[str]:
    """As the days of ``picks``: so many before the first day of trading."""
    return [
        f"\\set back random({picks.LEAST_DAYS_BACK}, {picks.LEAST_DAYS_BACK + picks.PRICE_DAYS - 1})",
        "\\set days_back :back / 5 * 7 + :back % 5 + CASE WHEN :back % 5 > 0 THEN 2 ELSE 0 END",
    ]


def _account(size: Size) -> list[str]:
    return [random_number("account", 0, size.accounts - 1)]


def _security(size: Size) -> list[str]:
    return [random_number("its_security", 0, size.securities - 1), _code("its_code", ":its_security")]


def _code(name: str, security: str) -> str:
    """The number whose digits to the base of 26 are the letters of a security's symbol, the lowest first."""
    return f"\\set {name} {security} * {names.SYMBOL_FACTOR} % {len(names.LETTERS) ** names.SYMBOL_LETTERS}"


def _symbol(code: str) -> str:
    base = len(names.LETTERS)
    return (
        "("
        + " || ".join(f"chr(65 + :{code}::int / {base**place} % {base})" for place in range(names.SYMBOL_LETTERS))
        + ")"
    )


def _tax_number(customer: str) -> str:
    return f"\\set tax_number :{customer} * {names.TAX_ID_FACTOR} % {10**names.TAX_ID_DIGITS}"


_TAX_ID = f"lpad(:tax_number::text, {names.TAX_ID_DIGITS}, '0')"
_COMPANY_NAME = (
    f"{texts(COMPANY_FIRST_WORDS)}[1 + :first::int] || ' ' || {texts(COMPANY_SECOND_WORDS)}[1 + :second::int]"
    f" || ' ' || {texts(COMPANY_ENDINGS)}[1 + :ending::int]"
    " || CASE WHEN :again::int > 0 THEN ' ' || (1 + :again::int) ELSE '' END"
)


def _integers(variables: Iterable[str]) -> str:
    return ", ".join(f":{each}::int" for each in variables)
