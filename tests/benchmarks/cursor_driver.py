"""The yardstick: the same emulated users on ordinary psycopg 3 connections and cursors, one thread a user.

What a plain Python program does: the statements are prepared and the script is Spindle's own, but nothing is sampled or
stored, and nothing was optimized. Run as a process by ``tests.benchmarks.child``.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import psutil
import psycopg

from engine.databases.postgresql.errors import classified_error
from engine.errors import TargetError
from engine.target.target import Target
from engine.workload.actions import Call, Outcome, Pause, Reconnect
from engine.workload.schedule import Delay
from engine.workloads.dvdstore.picks import NewCustomer
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import DvdStoreUser, Mix
from tests.benchmarks import child
from tests.benchmarks.driven import Driven, cpu_of, peak_memory_mb
from tests.benchmarks.pgbench import SESSION_OPTIONS

_NEW_CUSTOMER_FIELDS = (
    "firstname", "lastname", "address1", "address2", "city", "state", "zip", "country", "region", "email", "phone",
    "creditcardtype", "creditcard", "creditcardexpiration", "username", "password", "age", "income", "gender",
)  # fmt: skip
_WHOLE_NUMBERS = ("zip", "region", "creditcardtype", "age", "income")
_NEW_CUSTOMER = "SELECT new_customer({})".format(
    ", ".join("%s::int" if name in _WHOLE_NUMBERS else "%s::text" for name in _NEW_CUSTOMER_FIELDS)
)


class CursorSession:
    """A DVD Store user's calls, each a cursor's execute and fetch."""

    def __init__(self, target: Target, password: str) -> None:
        host = target.hosts[0]
        self._connection = psycopg.connect(
            host=host.name, port=host.port, dbname=target.database, user=target.user, password=password,
            options=SESSION_OPTIONS, autocommit=True,
        )  # fmt: skip

    def login(self, username: str, password: str) -> tuple[int | None, list[Any]]:
        query = "SELECT customerid, title, actor, related_title FROM login(%s::text, %s::text)"
        rows = self._asked(query, username, password)
        return (rows[0][0] if rows else None), rows

    def new_customer(self, customer: NewCustomer) -> int | None:
        rows = self._asked(_NEW_CUSTOMER, *(getattr(customer, name) for name in _NEW_CUSTOMER_FIELDS))
        made: int | None = rows[0][0]
        return made

    def browse_by_category(self, category: int, batch_size: int) -> list[Any]:
        return self._asked("SELECT * FROM browse_by_category(%s::int, %s::int)", category, batch_size)

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> list[Any]:
        return self._asked("SELECT * FROM browse_by_actor(%s::text, %s::int)", f"{first_name} {last_name}", batch_size)

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> list[Any]:
        return self._asked("SELECT * FROM browse_by_title(%s::text, %s::int)", f"{word} {other_word}", batch_size)

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        return dict(self._asked("SELECT prod_id, price_cents FROM product_prices(%s::int[])", list(products)))

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        query = "CALL purchase(%s::int, %s::int[], %s::int[], %s::numeric, %s::numeric, %s::numeric, NULL)"
        amounts = [Decimal(cents).scaleb(-2) for cents in (net, tax, total)]
        rows = self._asked(query, customer, [each[0] for each in lines], [each[1] for each in lines], *amounts)
        order: int | None = rows[0][0]
        return order

    def close(self) -> None:
        self._connection.close()

    def _asked(self, query: str, *parameters: Any) -> list[Any]:
        try:
            with self._connection.cursor() as cursor:
                return cursor.execute(query, parameters, prepare=True).fetchall()
        except psycopg.Error as error:
            raise classified_error(str(error), error.sqlstate or "", usable=not self._connection.closed) from error


class CursorUser:
    """One emulated user on a thread of its own; it is its script's ``Tally``, and counts orders alone."""

    def __init__(self, connect: Callable[[], CursorSession], mix: Mix, seed: int, stop: threading.Event) -> None:
        self.orders = 0
        self.retries = 0
        self.errors: list[str] = []
        self._script = DvdStoreUser(mix, random.Random(seed), self).script()
        self._session = connect()
        self._stop = stop
        self._thread = threading.Thread(target=self._live, name=f"user-{seed}")

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join()
        self._session.close()

    def step(self, step: str, seconds: float) -> None:
        pass

    def transaction(self, transaction: str, seconds: float, *, rolled_back: bool) -> None:
        self.orders += 1

    def delayed(self, delay: Delay) -> None:
        pass

    def retry(self) -> None:
        self.retries += 1

    def error(self, error: TargetError) -> None:
        if error.error_class != "deadlock":
            self.errors.append(str(error))

    def acknowledged(self, number: int, key: int, check: int) -> None:
        pass

    def in_doubt(self, key: int, check: int) -> None:
        pass

    def _live(self) -> None:
        action = next(self._script)
        while not self._stop.is_set():
            began = time.monotonic()
            result, error = None, None
            if isinstance(action, Call):
                try:
                    result = getattr(self._session, action.name)(*action.arguments)
                except TargetError as its_error:
                    error = its_error
            elif isinstance(action, Pause) and action.seconds > 0:
                self._stop.wait(action.seconds)
            elif isinstance(action, Reconnect):
                return  # the yardstick does not survive an outage; the error is reported
            outcome: Outcome = (result, error, time.monotonic() - began)
            action = self._script.send(outcome)


def drive(target: Target, secret: str, mix: Mix, users: int, warmup_seconds: int, seconds: int) -> Driven:
    """The whole measurement; raises ``RuntimeError`` when an order failed."""
    stop = threading.Event()
    threading.stack_size(512 * 1024)
    crowd = [CursorUser(lambda: CursorSession(target, secret), mix, number, stop) for number in range(users)]
    process = psutil.Process()
    for user in crowd:
        user.start()
    time.sleep(warmup_seconds)
    began, cpu, orders = time.monotonic(), cpu_of(process), sum(user.orders for user in crowd)
    retries = sum(user.retries for user in crowd)
    time.sleep(seconds)
    orders = sum(user.orders for user in crowd) - orders
    cpu, elapsed = cpu_of(process) - cpu, time.monotonic() - began
    retries = sum(user.retries for user in crowd) - retries
    stop.set()
    for user in crowd:
        user.join()
    errors = [error for user in crowd for error in user.errors]
    if errors:
        raise RuntimeError(f"{len(errors)} orders failed, the first: {errors[0]}")
    return Driven(orders=orders, seconds=elapsed, cpu=cpu, peak_memory_mb=peak_memory_mb(process), retries=retries)


def main() -> None:
    question = child.asked()
    mix = Mix(**{**question["mix"], "size": DbSize.parse(question["mix"]["size"])})
    driven = drive(
        child.target_from_plain(question["target"]),
        question["secret"],
        mix,
        question["users"],
        question["warmup_seconds"],
        question["seconds"],
    )
    child.answer(child.driven_to_plain(driven))


if __name__ == "__main__":
    main()
