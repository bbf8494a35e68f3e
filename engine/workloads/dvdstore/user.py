"""The emulated user of the DVD Store: a generator of the actions of ``engine.workload.actions``.

No error ends a user: an order that fails is given up and counted, and a lost connection is opened again. The script
adds up the seconds of its outcomes, to know how long an order has been due.

The generator is the definition. Where there is a C compiler, ``_script.c`` goes through the ordinary course of an order
with the same actions and the same random draws, at a fraction of the processor time; for everything else (a username
that is taken, an error) it calls the methods of this module.
"""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from random import Random
from typing import Any, NoReturn, Protocol

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind, Reconnect, Script
from engine.workload.schedule import Delay
from engine.workloads.dvdstore import people, picks, words
from engine.workloads.dvdstore.catalogue import MOST_QUANTITY, POPULAR_EVERY, POPULAR_FACTOR, TAX_PER_10_000, tickets
from engine.workloads.dvdstore.sizing import CATEGORIES, DbSize

try:
    from engine.workloads.dvdstore import _script as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

MOST_RETRIES = 100
_LONGEST_RETRY_PAUSE_SECONDS = 1.0
_BACK_OFF_SECONDS = 1.0


class Step(StrEnum):
    """The timed steps of an order."""

    LOGIN = "login"
    NEW_CUSTOMER = "new_customer"
    BROWSE = "browse"
    PURCHASE = "purchase"


class Tally(Protocol):
    """Counts what a user does; all times in seconds."""

    def step(self, step: Step, seconds: float) -> None: ...

    def order(self, seconds: float, *, rolled_back: bool) -> None: ...

    def delayed(self, delay: Delay) -> None:
        """The order just counted was due so long ago that others may have become due meanwhile, or its own response
        time covers too little of that time."""
        ...

    def retry(self) -> None: ...

    def error(self, error: TargetError) -> None: ...

    def acknowledged(self, order: int, customer: int, net_cents: int) -> None:
        """The server has confirmed this order."""
        ...

    def in_doubt(self, customer: int, net_cents: int) -> None:
        """A purchase was sent, and its outcome is unknown."""
        ...


@dataclass(frozen=True, kw_only=True)
class Mix:
    """The parameters of the workload, as in the plan."""

    size: DbSize
    think_time_ms: float
    pct_new_customers: float
    n_searches: int
    search_batch_size: int
    n_line_items: int


class EmulatedUser:
    """One customer after another, without end."""

    def __init__(self, mix: Mix, random: Random, tally: Tally) -> None:
        self._mix = mix
        self._random = random
        self._tally = tally
        self._think_seconds = mix.think_time_ms / 1000
        self._since_due = 0.0  # seconds since the order that is to be placed was first due
        self._has_failed = False
        self._script: compiled.Script | None = None

    def script(self) -> Script:
        """The script of the user, which ends only when it is closed. Called once."""
        if compiled is None:
            return self.interpreted()
        self._script = self._compiled()
        return self._script

    @property
    def since_due(self) -> float:
        """For how many seconds the present order has been due, without the action in progress.

        Can be read from any thread. 0 after an order succeeded, until the first call of the next one has ended.
        """
        return self._since_due if self._script is None else self._script.since_due

    @property
    def has_failed(self) -> bool:
        """Whether an attempt at the present order has failed: then it stays due while its user thinks."""
        return self._has_failed if self._script is None else self._script.has_failed

    def interpreted(self) -> Script:
        """The script as a Python generator, which the compiled one must equal."""
        longest_think_seconds = 2 * self._think_seconds
        while True:
            try:
                yield from self._order()
                # What failed stays due: only an order that went through lets the user's schedule begin anew.
                self._has_failed = False
                self._since_due = 0.0
            except TargetError as error:
                self._has_failed = True
                yield from self._recover(error)
            _, _, seconds = yield Pause(self._random.random() * longest_think_seconds, PauseKind.THINK)
            if self._has_failed:
                self._since_due += seconds

    def _compiled(self) -> "compiled.Script":
        mix, tally = self._mix, self._tally
        return compiled.Script(
            user=self,
            chance=self._random.random,
            step=tally.step,
            order=tally.order,
            acknowledged=tally.acknowledged,
            delayed=tally.delayed,
            amounts=amounts,
            failure=TargetError,
            call=Call,
            pause=Pause,
            delay=Delay,
            think=PauseKind.THINK,
            login_step=Step.LOGIN,
            new_customer_step=Step.NEW_CUSTOMER,
            browse_step=Step.BROWSE,
            purchase_step=Step.PURCHASE,
            username_prefix=people.USERNAME_PREFIX,
            password=picks.PASSWORD,
            title_words=words.title_words(),
            first_names=words.first_names(),
            last_names=words.last_names(),
            new_customers=_new_customers(),
            customers=mix.size.customers,
            products=mix.size.products,
            tickets=tickets(mix.size),
            popular_every=POPULAR_EVERY,
            popular_factor=POPULAR_FACTOR,
            tax_per_10_000=TAX_PER_10_000,
            searches=mix.n_searches,
            batch_size=mix.search_batch_size,
            line_items=mix.n_line_items,
            most_lines=picks.MOST_CART_LINES,
            most_quantity=MOST_QUANTITY,
            categories=CATEGORIES,
            think_seconds=self._think_seconds,
            percent_new=mix.pct_new_customers,
        )

    def _recover(self, error: TargetError) -> Script:
        """Handle an error that ended an order: reconnect, or back off."""
        self._tally.error(error)
        if not error.usable:
            _, _, seconds = yield Reconnect()
        elif error.error_class is not ErrorClass.TIMEOUT:
            # A store that answers every order with an error must not be asked thousands of times a second.
            _, _, seconds = yield Pause(self._random.uniform(0, _BACK_OFF_SECONDS), PauseKind.RETRY)
        else:
            return
        self._since_due += seconds

    def _order(self) -> Script:
        """One order: log in or register, search, buy. Its response time excludes the price look-up.

        Every call is yielded by this generator, and only a failed one continues in another: each level of generators
        would cost time at every call of every order.
        """
        tally, mix, chance = self._tally, self._mix, self._random.random
        customer, spent = yield from self._log_in_or_register()
        for _ in range(1 + int(chance() * (2 * mix.n_searches - 1))):
            call = self._search_call()
            _, error, seconds = yield call
            self._since_due += seconds
            if error is not None:
                _, seconds = yield from self._retry(call, error, seconds)
            tally.step(Step.BROWSE, seconds)
            spent += seconds
        lines = picks.cart(self._random, mix.size, mix.n_line_items)
        call = Call("prices", ([product for product, _ in lines],))
        prices, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            prices, _ = yield from self._retry(call, error, seconds)
        net, tax = amounts(lines, prices)
        call = Call("purchase", (customer, lines, net, tax, net + tax))
        order, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            order, seconds = yield from self._retry_purchase(call, error, seconds)
        if order is not None:
            tally.acknowledged(order, customer, net)
        tally.step(Step.PURCHASE, seconds)
        spent += seconds
        tally.order(spent, rolled_back=order is None)
        think, since_due = self._think_seconds, self._since_due
        if think and (since_due > think or self._has_failed or since_due > 2 * spent):
            self._report_delay(spent)

    def _report_delay(self, spent: float) -> None:
        """Report how late an order was whose response time is ``spent``.

        Its response time may exclude what delayed it: failed attempts, the price look-up, usernames that were taken. In
        the ordinary course the last two take less time than the rest of the order.
        """
        is_ordinary = not self._has_failed and self._since_due <= 2 * spent
        unmeasured = 0.0 if is_ordinary else max(0.0, self._since_due - spent)
        self._tally.delayed(Delay(self._since_due, unmeasured))

    def _log_in_or_register(self) -> Generator[Action, Outcome, tuple[int, float]]:
        """The customer's id, and the response time of the log-in or registration."""
        if self._random.random() * 100 < self._mix.pct_new_customers:
            made, seconds = yield from self._register()
            self._tally.step(Step.NEW_CUSTOMER, seconds)
            return made, seconds
        username = picks.username(picks.customer(self._random, self._mix.size))
        call = Call("login", (username, picks.PASSWORD))
        answer, error, seconds = yield call
        self._since_due += seconds
        if error is not None:
            answer, seconds = yield from self._retry(call, error, seconds)
        found: int | None = answer[0]
        if found is None:
            self._raise_unknown_customer(username)
        self._tally.step(Step.LOGIN, seconds)
        return found, seconds

    def _raise_unknown_customer(self, username: str) -> NoReturn:
        raise TargetError(ErrorClass.OTHER, f"the store does not have its customer {username}")

    def _register(self, attempts: int = 0) -> Generator[Action, Outcome, tuple[int, float]]:
        """The new customer's id, and the response time of the attempt whose username was free; ``attempts`` were made
        before."""
        for _ in range(attempts, MOST_RETRIES):
            call = Call("new_customer", (picks.new_customer(self._random),))
            made, error, seconds = yield call
            self._since_due += seconds
            if error is not None:
                made, seconds = yield from self._retry(call, error, seconds)
            if made is not None:
                return made, seconds
        raise TargetError(ErrorClass.OTHER, f"{MOST_RETRIES} new usernames in a row were taken; reset the store")

    def _search_call(self) -> Call:
        chance, mix = self._random.random, self._mix
        batch_size = 1 + int(chance() * (2 * mix.search_batch_size - 1))
        kind = int(chance() * 3)
        if kind == 0:
            return Call("browse_by_category", (1 + int(chance() * CATEGORIES), batch_size))
        if kind == 1:
            return Call("browse_by_actor", (*picks.actor(self._random), batch_size))
        return Call("browse_by_title", (*picks.title_words(self._random, mix.size), batch_size))

    def _retry_purchase(
        self, purchase: Call, error: TargetError, spent: float
    ) -> Generator[Action, Outcome, tuple[int | None, float]]:
        """As ``_retry``; counts a purchase whose outcome is unknown as in doubt."""
        try:
            return (yield from self._retry(purchase, error, spent))
        except TargetError as failure:
            if not (failure.usable or failure.undone):
                customer, _, net, *_ = purchase.arguments
                self._tally.in_doubt(customer, net)
            raise

    def _retry(self, call: Call, error: TargetError, spent: float) -> Generator[Action, Outcome, tuple[Any, float]]:
        """Repeat a call that failed with a deadlock; returns its result, and the seconds of all attempts and pauses.

        Raises the first ``TargetError`` that is not a deadlock.
        """
        for attempt in range(1, MOST_RETRIES + 1):
            if error.error_class is not ErrorClass.DEADLOCK:
                raise error
            self._tally.retry()
            self._tally.error(error)
            if attempt == MOST_RETRIES:
                break
            _, _, pause_seconds = yield Pause(self._random.uniform(0, _LONGEST_RETRY_PAUSE_SECONDS), PauseKind.RETRY)
            result, failure, seconds = yield call
            spent += pause_seconds + seconds
            self._since_due += pause_seconds + seconds
            if failure is None:
                return result, spent
            error = failure
        raise TargetError(ErrorClass.OTHER, f"{call.name} ended in a deadlock {MOST_RETRIES} times")


@cache
def _new_customers() -> "compiled.NewCustomers":
    """What all compiled scripts draw new customers from: shared by all users, so that it stays in the processor's
    caches."""
    return compiled.NewCustomers(people, picks.NewCustomer)


def amounts(lines: list[tuple[int, int]], prices: dict[int, int]) -> tuple[int, int]:
    """Net amount and 8.25 % tax of an order in cents, the tax rounded half up.

    Raises ``TargetError`` when the store has no price for a product of its own catalogue.
    """
    try:
        net = sum(prices[product] * quantity for product, quantity in lines)
    except KeyError as missing:
        raise TargetError(ErrorClass.OTHER, f"the store has no price for product {missing}") from missing
    return net, (net * TAX_PER_10_000 + 5_000) // 10_000
