"""The clock of a machine over SSH: a command that answers each line of its input with the seconds since 1970 there."""

import threading

from engine.collect.clock import utc_now
from engine.collect.source import ClockExchange
from engine.collect.ssh_program import ssh_program
from engine.errors import UserError
from engine.machines.access import SshAccess

_ANSWER_SECONDS = 10.0
# The first answer waits for the connection and for the command's start.
_FIRST_QUESTIONS = 3


class RemoteClock:
    """Answers in seconds since 1970; ``resolution_seconds`` is by how much its answer may be wrong at most.

    ``ahead_seconds`` is added to each answer: half a second for a clock that tells whole seconds only.
    """

    def __init__(
        self,
        access: SshAccess,
        command: str,
        *,
        machine: str,
        resolution_seconds: float,
        ahead_seconds: float = 0.0,
    ) -> None:
        self._machine = machine
        self._resolution_seconds = resolution_seconds
        self._ahead_seconds = ahead_seconds
        self._program = ssh_program(access, command, machine=machine)
        self._is_first = True

    def close(self) -> None:
        self._program.close()

    def exchange(self, stop: threading.Event) -> ClockExchange | None:
        """Ask once; ``None`` at a stop. Raises ``UserError``."""
        exchange = None
        for _ in range(_FIRST_QUESTIONS if self._is_first else 1):
            if (exchange := self._exchange(stop)) is None:
                return None
        self._is_first = False
        return exchange

    def _exchange(self, stop: threading.Event) -> ClockExchange | None:
        sent = utc_now()
        self._program.write("")
        line = self._program.line(stop, _ANSWER_SECONDS)
        if line is None:
            return None
        try:
            there = float(line.text) + self._ahead_seconds
        except ValueError:
            raise UserError(
                f"{self._machine}: its clock was asked for, and the answer is {line.text[:80]!r}; try the SSH access by"
                " hand."
            ) from None
        return ClockExchange(
            sent_utc_seconds=sent,
            source_utc_seconds=there,
            answered_utc_seconds=line.arrived_utc_seconds,
            resolution_seconds=self._resolution_seconds,
        )
