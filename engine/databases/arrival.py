"""When an answer came to this machine, as the system itself noted it: its wait for a reader is the driver's own.

Called by the sessions that are polled. An answer that comes while the loop serves another user, or while its thread
waits for a processor, would else be charged with that wait, which on a busy workstation is as long as the answer took.
"""

import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress

# SO_TIMESTAMPNS, which Python's socket module has no name for; the kind of the note is the same number.
_STAMP_NS = 35
# Seconds since 1970, and nanoseconds.
_unpack_stamp: Callable[[bytes], tuple[int, int]] = struct.Struct("@ll").unpack
_STAMP_SPACE = 64
wall_clock = time.time  # noqa: TID251  (the clock of the stamps)


class Arrival:
    """Of a connected socket, which stays its owner's; ``leave`` before the owner closes it.

    The system stamps what comes over a network, also over the loopback. Where it does not (a local socket, another
    system than Linux, the first answer after the stamps were asked for), nothing is known.
    """

    __slots__ = ("_socket",)

    def __init__(self, fileno: int) -> None:
        self._socket = _stamped(fileno) if sys.platform == "linux" else None

    def moment(self) -> float:
        """When what can be read came, in seconds by ``wall_clock``; 0 when unknown.

        Of an answer in many packets the last of those counts which the system has put together, most often all.
        """
        if self._socket is None:
            return 0.0
        try:
            notes = self._socket.recvmsg(1, _STAMP_SPACE, socket.MSG_PEEK)[1]
        except OSError:
            return 0.0  # it is lost, or was cut: whoever reads it is told
        if not notes or notes[0][1] != _STAMP_NS:
            return 0.0
        seconds, nanoseconds = _unpack_stamp(notes[0][2])
        return seconds + nanoseconds * 1e-9

    def leave(self) -> None:
        """Forget the socket, which is left open."""
        if self._socket is not None:
            self._socket.detach()
            self._socket = None


def _stamped(fileno: int) -> socket.socket | None:
    """The socket, with stamps on what arrives; ``None`` if there are none."""
    try:
        its = socket.socket(fileno=fileno)
    except OSError:
        return None  # it has ended already
    if its.family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):
            its.setsockopt(socket.SOL_SOCKET, _STAMP_NS, 1)
            return its
    its.detach()
    return None
