from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Call, Pause
from engine.workload.pacing import PacedStage, Pacing, PacingPlan, new_pacing
from engine.workloads.brokerage import names
from engine.workloads.brokerage.deck import DECK, Deck
from engine.workloads.brokerage.market_emulator import MOST_QUOTES, RESULTS_OF_FEED, Market, Order, price_cents
from engine.workloads.brokerage.picks import Picks
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.user import RESULT_KEY, BrokerageUser
from tests.engine.workloads.tallies import CountingTally

SIZE = Size(2_000, 3)


def _order(trade: int, security: int = 0, price_cents: int = 25_00) -> Order:
    return Order(trade, 1, security, names.symbol(security), 100, price_cents)


class _Rows:
    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self._rows = list(rows)

    def decoded(self) -> list[tuple[Any, ...]]:
        return self._rows


class _Server:
    """Answers calls like a store that accepts every order, unless it is to be rolled back."""

    def __init__(self) -> None:
        self.trade = 0
        self.seconds = 0.0

    def answer(self, call: Call) -> object:
        if call.name == "trade_order":
            self.trade += 1
            return _Rows((None, None) if call.arguments[-1] else (self.trade, 25_00))
        if call.name == "trade_result":
            return 77
        return _Rows()

    def clock(self) -> float:
        self.seconds += 0.05
        return self.seconds


class _Driven:
    """A user of such a server, and what it counts; ``action`` is what it waits for. It is one of the same client as the
    user that it is ``beside``."""

    def __init__(self, number: int = 1, *, beside: "_Driven | None" = None, pacing: Pacing | None = None) -> None:
        self.server: _Server = _Server() if beside is None else beside.server
        self.tally: CountingTally = CountingTally() if beside is None else beside.tally
        user = BrokerageUser(SIZE, 0.0, number, Random(number + 2), self.tally, clock=self.server.clock)
        if pacing is not None:
            user.pace(pacing, 0, self.server.clock)
        self._script = user.script()
        self.action = next(self._script)

    def go_on(self, error: TargetError | None = None) -> None:
        """The server answers what the user waits for, or it fails."""
        action = self.action
        answer = self.server.answer(action) if isinstance(action, Call) and error is None else None
        self.action = self._script.send((answer, error, 0.001))

    def go_on_to(self, name: str = "") -> Call:
        """Go on until the user waits for a call of this name, or for any."""
        while not (isinstance(self.action, Call) and name in ("", self.action.name)):
            self.go_on()
        return self.action


def _counts_of(transactions: int, number: int = 1) -> Counter[str]:
    """What a user has counted when it has ended so many."""
    driven = _Driven(number)
    while driven.tally.transactions.total() < transactions:
        driven.go_on()
    return driven.tally.transactions


def test_the_mix_is_that_of_the_specification() -> None:
    counts = _counts_of(20_000)
    own = sum(counts[each] for each in DECK) + counts["rolled_back"]
    assert sum(DECK.values()) == 890
    assert counts["trade_status"] / own == pytest.approx(0.19 / 0.89, rel=0.005)
    assert (counts["trade_order"] + counts["rolled_back"]) / own == pytest.approx(0.101 / 0.89, rel=0.02)
    assert counts["trade_result"] / counts["trade_order"] > 0.5  # limit orders wait for this market's prices
    assert counts["market_feed"] == counts["trade_result"] // 10


def test_only_the_first_user_of_a_store_cleans_up_and_maintains_the_data() -> None:
    first, other = _counts_of(3_000, number=0), _counts_of(3_000, number=1)
    assert first["trade_cleanup"] == 1
    assert first["data_maintenance"] >= 2
    assert not {"trade_cleanup", "data_maintenance"} & set(other)


def test_a_result_whose_outcome_is_unknown_is_in_doubt_and_sent_again() -> None:
    driven = _Driven()
    sent = driven.go_on_to("trade_result")
    driven.go_on(TargetError(ErrorClass.CONNECTION_LOST, "gone", usable=False))
    assert [key for key, _ in driven.tally.doubts] == [RESULT_KEY]
    assert driven.go_on_to("trade_result").arguments[0] == sent.arguments[0]


def test_users_without_think_time_do_not_pause() -> None:
    driven, pauses = _Driven(), set()
    for _ in range(500):
        if isinstance(driven.action, Pause):
            pauses.add(driven.action.seconds)
        driven.go_on()
    assert pauses == {0.0}


def test_a_later_stage_may_have_a_think_time() -> None:
    stages = (PacedStage(seconds=5, users=1), PacedStage(seconds=5, users=1, think_seconds=1.0))
    pacing = new_pacing(PacingPlan(stages=stages, client=0, clients=1), Random(1))
    pacing.begin(0.0, [5.0])
    driven, pauses = _Driven(pacing=pacing), []
    while driven.server.seconds < 10.0:
        if isinstance(driven.action, Pause):
            pauses.append((driven.server.seconds, driven.action.seconds))
        driven.go_on()
    assert {seconds for at, seconds in pauses if at < 5.0} == {0.0}
    assert max(seconds for at, seconds in pauses if at > 5.1) > 0.5


def test_orders_come_due_in_the_order_of_their_delays_and_results_are_fed_back_by_tens() -> None:
    market, random = Market(), Random(1)
    for number in range(20):
        market.add_submitted(_order(number, security=number), 0.0, random)
    market.add_limit_order(_order(20, security=3), 0.0, random)
    assert market.next_due(0.0) is None
    orders = []
    while isinstance(order := market.next_due(40.0), Order):
        orders.append(order)
    assert sorted(each.trade for each in orders) == list(range(20))
    for order in orders[:9]:
        market.result_sent(order, 25_00)
        assert market.next_due(40.0) is None
    market.result_sent(orders[9], 25_00)
    quotes = market.next_due(40.0)
    assert isinstance(quotes, list)
    assert [quote.symbol for quote in quotes] == sorted(quote.symbol for quote in quotes)
    assert market.next_due(40.0) is None


def test_a_feed_that_failed_is_sent_again_with_the_quotes_that_came_later() -> None:
    market = Market()
    for number in range(10):
        market.result_sent(_order(number, security=number), 25_00)
    failed = market.next_due(0.0)
    assert isinstance(failed, list)
    market.result_sent(Order(10, 1, 0, names.symbol(0), 200, 25_00), 26_00)
    market.resend(failed, 0.0, is_in_doubt=False)
    again = market.next_due(0.0)
    assert isinstance(again, list)
    assert {quote.symbol for quote in again} == {quote.symbol for quote in failed}
    assert [quote.price_cents for quote in again if quote.symbol == names.symbol(0)] == [25_00, 26_00]


def test_a_feed_has_every_quote_of_a_security_in_its_order() -> None:
    """Otherwise a limit order whose price came first would wait for another trade at its price."""
    market, random = Market(), Random(1)
    market.add_limit_order(_order(1, security=5, price_cents=24_00), 0.0, random)
    assert market.next_due(40.0) is None
    for number in range(2, 12):
        market.result_sent(_order(number, security=number % 2 + 4), 25_00 + number)
    quotes = market.next_due(40.0)
    assert isinstance(quotes, list)
    assert [quote.symbol for quote in quotes] == sorted(quote.symbol for quote in quotes)
    prices = [quote.price_cents for quote in quotes if quote.symbol == names.symbol(5)]
    assert prices == [24_00, 25_03, 25_05, 25_07, 25_09, 25_11]


@pytest.mark.parametrize("is_in_doubt", [True, False])
def test_limit_orders_that_a_feed_in_doubt_may_have_submitted_are_executed(is_in_doubt: bool) -> None:
    """The feed that is sent again answers with the order of trade 1 alone: the other one was submitted before."""
    market, random = Market(), Random(1)
    orders = [_order(1, security=5), _order(2, security=6)]
    for order in orders:
        market.add_limit_order(order, 0.0, random)
    assert market.next_due(40.0) is None
    for number in range(3, 13):
        market.result_sent(_order(number), 25_00)
    quotes = market.next_due(40.0)
    assert isinstance(quotes, list)
    market.resend(quotes, 40.0, is_in_doubt=is_in_doubt)
    assert market.next_due(40.0) == quotes
    market.add_submitted(orders[0], 40.0, random)
    market.feed_sent(quotes, 40.0, random)
    executed = [market.next_due(80.0), market.next_due(80.0)]
    assert {each.trade for each in executed if isinstance(each, Order)} == ({1, 2} if is_in_doubt else {1})
    assert market.next_due(80.0) is None


def test_of_many_results_at_once_no_feed_is_empty() -> None:
    market = Market()
    for number in range(25):
        market.result_sent(_order(number, security=number), 25_00)
    quotes = market.next_due(0.0)
    assert isinstance(quotes, list)
    assert len(quotes) == 25
    assert market.next_due(0.0) is None


def test_a_feed_holds_so_many_quotes_and_the_next_one_the_others() -> None:
    market, random = Market(), Random(1)
    for number in range(MOST_QUOTES + 30):
        market.add_limit_order(_order(number, security=number), 0.0, random)
    assert market.next_due(40.0) is None
    fed = []
    for _ in range(2):
        for number in range(RESULTS_OF_FEED):
            market.result_sent(_order(number, security=9), 25_00)
        quotes = market.next_due(40.0)
        assert isinstance(quotes, list)
        fed.append({quote.symbol for quote in quotes})
    assert len(fed[0]) == MOST_QUOTES
    assert fed[0] | fed[1] == set(map(names.symbol, range(MOST_QUOTES + 30)))


def test_prices_stay_near_the_built_ones() -> None:
    for security in (0, 17, 684):
        base = names.base_price_cents(security)
        assert all(abs(price_cents(security, float(now)) - base) <= 0.02 * base + 1 for now in range(120))


def test_picks_are_of_what_the_store_holds() -> None:
    picks = Picks(SIZE, Random(5))
    for name, pick in picks.calls.items():
        for _ in range(200):
            call = pick()
            assert call.name == name
    for _ in range(500):
        call = picks.calls["trade_order"]()
        account, _, symbol, company, issue, kind, quantity = call.arguments[:7]
        assert 1 <= account <= SIZE.accounts
        assert (symbol == names.symbol(picks.traded)) != (
            company == names.company_name(names.company_of(picks.traded)[0])
        )
        assert bool(issue) == bool(company)
        assert kind in {"TMB", "TMS", "TLB", "TLS", "TSL"}
        assert quantity in {100, 200, 400, 800}


def test_a_deck_is_dealt_in_another_order_each_time() -> None:
    random, deck = Random(1), Deck()
    one, other = ([deck.draw(random) for _ in range(890)] for _ in range(2))
    assert Counter(one) == Counter(other) == DECK
    assert one != other


def test_half_a_deck_has_half_of_the_cards_of_each_type() -> None:
    """So the shares of a run are as exact when a deck is left unfinished."""
    half = {each: cards // 2 for each, cards in DECK.items()}
    random, deck = Random(2), Deck()
    assert Counter(deck.draw(random) for _ in range(sum(half.values()))) == half


def test_users_of_a_client_draw_from_one_deck_and_keep_what_has_failed() -> None:
    first = _Driven()
    users = [first, *(_Driven(number, beside=first) for number in range(2, 11))]
    failed = first.go_on_to()
    first.go_on(TargetError(ErrorClass.OTHER, "refused", usable=True, undone=True))
    assert first.go_on_to().name == failed.name
    counts = first.tally.transactions
    while counts.total() < 40_000:
        for user in users:
            user.go_on()
    own = sum(counts[each] for each in DECK) + counts["rolled_back"]
    for each, cards in DECK.items():
        drawn = counts[each] + (counts["rolled_back"] if each == "trade_order" else 0)
        assert drawn / own == pytest.approx(cards / 890, rel=0.005), each
