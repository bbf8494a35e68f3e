"""How the run reaches a process that works for it: through a pipe here, or through an agent on a load machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

from engine.driver.messages import ClientStart


class WorkerLink(Protocol):
    """The run's end of the connection to one process; used on the run's collector thread only.

    ``pid`` is the process's id on its machine. ``is_gone`` is set by whoever finds that the link has ended.
    """

    name: str
    is_gone: bool

    @property
    def pid(self) -> int: ...

    @property
    def waitable(self) -> "Connection[Any, Any]":
        """For ``multiprocessing.connection.wait``: ready when there is something to receive, or the link has ended."""
        ...

    def send(self, message: object) -> None:
        """Send the process a message; does not wait, and is without effect if it is gone."""
        ...

    def receive(self) -> Sequence[object]:
        """Messages that the process has sent together; raises ``EOFError`` or ``OSError`` when the link has ended."""
        ...

    def how_it_ended(self) -> str:
        """How a process ended whose link has, in words."""
        ...

    def close(self) -> None:
        """Close the link, which makes the process end."""
        ...

    def end(self, within_seconds: float) -> None:
        """Wait for the process to end, as it does when its link is closed; then end it by force."""
        ...


@dataclass(frozen=True, kw_only=True)
class Share:
    """The clients of one process, and whether its users' threads may preempt others, see ``engine.driver.sharing``."""

    starts: tuple[ClientStart, ...]
    may_preempt: bool

    @property
    def number(self) -> int:
        """The process's number, which is that of its first client."""
        return self.starts[0].client


class Launcher(Protocol):
    """Starts client processes on one machine; ``machine`` is its name, empty for this one.

    ``processors`` is how many the client processes there may use. ``lead_seconds`` is how long before a moment of the
    run the processes have to be sent it, and within ``clock_error_ms`` they know when it is.
    """

    @property
    def machine(self) -> str: ...

    @property
    def processors(self) -> int: ...

    @property
    def lead_seconds(self) -> float: ...

    @property
    def clock_error_ms(self) -> float: ...

    @property
    def news(self) -> WorkerLink | None:
        """Through which the machine itself reports to the run; ``None`` for this one."""
        ...

    def share_out(self, starts: Sequence[ClientStart]) -> Sequence[Share]:
        """Which clients share a process there; may wait for a name server."""
        ...

    def launch(self, share: Share) -> WorkerLink:
        """Start a client process; returns at once."""
        ...
