"""An Extech 380803 behind a serial cable, as far as Spindle asks it: a pseudo-terminal whose other end answers.

Spindle opens the terminal as it opens a serial port. What no pseudo-terminal has is the control lines: that DTR is on,
which supplies the meter's interface, is seen on a real port only.
"""

import os
import pty
import select
import threading
import tty
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

_VOLTS = bytes.fromhex("02 01 00 12 03")


def packet(watts: str, *, sign: str = "+") -> bytes:
    """The answer that shows so many watts: ``"197.4"``, with up to four digits, the first of them 0 or 1."""
    whole, _, decimals = watts.partition(".")
    digits = (whole + decimals).rjust(4, "0")
    bits = [f"{len(decimals):02b}"[::-1], *(f"{int(digit):04b}"[::-1] for digit in reversed(digits[1:])), digits[0]]
    word = int("".join(bits) + ("1" if sign == "+" else "0"), 2)
    return bytes((0x02, 0x00, word & 0xFF, word >> 8, 0x03)) + 3 * _VOLTS


class ExtechMeter:
    """Answers each question with what ``answer`` returns; ``port`` is the name of the terminal.

    ``unplug`` takes the cable away, as when its adapter is pulled out of the workstation.
    """

    def __init__(self, answer: Callable[[], bytes]) -> None:
        self.questions = 0
        self._answer = answer
        self._meter, self._cable = pty.openpty()
        tty.setraw(self._cable)
        self.port = os.ttyname(self._cable)
        self._wake_reader, self._wake_writer = os.pipe()
        self._thread = threading.Thread(target=self._run, name="extech", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.unplug()
        for each in (self._wake_reader, self._wake_writer):
            os.close(each)

    def unplug(self) -> None:
        if self._thread.is_alive():
            os.write(self._wake_writer, b"x")
            self._thread.join(10)
            os.close(self._cable)
            os.close(self._meter)

    def _run(self) -> None:
        while True:
            ready, _, _ = select.select([self._meter, self._wake_reader], [], [])
            if self._wake_reader in ready:
                return
            for _ in os.read(self._meter, 100):
                self.questions += 1
                with suppress(BlockingIOError):
                    os.write(self._meter, self._answer())
