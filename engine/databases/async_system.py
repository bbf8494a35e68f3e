"""What the engine needs from a system whose users share a loop of ``asyncio``, such as a mail server.

Both protocols raise ``TargetError``, as those of ``engine.databases.database`` do.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from engine.databases.database import System, Timeouts
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    import asyncio


@runtime_checkable
class AsyncSession(Protocol):
    """A user's open connections as ``Session``, for a loop of ``asyncio``: calls are awaited, one at a time."""

    host: Host

    @property
    def received(self) -> tuple[int, int]: ...

    @property
    def ended(self) -> "asyncio.Future[None]":
        """Done when the connection has ended, also between two calls."""
        ...

    async def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Make a call of the system's protocol. Raises ``TargetError``."""
        ...

    def cut(self) -> None:
        """Shut the connections down, which ends a hanging call; from any thread, never waits."""
        ...

    def close(self) -> None:
        """Close them; on the loop's thread."""
        ...


@runtime_checkable
class AsyncSystem(System, Protocol):
    """A system whose sessions are coroutines: the users of a client process share one loop of ``asyncio``."""

    async def open_session(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, user: int, *, first_host: int = 0
    ) -> AsyncSession:
        """Open the session of a user, numbered from 0 over all clients of the store. Raises ``TargetError``."""
        ...
