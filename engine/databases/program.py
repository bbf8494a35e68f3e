"""What the engine needs of a program that makes the load of a client in the place of emulated users."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from engine.target.target import Target
from engine.telemetry.sample import Count

NewProgram = Callable[[Target, Mapping[str, Any], int, int], "LoadProgram"]
"""Makes the program of a client: by its target, the values of the workload, its threads and a seed."""


class LoadProgram(Protocol):
    """A program, such as fio, that reports about every second what it has done; for one client.

    It is started again by whoever runs it when it ends early. Calls are made by one thread, but for ``end`` and
    ``kill``.
    """

    def start(self) -> None:
        """Start the program; returns at once. Raises ``UserError`` or ``TargetError`` if it can't be started."""
        ...

    def reports(self) -> Iterator[Mapping[str, Count]]:
        """What was done since the report before, by transaction, when the program reports it; ends with the program."""
        ...

    def bytes_of(self, counts: Mapping[str, Count]) -> int:
        """The bytes that were read and written in a report."""
        ...

    def end(self) -> None:
        """Ask the program to end: it reports what was done until then. From any thread, never waits."""
        ...

    def kill(self) -> None:
        """Kill the program, which did not end when it was asked to. From any thread, never waits."""
        ...

    def wait(self, seconds: float) -> str:
        """Wait for the end of the program, and kill it after so long.

        Returns why it ended, in a sentence; empty if it ended well, or because it was asked to.
        """
        ...
