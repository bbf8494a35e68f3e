"""The parts of an ODBC connection that depend on the DBMS: the protocol that the common code uses."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engine.databases.database import Timeouts
from engine.databases.failure import Failure
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target


class Dialect(Protocol):
    """One kind of DBMS behind ODBC. ``product`` is its name in sentences; ``session_statements`` are executed on each
    new connection.
    """

    @property
    def kind(self) -> str: ...

    @property
    def product(self) -> str: ...

    @property
    def session_statements(self) -> tuple[str, ...]: ...

    def attributes(
        self, target: Target, host: Host, secret: Secret | None, timeouts: Timeouts, driver: str
    ) -> dict[str, str]:
        """The connection string's keywords and values for one host, unescaped; they hold the password.

        Raises ``UserError`` for what the driver can't do.
        """
        ...

    def connect_attributes(self) -> dict[int, int | bytes]:
        """Attributes that are set before connecting, by their number."""
        ...

    def refuses_writes(self, query: Callable[[str], Sequence[Sequence[Any]]]) -> bool:
        """Whether the host that ``query`` reads rows from is read-only; called if a target has several hosts."""
        ...

    def error(self, failure: Failure, *, usable: bool) -> TargetError:
        """A call's failure, sorted; ``usable`` is false where the connection is known to be gone."""
        ...

    def connect_error(self, failure: Failure, host: Host, target: Target) -> TargetError:
        """A refused connection's failure, as one sentence; SQLSTATE ``HYT00`` means a host that did not answer."""
        ...

    def refined(
        self, refusal: TargetError, host: Host, target: Target, secret: Secret | None, timeouts: Timeouts
    ) -> TargetError:
        """The error of a connection that no host has accepted, or a better one after a look from elsewhere on its host;
        may connect, and takes its time.
        """
        ...
