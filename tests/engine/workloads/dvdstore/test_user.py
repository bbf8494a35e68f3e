"""The emulated user's script, driven without a database by scripted answers."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind, Reconnect
from engine.workload.schedule import Delay, overdue_orders
from engine.workload.user import MOST_RETRIES
from engine.workloads.dvdstore import user
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.transactions import ORDER, Step
from engine.workloads.dvdstore.user import DvdStoreUser, Mix, amounts
from tests.engine.workloads.dvdstore.stores import sizes
from tests.engine.workloads.tallies import CountingTally

MIX = Mix(
    size=DbSize(1, "MB"), think_time_ms=20, pct_new_customers=0, n_searches=3, search_batch_size=5, n_line_items=5
)
MIXES = st.builds(
    Mix,
    size=sizes(),
    think_time_ms=st.floats(0, 3_600_000),
    pct_new_customers=st.floats(0, 100),
    n_searches=st.integers(1, 20),
    search_batch_size=st.integers(1, 1_000),
    n_line_items=st.integers(1, 10),
)
DEADLOCK = TargetError(ErrorClass.DEADLOCK, "deadlock detected")
LOST = TargetError(ErrorClass.CONNECTION_LOST, "server closed the connection", usable=False)
TIMEOUT = TargetError(ErrorClass.TIMEOUT, "canceling statement due to statement timeout")
OTHER = TargetError(ErrorClass.OTHER, "disk full")
BROWSES = ("browse_by_category", "browse_by_actor", "browse_by_title")
# The time that every call takes: powers of two, so that a sum tells which calls are in it.
SECONDS = {"login": 1.0, "new_customer": 2.0, "prices": 4.0, "purchase": 512.0} | dict.fromkeys(BROWSES, 16.0)


@pytest.fixture(autouse=True, scope="module", params=["interpreted", "compiled"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """All of this file goes both ways."""
    if request.param == "compiled":
        pytest.importorskip("engine.workloads.dvdstore._script", reason="set up without a C compiler")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "interpreted":
            patch.setattr(user, "compiled", None)
        yield


class Counted(CountingTally):
    """A tally that records all its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[Step, float]] = []
        self.orders: list[tuple[float, bool]] = []

    def step(self, step: Step, seconds: float) -> None:
        self.steps.append((step, seconds))

    def transaction(self, transaction: str, seconds: float, *, rolled_back: bool) -> None:
        assert transaction == ORDER
        self.orders.append((seconds, rolled_back))


Answer = Callable[[Call], Any]


def well(call: Call) -> Any:
    """A store that is well: an answer, or a ``TargetError`` in its stead."""
    match call.name:
        case "login":
            return 7, []
        case "new_customer" | "purchase":
            return 77
        case "prices":
            return dict.fromkeys(call.arguments[0], 999)
    return []


def failing(verb: str, *failures: TargetError | None) -> Answer:
    """A store whose ``verb`` gives the listed errors (``None`` for success), and then always succeeds."""
    left = list(failures)

    def answer(call: Call) -> Any:
        if call.name == verb and left:
            failure = left.pop(0)
            if failure is not None:
                return failure
        return well(call)

    return answer


def played(
    mix: Mix = MIX,
    answer: Answer = well,
    *,
    orders: int = 1,
    seed: int = 1,
    reconnect_seconds: float = 0.0,
    takes: Callable[[Call], float] = lambda call: SECONDS[call.name],
) -> tuple[list[Action], Counted]:
    """What a user does from its start until its pause to think has come so often, and what it counted."""
    tally = Counted()
    script = DvdStoreUser(mix, Random(seed), tally).script()
    actions: list[Action] = [next(script)]
    while orders:
        action = actions[-1]
        if isinstance(action, Pause) and action.kind is PauseKind.THINK:
            orders -= 1
        if orders:
            actions.append(script.send(_outcome(action, answer, reconnect_seconds, takes)))
    script.close()
    return actions, tally


def _outcome(action: Action, answer: Answer, reconnect_seconds: float, takes: Callable[[Call], float]) -> Outcome:
    if isinstance(action, Call):
        result = answer(action)
        failed = isinstance(result, TargetError)
        return (None if failed else result), (result if failed else None), takes(action)
    return None, None, action.seconds if isinstance(action, Pause) else reconnect_seconds


def verbs(actions: list[Action]) -> list[str]:
    return [action.name for action in actions if isinstance(action, Call)]


def orders_of(actions: list[Action]) -> list[list[str]]:
    """The calls between the pauses to think."""
    orders: list[list[str]] = [[]]
    for action in actions:
        if isinstance(action, Call):
            orders[-1].append(action.name)
        elif isinstance(action, Pause) and action.kind is PauseKind.THINK:
            orders.append([])
    return orders[:-1]


def calls(actions: list[Action], verb: str) -> Iterator[tuple[Any, ...]]:
    return (action.arguments for action in actions if isinstance(action, Call) and action.name == verb)


def pauses(actions: list[Action], kind: PauseKind) -> list[float]:
    return [action.seconds for action in actions if isinstance(action, Pause) and action.kind is kind]


@given(MIXES, st.integers(0, 2**63))
def test_order_has_login_searches_prices_purchase_and_think_pause(mix: Mix, seed: int) -> None:
    actions, tally = played(mix, seed=seed)

    first, *searches, prices, purchase = verbs(actions)
    assert first in ("login", "new_customer")
    assert 1 <= len(searches) <= 2 * mix.n_searches - 1
    assert set(searches) <= set(BROWSES)
    assert (prices, purchase) == ("prices", "purchase")
    assert isinstance(actions[-1], Pause)
    assert len(actions) == len(searches) + 4
    assert [step for step, _ in tally.steps][1:-1] == [Step.BROWSE] * len(searches)


@given(MIXES, st.integers(0, 2**63))
def test_arguments_of_calls_are_within_the_mix(mix: Mix, seed: int) -> None:
    actions, _ = played(mix, seed=seed)

    for verb in BROWSES:
        for *asked, batch_size in calls(actions, verb):
            assert 1 <= batch_size <= 2 * mix.search_batch_size - 1
            if verb == "browse_by_category":
                assert 1 <= asked[0] <= 16
            else:
                assert len(asked) == 2
                assert all(isinstance(word, str) for word in asked)
    (products,) = next(calls(actions, "prices"))
    customer, lines, net, tax, total = next(calls(actions, "purchase"))
    assert customer in (7, 77)
    assert [product for product, _ in lines] == products
    assert 1 <= len(lines) <= min(10, 2 * mix.n_line_items - 1)
    assert all(1 <= product <= mix.size.products and 1 <= quantity <= 3 for product, quantity in lines)
    assert net == sum(999 * quantity for _, quantity in lines)
    assert total == net + tax


def test_the_means_of_searches_rows_and_lines_are_those_of_the_mix() -> None:
    mix = replace(MIX, n_searches=4, search_batch_size=7, n_line_items=5)

    actions, tally = played(mix, orders=2_000)

    done = Counter(verbs(actions))
    batches = [batch for verb in BROWSES for *_, batch in calls(actions, verb)]
    lines = [len(purchase[1]) for purchase in calls(actions, "purchase")]
    assert len(tally.orders) == 2_000
    assert sum(done[verb] for verb in BROWSES) / 2_000 == pytest.approx(4, rel=0.05)
    assert sum(batches) / len(batches) == pytest.approx(7, rel=0.05)
    assert sum(lines) / 2_000 == pytest.approx(5, rel=0.05)
    for verb in BROWSES:
        assert done[verb] / len(batches) == pytest.approx(1 / 3, rel=0.1)


@given(MIXES, st.integers(0, 2**63))
def test_response_time_excludes_price_look_up(mix: Mix, seed: int) -> None:
    actions, tally = played(mix, seed=seed)

    entered, *browses, _, _ = verbs(actions)
    assert tally.orders == [(SECONDS[entered] + 16.0 * len(browses) + 512.0, False)]
    assert sum(seconds for _, seconds in tally.steps) == tally.orders[0][0]


@pytest.mark.parametrize(("percent", "entered"), [(0, "login"), (100, "new_customer")])
def test_no_customer_or_every_customer_is_new(percent: float, entered: str) -> None:
    actions, _ = played(replace(MIX, pct_new_customers=percent), orders=200)

    assert verbs(actions).count(entered) == 200
    assert {"login", "new_customer"} & set(verbs(actions)) == {entered}


def test_the_share_of_new_customers_is_the_one_asked_for() -> None:
    actions, _ = played(replace(MIX, pct_new_customers=20), orders=4_000)

    assert verbs(actions).count("new_customer") / 4_000 == pytest.approx(0.2, abs=0.025)


@given(MIXES, st.integers(0, 2**63))
def test_think_pause_is_at_most_twice_its_mean(mix: Mix, seed: int) -> None:
    actions, _ = played(mix, orders=5, seed=seed)

    thought = pauses(actions, PauseKind.THINK)
    assert len(thought) == 5
    assert all(0 <= seconds <= 2 * mix.think_time_ms / 1000 for seconds in thought)


def test_think_pause_has_its_mean_on_average() -> None:
    actions, _ = played(replace(MIX, think_time_ms=50), orders=3_000)

    thought = pauses(actions, PauseKind.THINK)
    assert sum(thought) / 3_000 == pytest.approx(0.05, rel=0.05)
    assert min(thought) < 0.005
    assert max(thought) > 0.095


def test_taken_username_is_replaced_and_only_the_last_attempt_is_timed() -> None:
    taken = iter([None, None])

    def answer(call: Call) -> Any:
        return next(taken, 77) if call.name == "new_customer" else well(call)

    actions, tally = played(replace(MIX, pct_new_customers=100), answer)

    attempts = [arguments[0].username for arguments in calls(actions, "new_customer")]
    browses = sum(verb in BROWSES for verb in verbs(actions))
    assert len(set(attempts)) == 3
    assert [seconds for step, seconds in tally.steps if step is Step.NEW_CUSTOMER] == [2.0]
    assert tally.orders == [(2.0 + 16.0 * browses + 512.0, False)]
    assert not tally.errors


def test_registration_that_always_fails_ends_the_order_only() -> None:
    full = replace(MIX, pct_new_customers=100)

    actions, tally = played(full, lambda call: None if call.name == "new_customer" else well(call))

    assert verbs(actions) == ["new_customer"] * MOST_RETRIES
    assert [error.error_class for error in tally.errors] == [ErrorClass.OTHER]
    assert not tally.orders


def test_unknown_customer_is_an_error_and_the_user_continues() -> None:
    _, tally = played(MIX, lambda call: (None, []) if call.name == "login" else well(call), orders=2)

    assert [error.error_class for error in tally.errors] == [ErrorClass.OTHER] * 2
    assert not tally.steps


@pytest.mark.parametrize("verb", ["login", "new_customer", "browse_by_title", "purchase"])
def test_deadlock_is_retried_and_the_pause_is_response_time(verb: str) -> None:
    mix = replace(MIX, pct_new_customers=100 if verb == "new_customer" else 0)

    actions, tally = played(mix, failing(verb, DEADLOCK, DEADLOCK), orders=3)

    waits = pauses(actions, PauseKind.RETRY)
    first = next(number for number, action in enumerate(actions) if isinstance(action, Call) and action.name == verb)
    assert actions[first : first + 5 : 2] == [actions[first]] * 3
    assert len(waits) == 2
    assert all(0 < seconds <= 1 for seconds in waits)
    assert tally.retries == 2
    assert tally.errors == [DEADLOCK, DEADLOCK]
    well_done = played(mix, orders=3)[1]
    assert len(tally.orders) == 3
    if verb == "new_customer":
        assert tally.steps[0] == (Step.NEW_CUSTOMER, pytest.approx(3 * 2.0 + sum(waits)))
    if verb == "purchase":  # nothing is drawn after it, so that the order is the same but for its retries
        assert tally.orders[0][0] == pytest.approx(well_done.orders[0][0] + 2 * 512.0 + sum(waits))


def test_a_deadlock_in_the_price_look_up_is_retried_but_no_response_time() -> None:
    actions, tally = played(MIX, failing("prices", DEADLOCK))

    assert verbs(actions).count("prices") == 2
    assert tally.retries == 1
    assert tally.orders == played(MIX)[1].orders


def test_repeated_deadlocks_end_the_order_only() -> None:
    actions, tally = played(MIX, failing("purchase", *[DEADLOCK] * MOST_RETRIES), orders=2)

    assert tally.retries == MOST_RETRIES
    assert [error.error_class for error in tally.errors] == [ErrorClass.DEADLOCK] * MOST_RETRIES + [ErrorClass.OTHER]
    assert len(tally.orders) == 1
    assert len(pauses(actions, PauseKind.THINK)) == 2


@pytest.mark.parametrize("verb", ["login", "new_customer", *BROWSES, "prices", "purchase"])
def test_lost_connection_is_replaced_and_the_next_order_is_new(verb: str) -> None:
    mix = replace(MIX, pct_new_customers=100 if verb == "new_customer" else 0)

    actions, tally = played(mix, failing(verb, LOST), orders=20)

    lost = next(number for number, action in enumerate(actions) if isinstance(action, Call) and action.name == verb)
    reconnect, think, entering = actions[lost + 1 : lost + 4]
    assert isinstance(reconnect, Reconnect)
    assert isinstance(think, Pause)
    assert think.kind is PauseKind.THINK
    assert isinstance(entering, Call)
    assert entering.name in ("login", "new_customer")
    assert entering != actions[0]
    assert sum(isinstance(action, Reconnect) for action in actions) == 1
    assert tally.errors == [LOST]
    assert len(tally.orders) == 19


def test_a_purchase_in_flight_is_in_doubt_and_never_sent_again() -> None:
    actions, tally = played(MIX, failing("purchase", None, LOST), orders=5)

    bought = list(calls(actions, "purchase"))
    assert len(bought) == 5
    assert all(one != another for number, one in enumerate(bought) for another in bought[:number])
    assert tally.doubts == [(bought[1][0], bought[1][2])]
    assert [(customer, net) for _, customer, net in tally.acknowledgements] == [
        (customer, net) for number, (customer, _, net, _, _) in enumerate(bought) if number != 1
    ]
    assert len(tally.orders) == 4
    assert sum(step is Step.PURCHASE for step, _ in tally.steps) == 4


def test_a_purchase_that_the_server_refused_to_write_is_not_in_doubt() -> None:
    demoted = TargetError(ErrorClass.CONNECTION_LOST, "read-only transaction", usable=False, undone=True)
    actions, tally = played(MIX, failing("purchase", demoted), orders=2)

    assert tally.errors == [demoted]
    assert tally.doubts == []
    assert sum(isinstance(action, Reconnect) for action in actions) == 1


@pytest.mark.parametrize("verb", ["login", "browse_by_actor", "prices"])
def test_only_a_purchase_can_be_in_doubt(verb: str) -> None:
    _, tally = played(MIX, failing(verb, LOST), orders=5)

    assert tally.errors == [LOST]
    assert tally.doubts == []


@pytest.mark.parametrize("verb", ["login", "new_customer", "prices", "purchase"])
def test_an_error_on_a_connection_that_still_stands_makes_the_user_back_off(verb: str) -> None:
    mix = replace(MIX, pct_new_customers=100 if verb == "new_customer" else 0)

    actions, tally = played(mix, failing(verb, OTHER), orders=2)

    waits = pauses(actions, PauseKind.RETRY)
    assert len(waits) == 1
    assert 0 < waits[0] <= 1
    assert not any(isinstance(action, Reconnect) for action in actions)
    assert tally.errors == [OTHER]
    assert tally.doubts == []
    assert len(tally.orders) == 1


def test_time_out_is_followed_by_no_back_off() -> None:
    actions, tally = played(MIX, failing("purchase", TIMEOUT), orders=2)

    assert not pauses(actions, PauseKind.RETRY)
    assert not any(isinstance(action, Reconnect) for action in actions)
    assert tally.errors == [TIMEOUT]
    assert tally.doubts == []


def test_a_cut_purchase_is_in_doubt_and_needs_another_connection() -> None:
    cut = TargetError(ErrorClass.TIMEOUT, "no answer within 32 s", usable=False)

    actions, tally = played(MIX, failing("purchase", cut))

    assert isinstance(actions[-2], Reconnect)
    assert len(tally.doubts) == 1


def test_a_rolled_back_purchase_is_an_order_and_marked() -> None:
    _, tally = played(MIX, lambda call: None if call.name == "purchase" else well(call))

    assert [rolled_back for _, rolled_back in tally.orders] == [True]
    assert tally.acknowledgements == []
    assert Step.PURCHASE in [step for step, _ in tally.steps]


def test_actions_are_determined_by_the_seed() -> None:
    assert played(orders=5, seed=3)[0] == played(orders=5, seed=3)[0]
    assert played(orders=5, seed=3)[0] != played(orders=5, seed=4)[0]


@pytest.mark.parametrize(
    ("net", "tax"),
    [(0, 0), (100, 8), (999, 82), (6, 0), (7, 1), (200, 17), (600, 50), (10_000, 825), (2_999 * 30, 7_423)],
)
def test_the_tax_is_eight_and_a_quarter_per_cent_rounded_half_up(net: int, tax: int) -> None:
    assert amounts([(1, 1)], {1: net}) == (net, tax)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 3)), min_size=1, max_size=10), st.data())
def test_amounts_add_the_lines_up_and_tax_to_the_nearest_cent(
    lines: list[tuple[int, int]], data: st.DataObject
) -> None:
    prices = {product: data.draw(st.integers(999, 2_999)) for product, _ in lines}

    net, tax = amounts(lines, prices)

    assert net == sum(prices[product] * quantity for product, quantity in lines)
    assert -5_000 < tax * 10_000 - net * 825 <= 5_000


def test_product_without_price_is_a_target_error() -> None:
    with pytest.raises(TargetError, match="no price for product 4"):
        amounts([(3, 1), (4, 1)], {3: 999})


def test_order_within_think_time_reports_no_delay() -> None:
    assert played(replace(MIX, think_time_ms=10_000_000), orders=20)[1].delays == []


def test_a_delay_is_from_the_moment_an_order_was_due_with_the_look_up_of_prices() -> None:
    actions, tally = played(MIX, orders=3)

    spent = [sum(SECONDS[verb] for verb in order) for order in orders_of(actions)]
    assert tally.delays == [Delay(seconds, unmeasured_seconds=0.0) for seconds in spent]


def test_order_without_think_time_reports_no_delay() -> None:
    assert played(replace(MIX, think_time_ms=0), failing("purchase", LOST), orders=5)[1].delays == []


@pytest.mark.parametrize("failure", [LOST, TIMEOUT, OTHER])
def test_failed_order_stays_due_until_an_order_succeeds(failure: TargetError) -> None:
    actions, tally = played(MIX, failing("purchase", failure, failure), orders=4, reconnect_seconds=64.0)

    first, second, third, _ = orders_of(actions)
    called = sum(SECONDS[verb] for verb in (*first, *second, *third))
    paused = sum(pauses(actions, PauseKind.RETRY)) + sum(pauses(actions, PauseKind.THINK)[:2])
    lost = 64.0 * sum(isinstance(action, Reconnect) for action in actions)
    assert len(tally.orders) == 2
    assert tally.delays[0].seconds == pytest.approx(called + paused + lost)
    assert tally.delays[0].unmeasured_seconds == pytest.approx(called + paused + lost - tally.orders[0][0])
    assert [delay.unmeasured_seconds for delay in tally.delays[1:]] == [0.0]


def test_pause_after_a_deadlock_is_part_of_the_delay() -> None:
    actions, tally = played(MIX, failing("purchase", DEADLOCK))

    called = sum(SECONDS[verb] for verb in verbs(actions))
    assert tally.delays == [
        Delay(pytest.approx(called + sum(pauses(actions, PauseKind.RETRY))), unmeasured_seconds=0.0)
    ]


def prompt_but_for(verb: str, stalled_seconds: float) -> Callable[[Call], float]:
    """How long calls take where each takes a millisecond, and the first one of a verb so long."""
    left = [stalled_seconds]
    return lambda call: left.pop() if left and call.name == verb else 0.001


def intended_waits(tally: Counted, period_seconds: float) -> list[float]:
    """How long the overdue orders waited, each by itself, the longest first."""
    pairs = [pair for delay in tally.delays for pair in overdue_orders(delay, period_seconds)]
    return [waited_us / 1e6 for waited_us, together in pairs for _ in range(together)]


@pytest.mark.parametrize("think_time_ms", [100, 60_000])
@pytest.mark.parametrize("verb", ["prices", "new_customer"])
def test_delay_includes_unmeasured_time(verb: str, think_time_ms: float) -> None:
    taken = iter([None])
    mix = replace(MIX, think_time_ms=think_time_ms, pct_new_customers=100)

    def answer(call: Call) -> Any:
        return next(taken, 77) if call.name == "new_customer" else well(call)

    _, tally = played(mix, answer, takes=prompt_but_for(verb, 10.0))

    (placed, _), period = tally.orders[0], think_time_ms / 1000 + 0.1
    waits = intended_waits(tally, period)
    assert placed < 0.1
    assert waits[0] == pytest.approx(10.0, abs=0.1)
    # With the order that was placed they are as many as were due: one a period, the first at once.
    assert len(waits) + 1 == pytest.approx(10.0 / period + 1, abs=1)


def test_stall_of_a_timed_call_is_not_unmeasured() -> None:
    _, tally = played(replace(MIX, think_time_ms=100), takes=prompt_but_for("purchase", 10.0))

    assert [seconds for seconds, _ in tally.orders] == [pytest.approx(10.0, abs=0.1)]
    assert intended_waits(tally, 0.1)[0] == pytest.approx(9.9, abs=0.1)


def test_an_order_that_failed_first_is_counted_once_as_intended() -> None:
    _, tally = played(
        replace(MIX, think_time_ms=100), failing("login", LOST), orders=2, takes=prompt_but_for("login", 10.0)
    )

    (delay,) = tally.delays
    waits = intended_waits(tally, delay.seconds / 100.2)
    assert waits[0] == pytest.approx(delay.seconds, rel=0.01)
    assert len(waits) + len(tally.orders) == 101


def test_an_order_in_its_ordinary_course_is_no_delay_although_its_look_up_takes_a_good_part_of_it() -> None:
    _, tally = played(replace(MIX, think_time_ms=100), orders=200, takes=lambda _: 0.001)

    assert tally.delays == []
