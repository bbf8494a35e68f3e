"""When an answer arrived at this machine, by the kernel's timestamp: its wait to be read is not the server's.

Used by the polled sessions. An answer may arrive while the loop serves another user, or while its thread waits for a
processor. Without timestamps that wait, which on a busy workstation is as long as the answer took, would count as
response time.
"""

import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress

# SO_TIMESTAMPNS, which Python's socket module does not define; the type of the ancillary message is the same number.
_STAMP_NS = 35
# Seconds since 1970, and nanoseconds.
_unpack_stamp: Callable[[bytes], tuple[int, int]] = struct.Struct("@ll").unpack
_STAMP_SPACE = 64
wall_clock = time.time  # noqa: TID251  (the clock of the stamps)


class Arrival:
    """Reads the timestamps of a connected socket, which stays its owner's; call ``leave`` before the owner closes it.

    Linux timestamps what arrives over a network, including the loopback. There is no timestamp for a local socket, on
    other systems, and for the first answer after timestamps were enabled.
    """

    __slots__ = ("_socket",)

    def __init__(self, fileno: int) -> None:
        self._socket = _stamped(fileno) if sys.platform == "linux" else None

    def moment(self) -> float:
        """When the data that can be read arrived, in seconds by ``wall_clock``; 0 if unknown.

        For an answer in many packets it is the last of those that the system has coalesced, usually all of them.
        """
        if self._socket is None:
            return 0.0
        try:
            notes = self._socket.recvmsg(1, _STAMP_SPACE, socket.MSG_PEEK)[1]
        except OSError:
            return 0.0  # the connection is lost or was cut: reading from it will raise
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
    """The socket with timestamps enabled; ``None`` if there are none."""
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
