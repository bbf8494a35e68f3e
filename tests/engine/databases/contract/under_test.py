"""What the contract needs of a real server beyond the Protocol it checks: doing by hand what others do to a store."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from engine.databases.database import Database
from engine.secrets import Secret
from engine.target.target import Target

Run = Callable[[str], list[tuple[Any, ...]]]


class DatabaseUnderTest(Protocol):
    """A DBMS with a running server of its kind. Every statement given to it is one that all DBMS understand."""

    @property
    def database(self) -> Database: ...

    @property
    def secret(self) -> Secret: ...

    @property
    def product(self) -> str:
        """The name by which the server is recorded."""
        ...

    @property
    def damages(self) -> Mapping[str, str]:
        """The damages whose statements differ by DBMS: one for each of 'index', 'procedure' and 'trigger'."""
        ...

    @property
    def first_record(self) -> tuple[str, Mapping[str, str]]:
        """The statement that made the table of a store's record in format 1; and expressions for its own columns."""
        ...

    @property
    def true(self) -> str:
        """The literal of a flag that is set."""
        ...

    def target(self, name: str) -> Target: ...

    def create(self, name: str) -> None:
        """Make an empty database, as an administrator would."""
        ...

    def copy(self, source: str, name: str) -> None:
        """Make a database that holds the same as ``source``, to which nobody may be connected."""
        ...

    def drop(self, name: str) -> None:
        """Remove a database whoever is connected to it; one that does not exist is fine."""
        ...

    def exists(self, name: str) -> bool: ...

    def tables(self, name: str) -> Sequence[str]:
        """The tables, procedures and functions that anybody made in a database."""
        ...

    def siblings(self, name: str) -> Sequence[str]:
        """The places beside a database's store, made to build another store in, which are there now."""
        ...

    def occupy_sibling(self, name: str) -> None:
        """Keep a table of one's own in such a place, until ``vacate_sibling``."""
        ...

    def vacate_sibling(self, name: str) -> None: ...

    def run(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        """Run and commit one statement."""
        ...

    def transaction(self, name: str) -> AbstractContextManager[Run]:
        """A transaction that is rolled back at the end."""
        ...

    def waiting(self, name: str) -> int:
        """How many sessions of a database wait for a lock."""
        ...

    def end_sessions(self, name: str) -> None:
        """Terminate all connections to a database, those that wait for a lock first."""
        ...


class MortalDatabase(DatabaseUnderTest, Protocol):
    """A DBMS whose server may be killed, because nobody else needs it meanwhile."""

    def kill(self) -> None:
        """End the server at once (SIGKILL), with all that it is doing."""
        ...

    def start(self) -> None:
        """Start the server where it was, and return when it lets clients in; nothing happens when it runs."""
        ...
