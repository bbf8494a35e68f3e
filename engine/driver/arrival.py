"""When an answer came to this machine, as the system itself noted it: its wait for a reader is the driver's own.

Called by the user loop. An answer that comes while the loop serves another user, or while its thread waits for a
processor, would else be charged with that wait, which on a busy workstation is as long as the answer took.
"""

import socket
import struct
import sys
import time
from collections.abc import Callable

# SO_TIMESTAMPNS, which Python's socket module has no name for; the kind of the note is the same number.
_STAMP_NS = 35
# Seconds since 1970, and nanoseconds.
_unpack_stamp: Callable[[bytes], tuple[int, int]] = struct.Struct("@ll").unpack
_STAMP_SPACE = 64
wall_clock = time.time  # noqa: TID251  (the clock of the stamps)
_IS_STAMPED = sys.platform == "linux"


class Arrival:
    """Of a connected socket, which stays its owner's; ``leave`` before the owner closes it.

    The system stamps what comes over a network, also over the loopback. Where it does not (a local socket, another
    system than Linux, the first answer after the stamps were asked for), nothing is known to have waited.
    """

    __slots__ = ("_peek", "_socket")

    def __init__(self, fileno: int) -> None:
        self._socket = socket.socket(fileno=fileno)
        self._peek = self._socket.recvmsg if _IS_STAMPED and self._is_stamped() else None

    def waited(self, wall_now: float) -> float:
        """The seconds for which what can be read has waited until ``wall_now``, by ``wall_clock``; 0 when unknown.

        Of an answer in many packets the last of those counts which the system has put together, most often all.
        """
        if self._peek is None:
            return 0.0
        try:
            notes = self._peek(1, _STAMP_SPACE, socket.MSG_PEEK)[1]
        except OSError:
            return 0.0  # it is lost, or was cut: whoever reads it is told
        if not notes:
            return 0.0
        seconds, nanoseconds = _unpack_stamp(notes[0][2])
        return wall_now - seconds - nanoseconds * 1e-9

    def _is_stamped(self) -> bool:
        """Ask for the stamps; whether there are any."""
        if self._socket.family not in (socket.AF_INET, socket.AF_INET6):
            return False
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, _STAMP_NS, 1)
        except OSError:
            return False
        return True

    def leave(self) -> None:
        """Forget the socket, which is left open."""
        self._peek = None
        self._socket.detach()
