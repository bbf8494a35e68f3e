"""Sessions, stores and auditors of DVD Stores on any DBMS; the calls of its users with their types."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from engine.databases import database_of
from engine.databases.database import Session, Store, Timeouts
from engine.databases.exchange.calls import Rows
from engine.databases.progress import IsCancelled
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.bindings import calls_of, store_of
from engine.workloads.dvdstore.auditor import DvdStoreAuditor, products_off
from engine.workloads.dvdstore.picks import NewCustomer

DVDSTORE = "dvdstore"


class DvdStoreSession:
    """A ``session`` that was opened with the DVD Store's calls."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.host = session.host
        self.cut = session.cut
        self.close = session.close

    def login(self, username: str, password: str) -> tuple[int | None, Rows]:
        """The customer's id (``None``: no such customer) and rows of title, actor, related title bought before."""
        customer, bought = self.session.call("login", (username, password))
        return customer, bought

    def new_customer(self, customer: NewCustomer) -> int | None:
        """Register a customer; the new id, or ``None`` when the username is taken."""
        made: int | None = self.session.call("new_customer", (customer,))
        return made

    def browse_by_category(self, category: int, batch_size: int) -> Rows:
        """At most ``batch_size`` of the category's specials: product, category, title, actor, price in cents, special,
        common product; the other two searches have the same columns.
        """
        rows: Rows = self.session.call("browse_by_category", (category, batch_size))
        return rows

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> Rows:
        """At most ``batch_size`` products whose actor has both words."""
        rows: Rows = self.session.call("browse_by_actor", (first_name, last_name, batch_size))
        return rows

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> Rows:
        """At most ``batch_size`` products whose title has both words."""
        rows: Rows = self.session.call("browse_by_title", (word, other_word, batch_size))
        return rows

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        """The price in cents of each of at most ten products; one that the store does not have is left out."""
        found: Mapping[int, int] = self.session.call("prices", (list(products),))
        return found

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        """Place an order of (product, quantity) lines, amounts in cents; its id, or ``None`` when it was rolled back
        because the stock of a product is too small.
        """
        made: int | None = self.session.call("purchase", (customer, list(lines), net, tax, total))
        return made


def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts | None = None, *, first_host: int = 0
) -> DvdStoreSession:
    """A session on a target of any kind; raises ``TargetError``."""
    calls = calls_of(DVDSTORE, target.kind)
    database = database_of(target.kind)
    return DvdStoreSession(database.connect(target, secret, timeouts or Timeouts(), calls, first_host=first_host))


def store_at(target: Target, secret: Secret | None, timeouts: Timeouts | None = None) -> Store:
    """The store of a target of any kind."""
    return database_of(target.kind).store(target, secret, timeouts or Timeouts(), store_of(DVDSTORE, target.kind))


class OpenAuditor(DvdStoreAuditor):
    """An auditor, and what the audit reads beside it."""

    def state(self) -> tuple[str, int] | None:
        return self._snapshot.identity()

    def products_off(self) -> int:
        return products_off(self._snapshot)


@contextmanager
def auditor_at(
    target: Target, secret: Secret | None, timeouts: Timeouts, cancelled: IsCancelled
) -> Iterator[OpenAuditor]:
    """The auditor of the store of a target of any kind."""
    definition = store_of(DVDSTORE, target.kind)
    with database_of(target.kind).snapshot(target, secret, timeouts, definition, cancelled) as snapshot:
        yield OpenAuditor(snapshot, definition.script)
