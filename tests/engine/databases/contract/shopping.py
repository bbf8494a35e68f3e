"""Buying as a user does, with every order noted; and the audit of what was noted, as after a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from engine.audit.ledger import NO_NUMBER, End, Ledger
from engine.audit.report import StoreAudit
from engine.audit.store_audit import StoreBefore
from engine.conduct.auditing import Auditing, DrivenStore, audit_run
from engine.conduct.endpoint import Endpoint
from engine.databases.database import Timeouts
from engine.errors import TargetError
from engine.target.target import Target
from engine.workloads.dvdstore import picks
from engine.workloads.dvdstore.user import amounts
from tests.engine.databases.contract.places import SIZE, Place, never, silent
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession

_LINE_ITEMS = 3


@dataclass(frozen=True)
class Order:
    """An order that the server has said is placed: (product, quantity) lines, net amount in cents."""

    number: int
    customer: int
    lines: tuple[tuple[int, int], ...]
    net: int


class Shopper:
    """One user's purchases, over one session after another. ``in_doubt`` holds customers and net amounts in cents."""

    def __init__(self, seed: int) -> None:
        self.orders: list[Order] = []
        self.in_doubt: list[tuple[int, int]] = []
        self._random = Random(seed)

    def buy(self, session: DvdStoreSession) -> None:
        """Buy a cart at the store's prices and note what is known of it. Raises ``TargetError``."""
        customer = picks.customer(self._random, SIZE)
        lines = picks.cart(self._random, SIZE, _LINE_ITEMS)
        net, tax = amounts(lines, dict(session.prices([product for product, _ in lines])))
        try:
            number = session.purchase(customer, lines, net, tax, net + tax)
        except TargetError as error:
            if not (error.usable or error.undone):
                self.in_doubt.append((customer, net))
            raise
        if number is not None:
            self.orders.append(Order(number, customer, tuple(lines), net))


def orders_of(shoppers: Sequence[Shopper]) -> list[Order]:
    """What all of them have bought, by number."""
    return sorted((order for shopper in shoppers for order in shopper.orders), key=lambda order: order.number)


def state_before(place: Place) -> StoreBefore:
    """What a run notes of a store when it begins."""
    state = place.store.state()
    assert state is not None
    return StoreBefore(as_built_at=state.as_built_at, high_water=state.high_water, is_pristine=state.is_pristine)


def audit_of(
    place: Place,
    before: StoreBefore,
    shoppers: Sequence[Shopper],
    folder: Path,
    *,
    found_at: Target | None = None,
) -> StoreAudit:
    """The whole audit of a store that these shoppers alone have driven, from ledgers in an empty folder on.

    ``found_at`` is where the store is looked for, if that is not where it is.
    """
    endpoint = Endpoint(found_at or place.target, place.dbms.secret)
    auditing = Auditing(
        run_id=folder.name,
        ledger=lambda client: folder / f"client-{client}.ledger",
        resolve=lambda _: endpoint,
        timeouts=Timeouts(),
        report_progress=silent,
        cancelled=never,
    )
    clients = dict(enumerate((f"shopper {number}" for number in range(1, len(shoppers) + 1)), start=1))
    for client, shopper in zip(clients, shoppers, strict=True):
        _write_ledger(auditing.ledger(client), client, shopper)
    store = DrivenStore(planned=place.target, workload="dvdstore", clients=clients, users=1, before=before)
    report = audit_run(auditing, [store], faults=[])
    (audit,) = report.stores
    assert audit.verdict is report.verdict
    return audit


def _write_ledger(path: Path, client: int, shopper: Shopper) -> None:
    ledger, moment_ms = Ledger(str(path), client), 0
    for moment_ms, order in enumerate(shopper.orders, start=1):
        ledger.note(moment_ms, order.number, order.customer, order.net)
    for customer, net in shopper.in_doubt:
        ledger.note(moment_ms, NO_NUMBER, customer, net)
    assert ledger.close(moment_ms, End.COMPLETE) is None
