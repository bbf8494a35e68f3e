"""Watts by an Extech 380803, the power analyzer of the published tests, on a serial port.

The port has 9600 bit/s, 8 data bits, no parity, one stop bit; DTR is on and supplies the interface, RTS is off. To a
space the meter answers with four blocks of five bytes, ``02 xx lo hi 03``, of which the first has the watts. Of its
word ``hi << 8 | lo`` bit 0 is the sign (1 is plus), bit 1 the leading digit, bits 2 to 5, 6 to 9 and 10 to 13 are three
digits and bits 14 and 15 the number of decimal places; of the last four the bits are in reverse order.
"""

import os
from time import monotonic

import serial

from engine.collect.clock import utc_now
from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.errors import UserError
from engine.machines.access import SerialMeterAccess
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

QUESTION = b" "
_BLOCK_BYTES = 5
_BLOCKS = 4
_ANSWER_BYTES = _BLOCKS * _BLOCK_BYTES
_BEGIN, _END = 0x02, 0x03
_LEAST_INTERVAL_SECONDS = 1.0
_ANSWER_SECONDS = 0.8
_LOOK_SECONDS = 0.1
# So many answers in turn may be missing or garbled before it counts as a failure.
_MOST_BAD_ANSWERS = 5


def extech_source(access: SerialMeterAccess, *, machine: str, interval_seconds: float = 1.0) -> PolledSource:
    """Reads the meter once a second, which is how often it measures."""
    return PolledSource(
        name="Extech 380803",
        interval_seconds=max(interval_seconds, _LEAST_INTERVAL_SECONDS),
        open_reader=lambda _: _Meter(access.port, machine),
    )


class _Meter:
    def __init__(self, port: str, machine: str) -> None:
        self._port_name = port
        self._what = f"{machine}: the meter on {port}"
        self._port: serial.Serial | None = None
        self._bad_answers = 0

    def close(self) -> None:
        if self._port is not None:
            self._port.close()

    def read(self) -> SourceReading | None:
        try:
            if self._port is None:
                self._port = _opened(self._port_name)
            asked = utc_now()
            answer = self._answer(self._port)
        except (serial.SerialException, OSError) as error:
            self.close()
            why = os.strerror(error.errno) if error.errno else str(error)  # pyserial says it twice
            raise UserError(
                f"{self._what} can't be read ({why}); check that it is plugged in, and that you may use the port."
            ) from error
        watts = watts_of(answer)
        if watts is None:
            self._bad_answers += 1
            if self._bad_answers >= _MOST_BAD_ANSWERS:
                said = f"garbled answers ({answer.hex(' ')})" if answer else "no answer"
                raise UserError(f"{self._what} gives {said}; check that it is on, and that it is an Extech 380803.")
            return None
        self._bad_answers = 0
        value = HostValue.of(HostFigure.POWER, watts)
        return SourceReading(values=(value,), here_utc_seconds=asked)

    def _answer(self, port: serial.Serial) -> bytes:
        """What comes to a question; what came before it, such as the rest of a late answer, is dropped."""
        port.read(port.in_waiting)
        port.write(QUESTION)
        answer, until = b"", monotonic() + _ANSWER_SECONDS
        while watts_of(answer) is None and monotonic() < until:
            answer = (answer + port.read(_ANSWER_BYTES))[-2 * _ANSWER_BYTES :]
        return answer


def watts_of(answer: bytes) -> float | None:
    """The watts of the first whole answer in what was received; ``None`` if there is none, or it shows an overload."""
    for start in range(len(answer) - _ANSWER_BYTES + 1):
        packet = answer[start : start + _ANSWER_BYTES]
        if set(packet[::_BLOCK_BYTES]) == {_BEGIN} and set(packet[_BLOCK_BYTES - 1 :: _BLOCK_BYTES]) == {_END}:
            return _decoded(packet[3] << 8 | packet[2])
    return None


def _decoded(word: int) -> float | None:
    digits = [word >> 1 & 1, *(_reversed(word >> shift, 4) for shift in (2, 6, 10))]
    if max(digits) > 9:
        return None
    number = int("".join(map(str, digits)))
    value = number / 10.0 ** _reversed(word >> 14, 2)
    return value if word & 1 else -value


def _reversed(bits: int, count: int) -> int:
    return sum((bits >> place & 1) << (count - 1 - place) for place in range(count))


def _opened(name: str) -> serial.Serial:
    port = serial.Serial(baudrate=9600, timeout=_LOOK_SECONDS, write_timeout=_ANSWER_SECONDS, exclusive=True)
    port.port = name
    port.dtr = True
    port.rts = False
    port.open()
    return port
