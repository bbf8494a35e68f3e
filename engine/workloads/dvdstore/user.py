"""The emulated user of the DVD Store: an order is a login or a registration, searches, and a purchase.

The generator is the definition. Where there is a C compiler, ``_script.c`` goes through the ordinary course of an order
with the same actions and the same random draws, at a fraction of the processor time; for everything else (a username
that is taken, an error) it calls the methods of this module.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NoReturn

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind, Script
from engine.workload.schedule import Delay
from engine.workload.tally import Tally
from engine.workload.user import MOST_RETRIES, EmulatedUser
from engine.workloads.dvdstore import people, picks, words
from engine.workloads.dvdstore.catalogue import MOST_QUANTITY, POPULAR_EVERY, POPULAR_FACTOR, TAX_PER_10_000, tickets
from engine.workloads.dvdstore.sizing import CATEGORIES, DbSize
from engine.workloads.dvdstore.transactions import ORDER, Step

try:
    from engine.workloads.dvdstore import _script as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]


@dataclass(frozen=True, kw_only=True)
class Mix:
    """The parameters of the workload, as in the plan."""

    size: DbSize
    think_time_ms: float
    pct_new_customers: float
    n_searches: int
    search_batch_size: int
    n_line_items: int


class DvdStoreUser(EmulatedUser):
    """One customer after another, without end."""

    def __init__(self, mix: Mix, random: Random, tally: Tally) -> None:
        super().__init__(random, tally, mix.think_time_ms / 1000)
        self._mix = mix
        self._script: compiled.Script | None = None

    def script(self) -> Script:
        if compiled is None:
            return self.interpreted()
        self._script = self._compiled()
        return self._script

    def interpreted(self) -> Script:
        """The script as a Python generator, which the compiled one must equal."""
        return super().script()

    @property
    def since_due(self) -> float:
        return self._since_due if self._script is None else self._script.since_due

    @property
    def has_failed(self) -> bool:
        return self._has_failed if self._script is None else self._script.has_failed

    def _compiled(self) -> "compiled.Script":
        mix, tally = self._mix, self._tally
        return compiled.Script(
            user=self,
            chance=self._random.random,
            step=tally.step,
            transaction=tally.transaction,
            acknowledged=tally.acknowledged,
            delayed=tally.delayed,
            amounts=amounts,
            failure=TargetError,
            call=Call,
            pause=Pause,
            delay=Delay,
            think=PauseKind.THINK,
            order=ORDER,
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
            is_paced=self._pacing is not None,
        )

    def _transaction(self) -> Script:
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
        tally.transaction(ORDER, spent + self._late, rolled_back=order is None)
        self._report_delay(spent)

    def _log_in_or_register(self) -> Generator[Action, Outcome, tuple[int, float]]:
        """The customer's id, and the response time of the login or registration."""
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
