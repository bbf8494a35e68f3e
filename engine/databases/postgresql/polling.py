"""One step of opening a connection, without the interpreter's lock.

psycopg holds the lock while libpq takes that step: for milliseconds when it computes the password's proof, or when the
server's process to which it has just written takes the processor. Meanwhile no other user of the client could run, and
the timer thread would be late. So libpq's function is called directly.
"""

import ctypes
import sys
import threading
from collections.abc import Callable

import psycopg
from psycopg import pq
from psycopg.pq.abc import PGconn

# The versions of psycopg, as ``major.minor``, in whose objects the address of libpq's connection was seen to be right.
_PROVEN_VERSIONS = ("3.2", "3.3")
# Where psycopg holds the lock: who waits for a turn here does not queue for it, and who keeps the time finds it free.
_TURN = threading.Lock()


def connect_poll(connection: PGconn) -> pq.PollingStatus:
    """What ``connection.connect_poll()`` does."""
    address: int | None = getattr(connection, "pgconn_ptr", None)
    if _unlocked is None or address is None:
        with _TURN:
            return pq.PollingStatus(connection.connect_poll())
    return pq.PollingStatus(_unlocked(address))


def _of_psycopgs_own_libpq() -> Callable[[int], int] | None:
    """``PQconnectPoll`` of the very library that psycopg's compiled module was linked with.

    ``None`` where it can't be found through that module (Windows), where there is none (psycopg then calls libpq by
    ctypes as well), and for a version of psycopg whose address of a connection is not proven: a wrong one would crash.
    """
    if ".".join(psycopg.__version__.split(".")[:2]) not in _PROVEN_VERSIONS:
        return None
    path = sys.modules[pq.PGconn.__module__].__file__
    try:
        found = ctypes.CDLL(path).PQconnectPoll
    except (OSError, AttributeError):
        return None
    found.argtypes = (ctypes.c_void_p,)
    return found


_unlocked = _of_psycopgs_own_libpq()
