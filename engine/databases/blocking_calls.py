"""The blocking calls of ``Session`` for polled sessions: each sends its request and waits for the answer.

User loops do not use them; they are for callers that have one session and nothing else to do meanwhile.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from engine.databases.database import Rows
from engine.workloads.dvdstore.picks import NewCustomer


class BlockingCalls(ABC):
    """Implements the methods of ``engine.databases.database.Session`` by ``_called``, which a subclass implements."""

    __slots__ = ()

    @abstractmethod
    def _called(self, verb: str, *arguments: Any) -> Any:
        """Send the call of a method, and wait for its result; raises ``TargetError``."""

    def login(self, username: str, password: str) -> tuple[int | None, Rows]:
        customer, bought = self._called("login", username, password)
        return customer, bought

    def new_customer(self, customer: NewCustomer) -> int | None:
        made: int | None = self._called("new_customer", customer)
        return made

    def browse_by_category(self, category: int, batch_size: int) -> Rows:
        rows: Rows = self._called("browse_by_category", category, batch_size)
        return rows

    def browse_by_actor(self, first_name: str, last_name: str, batch_size: int) -> Rows:
        rows: Rows = self._called("browse_by_actor", first_name, last_name, batch_size)
        return rows

    def browse_by_title(self, word: str, other_word: str, batch_size: int) -> Rows:
        rows: Rows = self._called("browse_by_title", word, other_word, batch_size)
        return rows

    def prices(self, products: Sequence[int]) -> Mapping[int, int]:
        found: Mapping[int, int] = self._called("prices", list(products))
        return found

    def purchase(self, customer: int, lines: Sequence[tuple[int, int]], net: int, tax: int, total: int) -> int | None:
        made: int | None = self._called("purchase", customer, list(lines), net, tax, total)
        return made
