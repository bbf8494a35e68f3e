"""What the script of an emulated user counts. Implemented by ``engine.driver.tally``."""

from typing import Protocol

from engine.errors import TargetError
from engine.workload.schedule import Delay


class Tally(Protocol):
    """Counts what a user does; all times in seconds. Transactions and steps are named by their ids."""

    def step(self, step: str, seconds: float) -> None:
        """A timed step of a transaction has ended."""
        ...

    def transaction(self, transaction: str, seconds: float, *, rolled_back: bool) -> None:
        """A transaction has ended, committed or rolled back as the workload wants it."""
        ...

    def delayed(self, delay: Delay) -> None:
        """The transaction just counted was due so long ago that others may have become due meanwhile, or its own
        response time covers too little of that time."""
        ...

    def retry(self) -> None: ...

    def error(self, error: TargetError) -> None: ...

    def acknowledged(self, number: int, key: int, check: int) -> None:
        """The server has confirmed a transaction that the ledger records: its number, and what else identifies it."""
        ...

    def in_doubt(self, key: int, check: int) -> None:
        """Such a transaction was sent, and its outcome is unknown."""
        ...
