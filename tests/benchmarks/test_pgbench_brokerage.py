"""Names of securities and customers in the script, by pgbench's own expressions where they read as Python."""

import re

from engine.workloads.brokerage import names
from engine.workloads.brokerage.deck import DECK
from engine.workloads.brokerage.sizing import HELD, Size
from tests.benchmarks import pgbench_brokerage

_SIZE = Size(2_000, 1)
_SCRIPT = pgbench_brokerage.script(_SIZE)


def _set(name: str, **variables: int) -> int:
    """What the first ``\\set`` of a name gives: its operators mean the same here for positive numbers."""
    found = re.search(rf"\\set {name} ([^C\n]*)$", _SCRIPT, re.MULTILINE)
    assert found is not None
    return int(eval(re.sub(r":(\w+)", lambda each: str(variables[each[1]]), found[1]).replace("/", "//")))


def test_an_order_is_of_a_security_that_the_account_holds() -> None:
    for account in (0, 1, 4_999, _SIZE.accounts - 1):
        for held in range(HELD):
            security = _set("security", account=account, held=held)
            assert security == names.held_security(account, held, _SIZE.securities)
            code = _set("code", security=security)
            assert "".join(names.LETTERS[code // 26**place % 26] for place in range(5)) == names.symbol(security)


def test_customers_have_their_tax_numbers() -> None:
    for customer in (1, 77, 2_000):
        assert f"{_set('tax_number', executor=customer, customer=customer):012}" == names.tax_id(customer)


def test_users_draw_by_the_shares_of_the_deck_after_what_the_market_owes() -> None:
    assert f"\\set ticket random(1, {sum(DECK.values())})" in _SCRIPT
    limits = [int(limit) for limit in re.findall(r":ticket <= (\d+)", _SCRIPT)]
    shares = [limit - before for before, limit in zip([0, *limits], limits, strict=False)]
    assert shares == list(DECK.values())[:-1]
    assert _SCRIPT.index("trade_result(") < _SCRIPT.index("market_feed(") < _SCRIPT.index("\\set ticket")
